package diskcache_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/diskcache"
	"github.com/assay-rag/assay/llm/llmtest"
)

// A second process makes no call for what the first one asked.
func Example() {
	folder, err := os.MkdirTemp("", "cache")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	for range 2 {
		cache, err := diskcache.Open(filepath.Join(folder, "replies.db"), nil)
		if err != nil {
			log.Fatal(err)
		}
		model := &llmtest.Fake{} // which echoes
		reply, err := llm.Ask(context.Background(), llm.Cached(model, cache, "fake"), llm.Request{Prompt: "Is it raining?"})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(reply.Text, "calls:", len(model.Asked()), "cached:", reply.Cached)
		cache.Close()
	}
	// Output:
	// Is it raining? calls: 1 cached: false
	// Is it raining? calls: 0 cached: true
}
