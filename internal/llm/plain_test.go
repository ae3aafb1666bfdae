package llm_test

import (
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

// inBothForms is a request that has called a tool, and its plain form.
func inBothForms() llm.Request {
	picture := []llm.Image{{Type: "image/png", Data: []byte("cat")}}
	return llm.Request{
		Model: "small", System: "Call the functions.", Stable: 4, Tools: []llm.Tool{{Name: "ban"}}, Payer: llm.Payer{User: "ada"},
		Messages: []llm.Message{
			{Role: llm.User, Text: "Hi.", Images: picture}, {Role: llm.Assistant, Calls: []llm.ToolCall{{ID: "1", Name: "ban"}}},
			{Role: llm.User, Results: []llm.ToolResult{{ID: "1", Name: "ban", Text: "Done."}}},
		},
		Plain: &llm.Request{System: "Write blocks.", Stable: 5, Sections: []llm.Section{{Name: "actions", Bytes: 5}}, Messages: []llm.Message{{Role: llm.User, Text: "Hi.", Images: picture}, {Role: llm.Assistant, Text: "<ban>"}, {Role: llm.User, Text: "Done."}}},
	}
}

// heard streams an answer, and returns its events without an error.
func heard(t *testing.T, r llm.Runtime, req llm.Request) (events []llm.Event) {
	t.Helper()
	for event, err := range r.Invoke(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, event)
	}
	return events
}

func requirePlain(t *testing.T, asked llm.Request) {
	t.Helper()
	plain := asked.System == "Write blocks." && asked.Stable == 5 && len(asked.Sections) == 1 && len(asked.Tools) == 0 && asked.Plain == nil && asked.Messages[1].Text == "<ban>"
	if !plain || asked.Model != "small" || asked.Payer.User != "ada" {
		t.Errorf("asked %+v", asked)
	}
}

// TestARuntimeWithoutToolsIsAskedPlainly, and says so before all else. A request without such words stays as it is.
func TestARuntimeWithoutToolsIsAskedPlainly(t *testing.T) {
	model := script.New(script.Answer{script.Event(llm.Queued{}), script.Text("one")}, script.Say("two"), failing(unavailable))
	r := llm.ToolsLeftOut(model)
	if got := heard(t, r, inBothForms()); !slices.Equal(got, []llm.Event{llm.Queued{}, llm.ToolsDropped{}, llm.TextDelta{Text: "one"}}) {
		t.Errorf("heard %+v", got)
	}
	requirePlain(t, model.Requests()[0])
	other := llm.Request{Tools: []llm.Tool{{Name: "read_file"}}}
	if got := heard(t, r, other); len(got) != 1 || len(model.Requests()[1].Tools) != 1 {
		t.Errorf("heard %+v", got)
	}
	for event, err := range r.Invoke(t.Context(), inBothForms()) {
		if event != nil || err != unavailable {
			t.Errorf("a failure begins with %v, %v", event, err)
		}
	}
}

// TestAModelThatRefusesToolsIsAskedPlainly also in the middle of using them, and remembered, unless it was only too much for it.
func TestAModelThatRefusesToolsIsAskedPlainly(t *testing.T) {
	for name, tt := range map[string]struct {
		failure *llm.Error
		again   int // tools that it is offered the next time
	}{"refused": {refused, 0}, "too long": {&llm.Error{Kind: llm.TooLong, Status: 400}, 1}} {
		t.Run(name, func(t *testing.T) {
			model := script.New(failing(tt.failure), script.Say("one"), script.Say("two"))
			r := llm.ToolsOptional(model, nil)
			if got := heard(t, r, inBothForms()); !slices.Equal(got, []llm.Event{llm.ToolsDropped{}, llm.TextDelta{Text: "one"}}) {
				t.Errorf("heard %+v", got)
			}
			requirePlain(t, model.Requests()[1])
			got := heard(t, r, inBothForms())
			if n := len(model.Requests()[2].Tools); n != tt.again || (got[0] == llm.Event(llm.ToolsDropped{})) != (tt.again == 0) {
				t.Errorf("then offered %d tools, and heard %+v", n, got)
			}
		})
	}
}

// TestFilesAreLeftOutOfBothForms, and the original keeps them.
func TestFilesAreLeftOutOfBothForms(t *testing.T) {
	req := inBothForms()
	bare, had := req.WithoutFiles("(gone)")
	for _, r := range []llm.Request{bare, bare.WithoutTools()} {
		if m := r.Messages[0]; !had || len(m.Images) > 0 || !strings.HasSuffix(m.Text, "(gone)") {
			t.Errorf("left is %+v", m)
		}
	}
	if len(req.Plain.Messages[0].Images) != 1 || len(req.Messages[0].Images) != 1 {
		t.Error("the original has lost its files")
	}
}

func TestAChangeIsMadeInBothForms(t *testing.T) {
	req := inBothForms()
	changed := req.InBoth(func(r *llm.Request) { r.System += " Now." })
	if changed.System != "Call the functions. Now." || changed.Plain.System != "Write blocks. Now." || req.Plain.System != "Write blocks." {
		t.Errorf("%q and %q, before %q", changed.System, changed.Plain.System, req.Plain.System)
	}
}
