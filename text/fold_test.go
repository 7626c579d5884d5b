package text

import (
	"testing"

	"golang.org/x/text/unicode/norm"
)

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"":                     "",
		"plain ascii":          "plain ascii",
		"UPPER Case":           "upper case",
		"Ärger Straße STRAẞE":  "arger strasse strasse",
		"ＡＢＣ １２３！":             "abc 123!",
		"ﬁnd eﬃcient œuvre":    "find efficient oeuvre",
		"co\u00adop\u200be":    "coope",
		"e\u0301tude É":        "etude e",
		"Łódź Ångström Øre":    "lodz angstrom ore",
		"İstanbul ISPARTA ı":   "istanbul isparta i",
		"don’t ‘x’":            "don't 'x'",
		"Ёлка и Йод, край":     "елка и йод, край",
		"Київ їжак ґанок":      "київ їжак ґанок",
		"ΟΔΥΣΣΕΎΣ ς":           "οδυσσευσ σ",
		"한국어":                  "한국어",
		norm.NFD.String("한국어"): "한국어",
		"がぎパ":                  "がぎパ",
		norm.NFD.String("がパ"):  "がパ",
		"ｶﾞｷﾞ ﾊﾟ":              "ガギ パ",
		"हिन्दी में":           "हिन्दी में",
		"ภาษาไทย ที่":          "ภาษาไทย ที่",
		"العَرَبِيَّة أحمد":    "العربية احمد",
		"שָׁלוֹם":              "שלום",
		"½ m² ①":               "1⁄2 m2 1",
	} {
		if got := Fold(in); got != want {
			t.Errorf("Fold(%q) = %q (%+q), want %q (%+q)", in, got, got, want, want)
		}
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"Ärger", "한국", "ｶﾞ", "e\u0301", "\xff", "ŉ İ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := Fold(s)
		if twice := Fold(once); twice != once {
			t.Fatalf("Fold(%+q) = %+q, folded again %+q", s, once, twice)
		}
		if !norm.NFC.IsNormalString(once) {
			t.Fatalf("Fold(%+q) = %+q is not NFC", s, once)
		}
		if composed := Fold(norm.NFC.String(s)); composed != once {
			t.Fatalf("Fold(%+q) = %+q, composed first %+q", s, once, composed)
		}
	})
}
