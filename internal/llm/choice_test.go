package llm_test

import (
	"testing"

	"discoclaw/internal/llm"
)

func TestOnlyARuntimesNameComesBeforeAModel(t *testing.T) {
	for _, tt := range []struct {
		text string
		want llm.Choice
	}{
		{"gpt-5", llm.Choice{Model: "gpt-5"}},
		{"openai:gpt-5", llm.Choice{Runtime: "openai", Model: "gpt-5"}},
		{"openai:llama3:8b", llm.Choice{Runtime: "openai", Model: "llama3:8b"}},
		{"llama3:8b", llm.Choice{Model: "llama3:8b"}},
		{"OpenAI:gpt-5", llm.Choice{Model: "OpenAI:gpt-5"}},
		{"openai:", llm.Choice{Model: "openai:"}},
		{":gpt-5", llm.Choice{Model: ":gpt-5"}},
		{"openai", llm.Choice{Model: "openai"}},
		{"", llm.Choice{}},
	} {
		got := llm.ParseChoice(tt.text, []string{"other", "openai"})
		if got != tt.want || got.String() != tt.text {
			t.Errorf("%q is read as %#v, want %#v", tt.text, got, tt.want)
		}
	}
}

func TestEachLevelOfToolsHasThoseBeforeIt(t *testing.T) {
	levels := []llm.ToolLevel{llm.ToolsOff, llm.ToolsRead, llm.ToolsWrite, llm.ToolsShell}
	for i, l := range levels {
		for j, other := range levels {
			if l.Allows(other) != (i >= j) {
				t.Errorf("%s allows %s: %v", l, other, i < j)
			}
		}
		if i > 0 && (llm.ToolLevel("").Allows(l) || llm.ToolLevel("all").Allows(l)) {
			t.Errorf("%s is allowed without a level", l)
		}
	}
}
