package evaluator

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-rag/assay/text"
)

func TestValues(t *testing.T) {
	for s, want := range map[string]string{
		"You get 26 weeks of leave.":            "26 weeks|duration|26|week",
		"twenty-six weeks":                      "twenty-six weeks|duration|26|week",
		"two and a half days":                   "two and a half days|duration|2.5|day",
		"2½ days":                               "2½ days|duration|2.5|day",
		"half a day":                            "half a day|duration|0.5|day",
		"within 30 working days":                "30 working days|duration|30|day",
		"a 14-day window":                       "14-day|duration|14|day",
		"It costs €1,200.50 a year.":            "€1,200.50|money|1200.5|eur",
		"1.200,50 EUR":                          "1.200,50 EUR|money|1200.5|eur",
		"US$ 5 million":                         "US$ 5 million|money|5000000|usd",
		"$40k":                                  "$40k|money|40000|usd",
		"50 euros":                              "50 euros|money|50|eur",
		"up to 12.5%":                           "12.5%|percent|12.5|percent",
		"80 per cent of it":                     "80 per cent|percent|80|percent",
		"10-15 days":                            "10-15 days|duration|10-15|day",
		"10 to 15 days":                         "10 to 15 days|duration|10-15|day",
		"between 10 and 15 days":                "10 and 15 days|duration|10-15|day",
		"raised from 20 to 26 days":             "20|duration|20|day;26 days|duration|26|day",
		"$5–$10":                                "$5–$10|money|5-10|usd",
		"5, 10 or 20 users":                     "5|number|5|user;10|number|10|user;20|number|20|user",
		"12 May 2024":                           "12 May 2024|date|2024-05-12",
		"on 2024-05-12.":                        "2024-05-12|date|2024-05-12",
		"May 12th, 2024":                        "May 12th, 2024|date|2024-05-12",
		"12.05.2024":                            "12.05.2024|date|2024-05-12",
		"31/12/2024":                            "31/12/2024|date|2024-12-31",
		"In May 2024 we":                        "May 2024|date|2024-05",
		"the 5th of June":                       "5th of June|date|--06-05",
		"You may 5 times":                       "5 times|number|5|time",
		"by June":                               "June|date|--06",
		"every Monday at 9:30":                  "Monday|date|monday;9:30|date|09:30",
		"from 3 p.m. on":                        "3 p.m|date|15:00",
		"Q3 2025":                               "Q3 2025|date|2025-Q3",
		"founded in 1998":                       "1998|year|1998",
		"in the 1990s":                          "1990s|year|1990s",
		"v2.3.1":                                "v2.3.1|version|2.3.1",
		"since version 2.3":                     "version 2.3|version|2.3",
		"upgrade to 1.2.3-rc.1":                 "1.2.3-rc.1|version|1.2.3-rc1",
		"SHA256 and COVID-19 and x86_64, #4711": "",
		"the 3rd floor":                         "",
		"retries of a 429 or a 5xx":             "429|number|429",
		"3x as fast":                            "3|number|3",
		"pin npm@5 or node@20":                  "",
		"the 2018–19 season":                    "2018–19|year|2018-19",
		"the war of 1914-18 in":                 "1914-18|year|1914-18",
		"order 2018-19-4":                       "2018|year|2018;19|number|19;4|number|4",
		"one of them":                           "",
		"one week":                              "one week|duration|1|week",
		"one hundred and twenty seats":          "one hundred and twenty|number|120|seat",
		"three thousand two hundred":            "three thousand two hundred|number|3200",
		"a dozen eggs":                          "a dozen|number|12|egg",
		"1,234,567 rows":                        "1,234,567|number|1234567|row",
		"512 MB of memory":                      "512 MB|number|512|megabyte",
		"below -5 °C":                           "-5 °C|number|-5|°c",
		"3.5 million people":                    "3.5 million|number|3500000|person",
		"26 Wochen Urlaub":                      "26 Wochen|duration|26|week",
		"30 jours":                              "30 jours|duration|30|day",
		"Section 2.":                            "2|number|2",
		"between 2010 and 2015":                 "2010|year|2010;2015|year|2015",
		"The fee is 5 EUR, or 20 EUR for groups of ten.": "5 EUR|money|5|eur;20 EUR|money|20|eur;ten|number|10",
		"one two three":  "two|number|2;three|number|3",
		"10:00 to 12:00": "10:00|date|10:00;12:00|date|12:00",
		"":               "",
	} {
		if got := describe(s, values(s)); got != want {
			t.Errorf("values(%q)\n got %s\nwant %s", s, got, want)
		}
	}
}

// describe writes values as span|kind|number|unit, or span|kind|norm for dates,
// years and versions.
func describe(s string, vs []value) string {
	var out []string
	for _, v := range vs {
		d := v.Of(s) + "|" + string(v.Kind)
		switch v.Kind {
		case valueDate, valueYear, valueVersion:
			d += "|" + v.Norm
		default:
			d += "|" + formatNumber(v.Number)
			if v.High != v.Number {
				d += "-" + formatNumber(v.High)
			}
			if v.Unit != "" {
				d += "|" + v.Unit
			}
		}
		out = append(out, d)
	}
	return strings.Join(out, ";")
}

func TestNormTellsSameFromDifferent(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"26 weeks", "twenty-six weeks", true},
		{"one week", "7 days", true},
		{"24 hours", "1 day", true},
		{"one year", "12 months", true},
		{"30 days", "1 month", false},
		{"12 May 2024", "2024-05-12", true},
		{"May 12, 2024", "12th of May 2024", true},
		{"€1,200", "1200 EUR", true},
		{"€1,200", "$1,200", false},
		{"5%", "five per cent", true},
		{"10-15 days", "between 10 and 15 days", true},
		{"10-15 days", "10 days", false},
		{"v1.26", "version 1.26", true},
		{"1,000 users", "1000 users", true},
	} {
		a, b := values(c.a), values(c.b)
		if len(a) != 1 || len(b) != 1 {
			t.Errorf("values(%q), values(%q): %d and %d values, want one each", c.a, c.b, len(a), len(b))
			continue
		}
		if (a[0].Norm == b[0].Norm) != c.same {
			t.Errorf("%q is %q and %q is %q: same should be %t", c.a, a[0].Norm, c.b, b[0].Norm, c.same)
		}
	}
}

func FuzzValues(f *testing.F) {
	for _, s := range []string{"26 weeks", "€1,200.50", "10-15 days", "v2.3.1", "12.05.2024", "3 p.m.", "½", "-5 °C", "\xff1\xc2", "１２", "1.2.3.4", "two and a half", "1 234 567"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		end := 0
		for _, v := range values(s) {
			if v.Start < end || v.End <= v.Start || v.End > len(s) {
				t.Fatalf("values(%q): span %v after %d", s, v.Span, end)
			}
			end = v.End
			if v.Kind == "" || v.Norm == "" || v.High < v.Number {
				t.Fatalf("values(%q): %+v", s, v)
			}
		}
		checkSpans(t, s, entities(s))
	})
}

func checkSpans(t *testing.T, s string, spans []text.Span) {
	t.Helper()
	end := 0
	for _, p := range spans {
		if p.Start < end || p.End <= p.Start || p.End > len(s) {
			t.Fatalf("%q: span %v after %d", s, p, end)
		}
		end = p.End
	}
}

func TestEntities(t *testing.T) {
	for s, want := range map[string]string{
		"What is the parental leave policy?":              "",
		"When does the Berlin office open?":               "Berlin",
		"How do I install Visual Studio Code on Windows?": "Visual Studio Code,Windows",
		"Who founded the University of Oxford?":           "University of Oxford",
		"Set max_tokens with --limit in /etc/app.conf.":   "max_tokens,--limit,/etc/app.conf",
		"What does HTTPServer do?":                        "HTTPServer",
		"Is SSO part of the \"team plan\"?":               "SSO,team plan",
		"Use `go test` first":                             "go test",
		"Paris is large.":                                 "",
		"Acme Cloud is large.":                            "Acme Cloud",
		"I get 26weeks and v2.3":                          "",
		"how do I edit main.go?":                          "main.go",
	} {
		var got []string
		for _, p := range entities(s) {
			got = append(got, p.Of(s))
		}
		if g := strings.Join(got, ","); g != want {
			t.Errorf("entities(%q) = %s, want %s", s, g, want)
		}
	}
}

func Example_values() {
	s := "Leave is 26 weeks, of which two weeks must be taken by 1 June 2025."
	for _, v := range values(s) {
		fmt.Println(v.Of(s), v.Kind)
	}
	// Output:
	// 26 weeks duration
	// two weeks duration
	// 1 June 2025 date
}
