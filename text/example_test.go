package text_test

import (
	"fmt"

	"github.com/assay-rag/assay/text"
)

func ExampleSentences() {
	s := "Dr. Miller lives in the U.S. and pays $3.50, e.g. for tea. See p. 12.\n- one\n- two"
	for _, p := range text.Sentences(s) {
		fmt.Printf("%q\n", p.Of(s))
	}
	// Output:
	// "Dr. Miller lives in the U.S. and pays $3.50, e.g. for tea."
	// "See p. 12."
	// "- one"
	// "- two"
}

func ExampleWords() {
	s := "Set max_connections to 1,000 (v1.2.3) with --dry-run."
	for _, p := range text.Words(s) {
		fmt.Println(p.Of(s))
	}
	// Output:
	// Set
	// max_connections
	// to
	// 1,000
	// v1.2.3
	// with
	// --dry-run
}

func ExampleAnalyze() {
	for _, t := range text.Analyze("Handled by an http.Handler", "en") {
		fmt.Println(t.Start, t.End, t.Term)
	}
	for _, t := range text.Analyze("東京都", "ja") {
		fmt.Println(t.Start, t.End, t.Term)
	}
	// Output:
	// 0 7 handl
	// 14 26 http.handler
	// 14 18 http
	// 19 26 handler
	// 0 6 東京
	// 3 9 京都
}

func ExampleIsStop() {
	fmt.Println(text.IsStop("the", "en"), text.IsStop("für", "de"), text.IsStop(text.Fold("Für"), "de"))
	// Output: true false true
}

func ExampleDetect() {
	fmt.Printf("%q\n", text.Detect("Wie viele Tage Elternzeit stehen mir zu?"))
	fmt.Printf("%q\n", text.Detect("How many days of parental leave do I get?"))
	fmt.Printf("%q\n", text.Detect("MacBook Pro M3"))
	// Output:
	// "de"
	// "en"
	// ""
}

func ExampleFold() {
	fmt.Println(text.Fold("Ärger in der STRAẞE"))
	// Output: arger in der strasse
}

func ExampleTokens() {
	fmt.Println(text.Tokens("Employees receive 26 weeks of parental leave."))
	// Output: 9
}

func ExampleAlign() {
	s := "Employees receive 26 weeks of parental leave, of which 12 may be taken part-time."
	span, similarity := text.Align("employees receive 26 weeks parental leave", s)
	fmt.Printf("%q %.2f\n", span.Of(s), similarity)
	// Output: "Employees receive 26 weeks of parental leave" 0.97
}
