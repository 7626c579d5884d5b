package text

import (
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

func terms(s, lang string) string {
	var t []string
	for _, k := range Analyze(s, lang) {
		t = append(t, k.Term)
	}
	return strings.Join(t, " ")
}

func TestAnalyze(t *testing.T) {
	for _, c := range []struct{ lang, text, want string }{
		{"en", "How many days of parental leave do I get?", "day parent leav get"},
		{"en", "set GOMAXPROCS and max_connections", "set gomaxproc max_connections max connect"},
		{"en", "use --dry-run with http.Handler", "use dry-run dri run http.handler http handler"},
		{"en", "a 401(k) plan, the 401k, 501(c)(3)", "401k 401 plan 401k 401 k 501c3 501"},
		{"en", "3.5 or 1,000 on 2024-05-01 with v1.2.3", "3.5 1000 2024-05-01 2024 1.2.3 1.2"},
		{"en", "Don't e-mail jane.doe@example.com at 10:30", "email mail jane.doe@example.com jane doe exampl com 10:30"},
		{"en", "C++ and C#, R&D at AT&T in the U.S. told us", "c++ c# r&d at&t us told"},
		{"en", "who in the US works in IT at the WHO", "us work it who"},
		{"en", "maxConnections, NullPointerException, JavaScript", "maxconnect max connect nullpointerexcept null pointer except javascript"},
		{"en", "10GB and 5 kg", "10gb 10 gb 5 kg"},
		{"en", "the 10th of 3GB", "10th 3gb 3 gb"},
		{"de", "Wie viele Tage Elternzeit stehen den Müttern zu?", "viel tag elternzeit steh mutt"},
		{"fr", "Combien de jours de congé l'employé a-t-il?", "jour cong emploi"},
		{"zh", "中文分词 Go语言", "中文 文分 分词 go 语言"},
		{"ja", "東京タワーはどこ?", "東京 京タ タワ ワー ーは はど どこ"},
		{"ko", "휴가는 며칠", "휴가 가는 며칠"},
		{"ru", "Сколько дней отпуска?", "дне отпуск"},
		{"en", "what is the", ""},
	} {
		if got := terms(c.text, c.lang); got != c.want {
			t.Errorf("Analyze(%q, %q)\n got %s\nwant %s", c.text, c.lang, got, c.want)
		}
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"3.5, 1,000; 2024-05-01 v1.2.3.": "3.5|1,000|2024-05-01|v1.2.3",
		"snake_case --flag-name foo.Bar": "snake_case|--flag-name|foo.Bar",
		"C++ C# jane@x.org, 401(k) (k)":  "C++|C#|jane@x.org|401(k)|k",
		"https://go.dev/doc/gc-guide":    "https|go.dev|doc|gc|guide",
		"don’t l'été O'Neil's 'quoted'":  "don’t|l'été|O'Neil's|quoted",
		"中文 タワーは 휴가는":                    "中|文|タワー|は|휴가는",
		"_emph_ **bold** a_b_":           "emph|bold|a_b",
		"":                               "",
	} {
		var got []string
		for _, w := range Words(text) {
			got = append(got, w.Of(text))
		}
		if g := strings.Join(got, "|"); g != want {
			t.Errorf("Words(%q)\n got %s\nwant %s", text, g, want)
		}
	}
}

func TestIsStop(t *testing.T) {
	for _, c := range []struct {
		word, lang string
		want       bool
	}{
		{"the", "en", true}, {"how", "en", true}, {"don't", "en", true}, {"the", "", true}, {"the", "xx", true},
		{"leave", "en", false}, {"der", "de", true}, {"fur", "de", true}, {"the", "de", false}, {"die", "en", false},
		{"ou", "fr", true}, {"ete", "fr", false}, {"cuantos", "es", true}, {"estado", "es", false},
		{"что", "ru", true}, {"och", "sv", true}, {"ikke", "da", true}, {"ikke", "nb", true}, {"en", "nl", true}, {"", "en", false},
	} {
		if got := IsStop(c.word, c.lang); got != c.want {
			t.Errorf("IsStop(%q, %q) = %v", c.word, c.lang, got)
		}
	}
}

// TestAnalyzeMeets checks that what is written one way is found when it is
// asked for in another.
func TestAnalyzeMeets(t *testing.T) {
	for _, c := range []struct{ lang, text, question string }{
		{"en", "max_connections limits it", "max connections"},
		{"en", "set maxConnections", "max connections"},
		{"en", "an http.Handler serves", "handler"},
		{"en", "go build --dry-run", "--dry-run"},
		{"en", "a dry run", "dry-run"},
		{"en", "your 401(k) plan", "401k"},
		{"en", "Release v1.22.3", "version 1.22"},
		{"en", "costs 1,000 euros", "1000 euros"},
		{"en", "an E-Mail address", "email"},
		{"en", "the U.S. economy", "US economy"},
		{"en", "it takes 10GB", "10 GB"},
		{"en", "Employees' contracts’ ends", "employee contract"},
		{"en", "running policies", "run policy"},
		{"de", "Die Urlaubstage für Mütter", "Urlaubstag Mutter"},
		{"de", "Große Straßen", "grosse Strasse"},
		{"fr", "L’employé dépose ses congés d'été", "employés congé été"},
		{"es", "las habitaciones disponibles", "habitación disponible"},
		{"es", "solicitar información", "informacion"},
		{"pt", "pedir informações", "informacao"},
		{"it", "le ferie dell'impiegato", "impiegati ferie"},
		{"ru", "отпуска сотрудникам", "отпуск сотрудник"},
		{"ja", "育児休暇は二十日です", "育児休暇"},
		{"zh", "员工每年享有年假", "年假"},
		{"ko", "육아휴직은 90일이다", "육아휴직"},
		{"th", "ลาคลอดได้เก้าสิบวัน", "ลาคลอด"},
		{"zh", "使用 GOMAXPROCS 变量", "gomaxprocs"},
	} {
		has := make(map[string]bool)
		for _, k := range Analyze(c.text, c.lang) {
			has[k.Term] = true
		}
		asked := Analyze(c.question, c.lang)
		found := 0
		for _, k := range asked {
			if has[k.Term] {
				found++
			}
		}
		if len(asked) == 0 || found*2 < len(asked) {
			t.Errorf("%q (%s) finds %d of %d terms in %q (%s)", c.question, terms(c.question, c.lang), found, len(asked), c.text, terms(c.text, c.lang))
		}
	}
}

func TestAnalyzeConcurrently(t *testing.T) {
	want := terms(prose, "en") + terms(proseGerman, "de")
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 50 {
				if got := terms(prose, "en") + terms(proseGerman, "de"); got != want {
					t.Errorf("analyses differ: %q, %q", got, want)
				}
			}
		})
	}
	wait.Wait()
}

// TestHugeInput gives each function a line of 256 kB that is one word, one number,
// nothing but marks, and so on. Quadratic time would take minutes.
func TestHugeInput(t *testing.T) {
	if testing.Short() {
		t.Skip("40 texts of 256 kB")
	}
	for _, unit := range []string{
		"a", "A", "1", "1.", "a.", "1,", "aB", "a_", "a@", "@a.", "--a", "a-", "é", "e\u0301", "東", "カ", "한", "ก", "\u0301",
		"\u200b", "\xff", ".", "!", "。", "[1", "`", "' ", "\n", "\n\n", " ", "|\n", "- \n", "1. ", "(a)", "1(a)", "l'", "Dr. ", "A. B. ", "# ", "```\n", "=",
	} {
		s := strings.Repeat(unit, 1<<18/len(unit))
		checkSentences(t, s)
		Words(s)
		Fold(s)
		Tokens(s)
		Detect(s)
		for _, k := range Analyze(s, "fr") {
			if len(k.Term) > 3*maxTerm {
				t.Fatalf("%q…: a term of %d bytes", unit, len(k.Term))
			}
		}
		Align(unit+" a b c", s)
	}
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"3.5 --dry-run a@b.co C++", "東京タワー 휴가", "401(k)(3) U.S.A l'été", "e\u0301 \u00adx\u200by", "\xff--x_1_", "ภาษาไทย"} {
		f.Add(s, "de")
	}
	f.Fuzz(func(t *testing.T, s, lang string) {
		at := 0
		for _, w := range Words(s) {
			if w.Start < at || w.End <= w.Start || w.End > len(s) {
				t.Fatalf("word %v after byte %d of %d", w, at, len(s))
			}
			if utf8.ValidString(s) && !utf8.ValidString(w.Of(s)) {
				t.Fatalf("a rune is cut in %q", w.Of(s))
			}
			at = w.End
		}
		start := 0
		for _, k := range Analyze(s, lang) {
			if k.Start < start || k.End <= k.Start || k.End > len(s) {
				t.Fatalf("token %+v after %d of %d", k, start, len(s))
			}
			if k.Term == "" || strings.ContainsAny(k.Term, " \t\n") {
				t.Fatalf("term %q", k.Term)
			}
			start = k.Start
		}
		if Tokens(s) < 0 {
			t.Fatal("less than no tokens")
		}
		Detect(s)
	})
}
