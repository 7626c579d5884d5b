package text

import (
	"strings"
	"testing"
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
