package text

import (
	"strings"
	"testing"
)

const prose = `The garbage collector runs concurrently with the program, and GOMAXPROCS
limits how many threads execute Go code at once. Employees receive 26 weeks of
parental leave, of which 12 may be taken part-time; requests go to the people
team, at least 8 weeks ahead (see section 4.2). For http.Handler and other
interfaces, e.g. io.Reader, the documentation at https://go.dev/doc explains
more. "It depends," said Dr. Miller, "on what you measure." Prices rose by 3.5
percent in the U.S. during 2023, which nobody had expected. `

const proseGerman = `Die Elternzeit beträgt höchstens drei Jahre und kann zwischen den Eltern
aufgeteilt werden. Für die Übertragung genügt ein formloser Antrag, der sieben
Wochen vorher beim Arbeitgeber eingehen muss. `

const proseChinese = `员工每年享有二十天带薪年假，未使用的假期可以结转到下一年度。申请应提前两周提交给人事部门。`

func bench(b *testing.B, s string, f func(string)) {
	s = strings.Repeat(s, 1+2000/len(s))
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		f(s)
	}
}

func BenchmarkWords(b *testing.B)     { bench(b, prose, func(s string) { Words(s) }) }
func BenchmarkSentences(b *testing.B) { bench(b, prose, func(s string) { Sentences(s) }) }
func BenchmarkTokens(b *testing.B)    { bench(b, prose, func(s string) { Tokens(s) }) }

func BenchmarkAnalyze(b *testing.B) {
	for _, c := range []struct{ name, lang, text string }{{"english", "en", prose}, {"german", "de", proseGerman}, {"chinese", "zh", proseChinese}} {
		b.Run(c.name, func(b *testing.B) { bench(b, c.text, func(s string) { Analyze(s, c.lang) }) })
	}
}

func BenchmarkFold(b *testing.B) {
	for _, c := range []struct{ name, text string }{{"english", prose}, {"german", proseGerman}, {"chinese", proseChinese}} {
		b.Run(c.name, func(b *testing.B) { bench(b, c.text, func(s string) { Fold(s) }) })
	}
}
