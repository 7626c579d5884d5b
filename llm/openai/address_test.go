package openai

import "testing"

func TestAddresses(t *testing.T) {
	for _, c := range []struct{ written, azure, chat, models string }{
		{"", "", "https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1/models"},
		{"https://api.openai.com", "", "https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1/models"},
		{" https://api.openai.com/v1/ ", "", "https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1/models"},
		{"localhost:11434", "", "http://localhost:11434/v1/chat/completions", "http://localhost:11434/v1/models"},
		{"http://127.0.0.1:8080/", "", "http://127.0.0.1:8080/v1/chat/completions", "http://127.0.0.1:8080/v1/models"},
		{"127.0.0.1:8080/v1", "", "http://127.0.0.1:8080/v1/chat/completions", "http://127.0.0.1:8080/v1/models"},
		{"[::1]:8080", "", "http://[::1]:8080/v1/chat/completions", "http://[::1]:8080/v1/models"},
		{"gpu", "", "http://gpu/v1/chat/completions", "http://gpu/v1/models"},
		{"api.mistral.ai", "", "https://api.mistral.ai/v1/chat/completions", "https://api.mistral.ai/v1/models"},
		{"https://openrouter.ai/api", "", "https://openrouter.ai/api/v1/chat/completions", "https://openrouter.ai/api/v1/models"},
		{"https://generativelanguage.googleapis.com/v1beta/openai/?key=AIzaNot", "", "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions", "https://generativelanguage.googleapis.com/v1beta/openai/models"},
		{"https://api.perplexity.ai/chat/completions", "", "https://api.perplexity.ai/chat/completions", "https://api.perplexity.ai/models"},
		{"http://gpu/v1/chat/completions", "", "http://gpu/v1/chat/completions", "http://gpu/v1/models"},
		{"http://gpu/v1/models", "", "http://gpu/v1/chat/completions", "http://gpu/v1/models"},
		{"http://gpu/llm/v2beta/x", "", "http://gpu/llm/v2beta/x/chat/completions", "http://gpu/llm/v2beta/x/models"},
		{"https://acme.openai.azure.com", "", "https://acme.openai.azure.com/openai/v1/chat/completions", "https://acme.openai.azure.com/openai/v1/models"},
		{"https://acme.openai.azure.com/", "2024-10-21", "https://acme.openai.azure.com/openai/deployments/m/chat/completions?api-version=2024-10-21", "https://acme.openai.azure.com/openai/models?api-version=2024-10-21"},
		{"https://acme.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2024-06-01", "", "https://acme.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2024-06-01", "https://acme.openai.azure.com/openai/models?api-version=2024-06-01"},
	} {
		a, err := newAddress(c.written, c.azure, "m")
		if err != nil {
			t.Errorf("%q: %v", c.written, err)
			continue
		}
		if chat, models := a.to("/chat/completions").String(), a.models().String(); chat != c.chat || models != c.models {
			t.Errorf("%q is\n%s\n%s\nnot\n%s\n%s", c.written, chat, models, c.chat, c.models)
		}
	}
	for _, bad := range []string{"ftp://x", "https://", "http://a b", "://"} {
		if a, err := newAddress(bad, "", "m"); err == nil {
			t.Errorf("%q is taken for %v", bad, a.base)
		}
	}
}
