package index

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/index/indextest"
)

func TestFindAliases(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string // "a = b"
	}{
		{"You accrue paid time off (PTO) monthly.", []string{"PTO = paid time off"}},
		{"PTO (paid time off) accrues monthly.", []string{"PTO = paid time off"}},
		{"The SLA stands for service level agreement and binds us.", []string{"SLA = service level agreement"}},
		{"Here, RTO is short for recovery time objective.", []string{"RTO = recovery time objective"}},
		{"Each **virtual private network (VPN)** needs a key.", []string{"VPN = virtual private network"}},
		{"The Key Performance Indicators (KPIs) are set yearly.", []string{"KPI = Key Performance Indicators"}},
		{"We measure mean time to recovery (MTTR).", []string{"MTTR = mean time to recovery"}},
		{"the HyperText Markup Language (HTML) is old", []string{"HTML = HyperText Markup Language"}},
		{"Single sign-on (SSO) is on.", []string{"SSO = Single sign-on"}},
		{"Die Allgemeinen Geschäftsbedingungen (AGB) gelten.", []string{"AGB = Allgemeinen Geschäftsbedingungen"}},
		{"Parental leave, also known as family leave, is paid.", []string{"Parental leave = family leave"}},
		{"The travel desk is also called the booking office.", []string{"travel desk = booking office"}},
		{"Orbit (formerly Launchpad) is the portal.", []string{"Orbit = Launchpad"}},
		{"Orbit, formerly known as Launchpad, is the portal.", []string{"Orbit = Launchpad"}},
		{"The annual leave (or vacation) is twenty days.", []string{"annual leave = vacation"}},
		// None of these defines anything.
		{"He left on Monday (May 3).", nil},
		{"She was formerly a nurse, and the clinic formerly employed ten.", nil},
		{"See the manual (PDF).", nil},
		{"We met (PTO) there.", nil},
		{"It stands for nothing. NATO met.", nil},
		{"The company, formerly a bank, sells cars.", nil},
		{"Call us (or not).", nil},
		{"In 2020 (a leap year) it rained.", nil},
		{"The price (USD 20) is fixed.", nil},
		{"unbalanced (PTO and (more", nil},
		{"f(x) = g(XY), a[0] (or a[1])", nil},
	} {
		var got []string
		for _, a := range findAliases(test.text, "en") {
			got = append(got, a.a+" = "+a.b)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s\n\tgives %q, want %q", test.text, got, test.want)
		}
	}
}

func TestRelated(t *testing.T) {
	x := open(t, t.TempDir())
	ctx := context.Background()
	handbook(t, x)
	put(t, x, map[string]string{
		"handbook/a.md": "Reimbursement of expenses takes a week. Orbit (formerly Launchpad) files the request.",
		"handbook/b.md": "Paid time off (PTO) can be carried over. European offices close early.",
		"handbook/c.md": "A part-time operator (PTO) works the switchboard.",
	})
	for _, test := range []struct{ words, key, want string }{
		{"How much PTO do I get?", "pto", "paid time off, part-time operator"},
		{"How many PTOs?", "ptos", "paid time off, part-time operator"},
		{"how much Paid Time Off?", "paid time off", "PTO"},
		{"who is a part time operator", "part time operator", "PTO"},
		{"open Launchpad", "launchpad", "Orbit"},
		{"open orbit", "orbit", "Launchpad"},
		{"how is my reimbursment paid", "reimbursment", ""}, // the same stem
		{"my reinbursement", "reinbursement", "reimbursement"},
		{"the swicthboard", "swicthboard", "switchboard"},
		{"closing in Europe", "europe", "european"},
		{"expense", "expense", ""},
		{"carpet", "carpet", ""},
		{"CN-2291 carr7ied", "carr7ied", ""},
	} {
		related, err := x.Related(ctx, "", test.words)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.ToLower(strings.Join(related[test.key], ", ")); got != strings.ToLower(test.want) {
			t.Errorf("%q: %s is related to %q, want %q", test.words, test.key, got, test.want)
		}
	}
	// PTO is still defined by another document after one goes.
	if err := x.Remove(ctx, "", "handbook", []string{"handbook/b.md", "handbook/c.md"}); err != nil {
		t.Fatal(err)
	}
	related, err := x.Related(ctx, "", "PTO")
	if got := fmt.Sprint(related); err != nil || !strings.EqualFold(got, "map[pto:[Paid time off]]") {
		t.Errorf("after the removal PTO is related to %s, %v", got, err)
	}
	if related, err := x.Related(ctx, "none", "PTO"); err != nil || len(related) > 0 {
		t.Errorf("in another collection PTO is related to %v, %v", related, err)
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abcd", "abxd", 1}, {"abc", "abcd", 1},
		{"reimbursment", "reimbursement", 1}, {"kitten", "sitting", 3}, {"ärger", "arger", 1}, {"abcdefgh", "hgfedcba", 4},
	} {
		if got := distance(test.a, test.b, 4); got != test.want {
			t.Errorf("from %q to %q are %d steps, want %d", test.a, test.b, got, test.want)
		}
	}
}

func FuzzDistance(f *testing.F) {
	f.Add("leave", "laeve")
	f.Add("", "日本")
	f.Fuzz(func(t *testing.T, a, b string) {
		d, back := distance(a, b, 3), distance(b, a, 3)
		if d != back || (d == 0) != (string([]rune(a)) == string([]rune(b))) {
			t.Errorf("%q and %q: %d and %d", a, b, d, back)
		}
	})
}

func FuzzFindAliases(f *testing.F) {
	f.Add("You accrue paid time off (PTO), also known as leave (or vacation), formerly X.")
	f.Add("((((PTO))))((formerly also known as stands for")
	f.Add("ſſ (SS) ﬁ İ (II)\xff")
	f.Fuzz(func(t *testing.T, s string) {
		for _, a := range findAliases(s, "en") {
			for _, name := range []string{a.a, a.b} {
				if name == "" || utf8.ValidString(s) && !utf8.ValidString(name) {
					t.Errorf("%q gives the name %q", s, name)
				}
			}
		}
	})
}

// FuzzBag writes and reads the terms of a passage, and reads what is no bag.
func FuzzBag(f *testing.F) {
	f.Add([]byte{1, 2, 3, 200, 1, 7})
	f.Fuzz(func(t *testing.T, data []byte) {
		var in []entry
		seen := map[int64]bool{}
		for i := 0; i+1 < len(data); i += 2 {
			id := int64(data[i])*int64(data[i]) + 1
			if !seen[id] {
				seen[id] = true
				in = append(in, entry{id, count(data[i+1])})
			}
		}
		out, err := makeBag(in).entries()
		if err != nil || !slices.Equal(in, out) {
			t.Fatalf("wrote %v, read %v, %v", in, out, err)
		}
		if _, err := bag(data).entries(); err == nil {
			bm25([]queryTerm{{id: 3, idf: 1}}, bag(data), 1)
		}
	})
}

// FuzzRetrieve asks for anything at all: nothing in a question is an operator.
func FuzzRetrieve(f *testing.F) {
	x := openWith(f, f.TempDir(), &indextest.Embedder{})
	handbook(f, x)
	embed(f, x)
	for _, s := range []string{`parental" OR "x`, "NEAR(a b)", "\x00", "休暇", "to be or not to be", "{terms}:*"} {
		f.Add(s, "team", "handbook/", uint8(3))
	}
	f.Fuzz(func(t *testing.T, words, value, prefix string, k uint8) {
		filter := assay.Filter{PathPrefix: prefix}
		if value != "" {
			filter.Equal = map[string]string{value: words}
		}
		for _, s := range []assay.Search{{Words: words, K: int(k)}, {Words: words + " parental", Filter: filter, Collection: value}} {
			found, err := x.Retrieve(context.Background(), s)
			if err != nil || found.Short != "" || s.K > 0 && len(found.Passages) > s.K {
				t.Errorf("%+v: %d passages, %v", s, len(found.Passages), err)
			}
		}
		if _, err := x.Related(context.Background(), "", words); err != nil {
			t.Error(err)
		}
	})
}
