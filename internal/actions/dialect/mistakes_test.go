package dialect_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
)

// TestRealMistakes has shapes of markup that models really produce.
func TestRealMistakes(t *testing.T) {
	block := func(payload string) string { return actions.BlockOpen + payload + actions.BlockClose }
	for _, tt := range []struct {
		name, in string
		types    []string
		text     string
		flaws    []actions.Flaw
	}{
		{"two objects in one block", block(`{"type":"taskList"}{"type":"taskShow"}`), []string{"taskList"}, `{"type":"taskShow"}</discord-action>`, nil},
		{"a list of objects", "Both:" + block(`[{"type":"taskList"},{"type":"taskShow"}]`) + "\nok", nil, "Both:\nok", []actions.Flaw{actions.NoType}},
		{"a fence inside the block", block("```json\n{\"type\":\"taskList\"}\n```"), nil, "", []actions.Flaw{actions.NotJSON}},
		{"the whole block in a fence", "```\n" + block(`{"type":"taskList"}`) + "\n```", nil, "```\n" + block(`{"type":"taskList"}`) + "\n```", nil},
		{"smart quotes", block(`{“type”:“taskList”}`), nil, "", []actions.Flaw{actions.NotJSON}},
		{"Python's constants", block(`{"type":"taskShow","full":True}`), nil, "", []actions.Flaw{actions.NotJSON}},
		{"cut off by the token limit", "I will: " + actions.BlockOpen + `{"type":"taskShow","taskId":"ws-`, nil, "I will:", []actions.Flaw{actions.CutOff}},
		{"the name as a member", block(`{"taskList":{}}`), nil, "", []actions.Flaw{actions.NoType}},
		{"closing tag of another markup", actions.BlockOpen + `{"type":"taskList"}</tool-call>` + "\nSure.", []string{"taskList"}, "Sure.", nil},
		{"markup talked about in prose", "Use " + actions.BlockOpen + " to act.", nil, "Use " + actions.BlockOpen + " to act.", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := dialect.New(accepted, dialect.Blocks())
			got := p.Parse(tt.in)
			var types []string
			for _, r := range got.Requests {
				types = append(types, r.Type)
			}
			var flaws []actions.Flaw
			for _, m := range got.Malformed {
				if m.Detail == "" {
					t.Error("the model is not told what is wrong")
				}
				flaws = append(flaws, m.Flaw)
			}
			if fmt.Sprint(types, flaws) != fmt.Sprint(tt.types, tt.flaws) || got.Text != tt.text {
				t.Errorf("%q\n got %v, %v, %q\nwant %v, %v, %q", tt.in, types, flaws, got.Text, tt.types, tt.flaws, tt.text)
			}
			requireNoMarkup(t, p, tt.in)
		})
	}
}

func TestArgumentsStayAsWritten(t *testing.T) {
	payload := `{ "type": "taskShow", "id": 123456789012345678901, "x": [1.0, null] }`
	got := dialect.New(accepted, dialect.Blocks()).Parse(actions.BlockOpen + payload + actions.BlockClose)
	if len(got.Requests) != 1 || string(got.Requests[0].Args) != payload || !json.Valid(got.Requests[0].Args) {
		t.Errorf("requests %v, want the payload as it was", got.Requests)
	}
}
