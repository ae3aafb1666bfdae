package llm_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

var refused = &llm.Error{Kind: llm.Refused, Status: 400}

// pictured is a request with a picture in its first message.
func pictured() llm.Request {
	return llm.Request{Messages: []llm.Message{
		{Role: llm.User, Text: "What is this?", Images: []llm.Image{{Type: "image/png", Data: []byte("cat")}}}, {Role: llm.User, Text: "Well?"},
	}}
}

func TestARequestIsRetriedWithoutFiles(t *testing.T) {
	for name, failure := range map[string]*llm.Error{
		"refused": refused, "too large": {Kind: llm.TooLong, Status: 413}, "no such model with eyes": {Kind: llm.NoSuchModel, Status: 404},
	} {
		t.Run(name, func(t *testing.T) {
			model := script.New(failing(failure), script.Say("I cannot see it."))
			text, err := "", error(nil)
			for event, e := range llm.FilesOptional(model, nil).Invoke(t.Context(), pictured()) {
				if delta, ok := event.(llm.TextDelta); ok {
					text += delta.Text
				}
				err = errors.Join(err, e)
			}
			if text != "I cannot see it." || err != nil {
				t.Errorf("got %q and %v", text, err)
			}
			asked := model.Requests()
			if len(asked) != 2 || len(asked[0].Messages[0].Images) != 1 {
				t.Fatalf("asked %+v", asked)
			}
			again := asked[1].Messages
			if len(again[0].Images) != 0 || !strings.HasPrefix(again[0].Text, "What is this?\n\n(There were pictures") || again[1].Text != "Well?" {
				t.Errorf("retried with %+v", again)
			}
		})
	}
}

// TestARequestIsNotRetriedWithoutFiles after the first event, which is paid for, nor for failures that
// have nothing to do with images.
func TestARequestIsNotRetriedWithoutFiles(t *testing.T) {
	seen := script.Answer{script.Text("A c"), script.Fail(refused)}
	for name, tt := range map[string]struct {
		first script.Answer
		req   llm.Request
	}{
		"some was heard":     {seen, pictured()},
		"no images":          {failing(refused), llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "Hi."}}}},
		"inside a stream":    {failing(&llm.Error{Kind: llm.Refused}), pictured()},
		"out of order":       {failing(unavailable), pictured()},
		"too often":          {failing(limited), pictured()},
		"a wrong key":        {failing(&llm.Error{Kind: llm.Unauthorized, Status: 401}), pictured()},
		"a blocked question": {failing(&llm.Error{Kind: llm.Blocked, Status: 400}), pictured()},
	} {
		t.Run(name, func(t *testing.T) {
			model := script.New(tt.first, script.Say("twice"))
			failed := 0
			for _, err := range llm.FilesOptional(model, nil).Invoke(t.Context(), tt.req) {
				if err != nil {
					failed++
				}
			}
			if failed != 1 || model.Left() != 1 {
				t.Errorf("%d errors, and %d answers are left", failed, model.Left())
			}
		})
	}
}

// TestAModelThatTakesNoToolsIsAskedWithoutThem, once with and from then on without; but not in the middle of using them, not
// for failures that have nothing to do with them, and not about a folder that it could not see.
func TestAModelThatTakesNoToolsIsAskedWithoutThem(t *testing.T) {
	req := llm.Request{Model: "small", Tools: []llm.Tool{{Name: "read_file"}}, Messages: []llm.Message{{Role: llm.User, Text: "Hi."}}}
	model := script.New(failing(refused), script.Say("one"), script.Say("two"), script.Say("three"))
	r := llm.ToolsOptional(model, nil)
	other := req
	other.Model = "large"
	for _, q := range []llm.Request{req, req, other} {
		for _, err := range r.Invoke(t.Context(), q) {
			if err != nil {
				t.Error(err)
			}
		}
	}
	var tools []int
	for _, asked := range model.Requests() {
		tools = append(tools, len(asked.Tools))
	}
	if !slices.Equal(tools, []int{1, 0, 0, 1}) {
		t.Errorf("asked with %v tools", tools)
	}

	using := req
	using.Messages = append(slices.Clone(req.Messages), llm.Message{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: "1", Name: "read_file"}}})
	project := req
	project.Workspace.Root = "/project"
	for name, tt := range map[string]struct {
		req   llm.Request
		first script.Answer
	}{
		"work in a folder":   {project, failing(refused)},
		"while it uses them": {using, failing(refused)},
		"some was heard":     {req, script.Answer{script.Text("A c"), script.Fail(refused)}},
		"out of order":       {req, failing(unavailable)},
		"another server":     {req, failing(&llm.Error{Kind: llm.Refused, Status: 200})},
	} {
		model := script.New(tt.first, script.Say("again"))
		var last error
		for _, err := range llm.ToolsOptional(model, nil).Invoke(t.Context(), tt.req) {
			last = err
		}
		if last == nil || len(model.Requests()) != 1 {
			t.Errorf("%s: %v after %d requests", name, last, len(model.Requests()))
		}
	}

	both := script.New(failing(refused), failing(refused), script.Say("fine"))
	optional := llm.ToolsOptional(both, nil)
	for range 2 {
		for range optional.Invoke(t.Context(), req) {
		}
	}
	if asked := both.Requests(); len(asked) != 3 || len(asked[2].Tools) != 1 {
		t.Error("a refusal for another reason was taken for one of tools")
	}
}
