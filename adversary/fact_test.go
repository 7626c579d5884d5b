package adversary

import (
	"slices"
	"testing"

	"github.com/assay-rag/assay"
)

// TestFacts reads one sentence each. An empty question means that it isn't plain
// enough.
func TestFacts(t *testing.T) {
	tests := []struct{ said, question, value string }{
		{"Backups are kept for 35 days and then deleted.", "How long are backups kept?", "35 days"},
		{"A shift lasts one week and changes hands on Tuesday at 10:00 UK time.", "How long does a shift last?", "one week"},
		{"Tests on the farm run every 5 minutes.", "How often do tests on the farm run?", "5 minutes"},
		{"You may send 60 requests per minute with each key, on all plans.", "How many requests may I send per minute with each key?", "60 requests"},
		{"Full-time staff receive 28 days of leave per year, and more.", "How many days of leave do full-time staff receive per year?", "28 days"},
		{"API version 1 ends on 30 September 2026.", "When does API version 1 end?", "30 September 2026"},
		{"The pH probe is calibrated at three points, with buffers.", "At how many points is the pH probe calibrated?", "three points"},
		{"Worn probes have a warranty of 6 months.", "What warranty do worn probes have?", "6 months"},
		{"The default timeout of the client is 30 seconds.", "How long is the default timeout of the client?", "30 seconds"},
		{"The maximum size of an upload is 20 MB.", "What is the maximum size of an upload?", "20 MB"},
		{"Updates install themselves within 72 hours; postponing them isn't possible.", "Within what time do updates install themselves?", "72 hours"},
		{"Basic strings are surrounded by quotation marks.", "What are basic strings surrounded by?", "quotation marks"},
		{"The GUARD library is released under the MIT License.", "What licence is the GUARD library released under?", "MIT License"},

		{"It lasts 5 days.", "", ""},
		{"When the queue is full, the job waits for 5 minutes.", "", ""},
		{"Rate limits apply after 5 minutes.", "", ""},
		{"The job runs for 5 minutes or 10 minutes.", "", ""},
		{"The file that you sent is kept for 5 days.", "", ""},
		{"The link isn't valid for 5 days.", "", ""},
		{"Is the link valid for 5 days?", "", ""},
		{"The job has waited for 5 minutes in the queue.", "", ""},
		{"Probes and caps wear out and are covered for 6 months.", "", ""},
		{"Ask support for 5 days of leave.", "", ""},
		{"The next release of the client is planned for 5 May 2026.", "", ""},
	}
	for _, test := range tests {
		c := newCorpus([]assay.Document{{ID: "a", Text: test.said}})
		question, value := "", ""
		for _, f := range c.facts() {
			question, value = f.question(), f.value.text
		}
		if question != test.question || value != test.value {
			t.Errorf("%q: %q = %q, not %q = %q", test.said, question, value, test.question, test.value)
		}
	}
}

func TestValues(t *testing.T) {
	tests := []struct {
		said  string
		texts []string
		kinds []measure
	}{
		{"kept for 35 days and 2 hours", []string{"35 days", "2 hours"}, []measure{duration, duration}},
		{"costs €1,150.50, or 7 %", []string{"€1,150.50", "7 %"}, []measure{money, percent}},
		{"on 3 May 2026 or 2026-05-03", []string{"3 May 2026", "2026-05-03"}, []measure{date, date}},
		{"three working days", []string{"three working days"}, []measure{duration}},
		{"weighs 2.6 kg.", []string{"2.6 kg"}, []measure{extent}},
		{"20 MB of 41 million", []string{"20 MB", "41"}, []measure{size, number}},
		{"48 sondes need v1.2.3", []string{"48 sondes", "v1.2.3"}, []measure{count, version}},
		{"the Heron 2 by RFC 3339 and SHA256", nil, nil},
		{"one of them is at step 4", nil, nil},
	}
	for _, test := range tests {
		var texts []string
		var kinds []measure
		for _, v := range values(test.said) {
			texts, kinds = append(texts, v.text), append(kinds, v.measure)
		}
		if !slices.Equal(texts, test.texts) || !slices.Equal(kinds, test.kinds) {
			t.Errorf("%q: %q %q, not %q %q", test.said, texts, kinds, test.texts, test.kinds)
		}
	}
}

func TestAltered(t *testing.T) {
	tests := []struct{ said, want string }{
		{"35 days", "70 days"},
		{"one week", "2 weeks"},
		{"three points", "6 points"},
		{"€6,000", "€12,000"},
		{"80 %", "70 %"},
		{"5 %", "20 %"},
		{"30 September 2026", ""}, // no other month has it for sure
		{"12 May 2026", "12 July 2026"},
		{"12 December 2026", "12 February 2026"},
		{"1.5 kg", ""},
		{"v1.2.3", ""},
	}
	for _, test := range tests {
		v, ok := readValue(test.said)
		if !ok {
			t.Errorf("%q is no value", test.said)
			continue
		}
		if got := v.altered(0); got != test.want {
			t.Errorf("%q became %q, not %q", test.said, got, test.want)
		}
	}
}
