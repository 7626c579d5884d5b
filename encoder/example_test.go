package encoder_test

import (
	"context"
	"fmt"

	"github.com/assay-rag/assay/encoder"
	"github.com/assay-rag/assay/encoder/minilm"
)

// Vectors of passages are compared with that of a question by their product.
func ExampleEncoder_EmbedPassages() {
	e, err := encoder.Load(minilm.Source(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	passages := []string{"Desks are booked in the app.", "New parents may stay at home for 26 weeks.", "The canteen opens at eleven."}
	vectors, err := e.EmbedPassages(ctx, passages)
	if err != nil {
		fmt.Println(err)
		return
	}
	question, err := e.EmbedQuery(ctx, "How long is maternity leave?")
	if err != nil {
		fmt.Println(err)
		return
	}
	best, most := 0, float32(-1)
	for i, v := range vectors {
		var product float32
		for j := range v {
			product += v[j] * question[j]
		}
		if product > most {
			best, most = i, product
		}
	}
	fmt.Println(passages[best])
	// Output: New parents may stay at home for 26 weeks.
}
