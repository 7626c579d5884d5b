package prompted

import (
	"context"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
)

// Router asks a model whether a question needs the documents, and how much of the
// loop it is worth. Make one with NewRouter; it may be used concurrently.
type Router struct{ model llm.Model }

// NewRouter makes a Router that asks the model.
func NewRouter(m llm.Model) *Router { return &Router{m} }

// routed is the form of a reply on the way of a question.
var routed = schemaOf("route", `{"type":"object","additionalProperties":false,
"required":["small_talk","mode","why"],"properties":{"small_talk":{"type":"boolean"},
"mode":{"type":"string","enum":["standard","full"]},"why":{"type":"string"}}}`)

// routeReply asks for small talk and not whether to retrieve: small models take that
// for whether they know the answer.
type routeReply struct {
	SmallTalk yes   `json:"small_talk"`
	Mode      words `json:"mode"`
	Why       words `json:"why"`
}

// Route implements [assay.Router]. On doubt the question is retrieved for, and in
// full.
func (r *Router) Route(ctx context.Context, q assay.Query) (assay.Route, error) {
	route := assay.Route{Retrieve: true, Mode: assay.ModeFull}
	err := ask(ctx, r.model, routePrompt(q.Question), func(reply routeReply) error {
		route = assay.Route{
			Retrieve: !reply.SmallTalk.value, Mode: assay.ModeFull,
			Why: shortened(strings.Join(strings.Fields(string(reply.Why)), " "), 120),
		}
		if reply.Mode.label() == string(assay.ModeStandard) {
			route.Mode = assay.ModeStandard
		}
		return nil
	})
	return route, wrapped("route", err)
}

// WorstCase implements [assay.Estimator].
func (r *Router) WorstCase(_ string, of assay.Load) assay.Cost {
	return repairedCost(routePrompt(""), of.Question)
}

func routePrompt(question string) prompt {
	return prompt{
		system: render("route.system", nil), user: render("route.user", struct{ Question string }{indented(question)}),
		schema: routed, maxTokens: 120,
	}
}
