package assay

// Support is what the evidence says of a claim (Self-RAG's IsSup).
type Support string

// The kinds of support.
const (
	Supported           Support = "supported"
	PartiallySupported  Support = "partial"
	Unsupported         Support = "unsupported"
	Contradicted        Support = "contradicted"
	SupportUndetermined Support = "undetermined" // the checker failed, or was never asked
)

// Claim is one statement of an answer and what the evidence says of it.
type Claim struct {
	Text    string  `json:"text"`
	Support Support `json:"support"`
	// Score is the calibrated probability that the evidence supports the claim.
	Score float64 `json:"score"`
	// Citations number the entries of [Answer.Citations] that carry the claim.
	Citations []int `json:"citations"`
}

// Citation points to the text that carries a claim.
type Citation struct {
	N        int    `json:"n"` // from 1
	Document string `json:"document"`
	Title    string `json:"title"`
	Heading  string `json:"heading"`
	// Quote is exactly bytes Start to End of the document's text.
	Quote  string `json:"quote"`
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Origin Origin `json:"origin"`
	// Date is the document's, as YYYY-MM-DD, empty where it states none.
	Date string `json:"date"`
}
