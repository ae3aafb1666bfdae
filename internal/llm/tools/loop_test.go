package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/llm/tools"
)

func TestWithoutALevelNothingIsAdded(t *testing.T) {
	for _, tt := range []struct {
		name  string
		level llm.ToolLevel
		root  string
	}{{"off", llm.ToolsOff, t.TempDir()}, {"none", "", t.TempDir()}, {"unknown", "everything", t.TempDir()}, {"no workspace", llm.ToolsShell, ""}} {
		t.Run(tt.name, func(t *testing.T) {
			r := loop(t.Context(), tools.Options{Root: tt.root}, at(tt.level), script.Answer{script.Text("a"), script.Call("1", "read_file", `{"file_path":"a"}`)})
			want := []llm.Event{llm.TextDelta{Text: "a"}, llm.ToolCall{ID: "1", Name: "read_file", Input: json.RawMessage(`{"file_path":"a"}`)}}
			if diff := cmp.Diff(want, r.events); diff != "" || r.err != nil || len(r.asked[0].Tools) > 0 {
				t.Errorf("%v, with %d tools (-want +got):\n%s", r.err, len(r.asked[0].Tools), diff)
			}
		})
	}
}

func TestAMissingWorkspaceLeavesTheAnswer(t *testing.T) {
	r := loop(t.Context(), tools.Options{Root: filepath.Join(t.TempDir(), "gone")}, at(llm.ToolsRead), script.Say("hello"))
	if r.text != "hello" || r.err != nil || len(r.asked[0].Tools) > 0 {
		t.Errorf("%q, %v", r.text, r.err)
	}
}

func TestEachLevelOffersItsTools(t *testing.T) {
	reading := []string{"read_file", "list_files", "search_content", "web_fetch"}
	writing := append(reading[:4:4], "write_file", "edit_file")
	for level, want := range map[llm.ToolLevel][]string{llm.ToolsRead: reading, llm.ToolsWrite: writing, llm.ToolsShell: append(writing[:6:6], "bash")} {
		r := loop(t.Context(), tools.Options{Root: workspace(t, map[string]string{"a": "a"})}, at(level), script.Say("hello"))
		var got []string
		for _, tool := range r.asked[0].Tools {
			got = append(got, tool.Name)
			var schema struct {
				Type       string         `json:"type"`
				Properties map[string]any `json:"properties"`
				Required   []string       `json:"required"`
				More       *bool          `json:"additionalProperties"`
			}
			if err := json.Unmarshal(tool.Schema, &schema); err != nil || schema.Type != "object" || schema.More == nil || *schema.More {
				t.Errorf("the schema of %s: %v\n%s", tool.Name, err, tool.Schema)
			}
			for _, name := range schema.Required {
				if schema.Properties[name] == nil {
					t.Errorf("%s requires %s, which it does not describe", tool.Name, name)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("tools of %s (-want +got):\n%s", level, diff)
		}
	}
}

// TestALevelIsALimit has a model call what it was not offered.
func TestALevelIsALimit(t *testing.T) {
	for _, tt := range []struct {
		level llm.ToolLevel
		name  string
		input fields
	}{
		{llm.ToolsRead, "write_file", fields{"file_path": "new", "content": "x"}},
		{llm.ToolsRead, "edit_file", fields{"file_path": "old", "old_string": "old", "new_string": "new"}},
		{llm.ToolsRead, "bash", fields{"command": "touch new"}},
		{llm.ToolsWrite, "bash", fields{"command": "touch new"}},
	} {
		dir := workspace(t, map[string]string{"old": "old"})
		wants(t, call(t, tools.Options{Root: dir}, tt.level, tt.name, tt.input), true, "There is no tool of this name here. These are the tools: read_file, ")
		if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
			t.Errorf("%s ran at level %s", tt.name, tt.level)
		}
		if data, _ := os.ReadFile(filepath.Join(dir, "old")); string(data) != "old" {
			t.Errorf("%s ran at level %s", tt.name, tt.level)
		}
	}
}

func TestTheLoopIsOneAnswer(t *testing.T) {
	dir := workspace(t, map[string]string{"a.txt": "alpha"})
	ask := script.Call("c1", "read_file", `{"file_path":"a.txt"}`)
	r := loop(t.Context(), tools.Options{Root: dir}, at(llm.ToolsRead),
		script.Answer{script.Text("Let me "), script.Text("look."), ask, script.Usage(10, 2)},
		script.Answer{script.Think(), script.Text("It says"), script.Text(" alpha."), script.Usage(20, 3)})
	want := []llm.Event{
		llm.TextDelta{Text: "Let me "}, llm.TextDelta{Text: "look."}, llm.Usage{Input: 10, Output: 2},
		llm.ToolStart{Name: "read_file", About: "a.txt"}, llm.ToolEnd{Name: "read_file"},
		llm.Thinking{}, llm.TextDelta{Text: "\n\nIt says"}, llm.TextDelta{Text: " alpha."}, llm.Usage{Input: 20, Output: 3},
	}
	if diff := cmp.Diff(want, r.events); diff != "" || r.err != nil {
		t.Errorf("%v (-want +got):\n%s", r.err, diff)
	}
	messages := []llm.Message{
		{Role: llm.User, Text: "Please help."},
		{Role: llm.Assistant, Text: "Let me look.", Calls: []llm.ToolCall{{ID: "c1", Name: "read_file", Input: json.RawMessage(`{"file_path":"a.txt"}`)}}},
		{Role: llm.User, Results: []llm.ToolResult{{ID: "c1", Name: "read_file", Text: "alpha"}}},
	}
	if diff := cmp.Diff(messages, r.asked[1].Messages); diff != "" {
		t.Errorf("the second request (-want +got):\n%s", diff)
	}
}

func TestWordsOfTwoRoundsDoNotRunTogether(t *testing.T) {
	for _, tt := range []struct{ first, want string }{{"one", "one\n\ntwo"}, {"one\n", "one\n\ntwo"}, {"one\n\n", "one\n\ntwo"}, {"one\n\n\n", "one\n\n\ntwo"}, {"", "two"}} {
		r := loop(t.Context(), tools.Options{Root: t.TempDir()}, at(llm.ToolsRead),
			script.Answer{script.Text(tt.first), script.Call("1", "list_files", `{"pattern":"*"}`)},
			script.Answer{script.Call("2", "list_files", `{"pattern":"**"}`)},
			script.Answer{script.Text(""), script.Text("two")})
		if r.text != tt.want || r.err != nil {
			t.Errorf("after %q: %q and %v, want %q", tt.first, r.text, r.err, tt.want)
		}
	}
}

func TestMistakesOfTheModelAreExplainedToIt(t *testing.T) {
	o := tools.Options{Root: workspace(t, map[string]string{"a": "a"})}
	for _, tt := range []struct{ name, tool, input, want string }{
		{"unknown tool", "teleport", `{}`, "There is no tool of this name here. These are the tools: read_file, list_files, search_content, web_fetch, write_file, edit_file, bash."},
		{"broken JSON", "read_file", `{"file_path":"a`, "The input does not fit the tool's schema (unexpected EOF). Call it again with a JSON object that does."},
		{"no input", "read_file", ``, "The input does not fit the tool's schema"},
		{"unknown field", "read_file", `{"file_path":"a","lines":3}`, `(unknown field "lines")`},
		{"wrong type", "read_file", `{"file_path":"a","limit":"3"}`, "cannot unmarshal string"},
		{"two objects", "read_file", `{"file_path":"a"}{}`, "there is text after the object"},
		{"no object", "read_file", `[]`, "cannot unmarshal array"},
		{"null", "write_file", `null`, "The content is missing"},
	} {
		t.Run(tt.name, func(t *testing.T) { wants(t, call(t, o, llm.ToolsShell, tt.tool, tt.input), true, tt.want) })
	}
}

// TestToolsForNothingAreNotOffered: they would be paid for in every turn.
func TestToolsForNothingAreNotOffered(t *testing.T) {
	dir := workspace(t, map[string]string{"SOUL.md": "kind", ".hidden": "x"})
	o := tools.Options{Root: dir, Known: []string{"SOUL.md"}}
	names := func(level llm.ToolLevel) int {
		return len(loop(t.Context(), o, at(level), script.Say("hello")).asked[0].Tools)
	}
	if n := names(llm.ToolsRead); n != 1 {
		t.Errorf("%d tools for a workspace with nothing to read", n)
	}
	if n := names(llm.ToolsWrite); n != 6 {
		t.Errorf("%d tools for writing", n)
	}
	put(t, filepath.Join(dir, "handbook.md"), "Lunch is at noon.")
	if n := names(llm.ToolsRead); n != 4 {
		t.Errorf("%d tools for a workspace with something to read", n)
	}
}

func TestHiddenFilesAreNotForReaders(t *testing.T) {
	o := tools.Options{Root: workspace(t, map[string]string{".netrc": "canary", ".config/x": "canary", "handbook.md": "Lunch", "server.key": "canary"})}
	for _, name := range []string{".netrc", ".config/x", "server.key"} {
		wants(t, call(t, o, llm.ToolsRead, "read_file", fields{"file_path": name}), true, "off limits")
	}
	wants(t, call(t, o, llm.ToolsRead, "read_file", fields{"file_path": "handbook.md"}), false, "Lunch")
	wants(t, call(t, o, llm.ToolsWrite, "read_file", fields{"file_path": ".config/x"}), false, "canary")
}

// TestCallsOfTheConsumerArePassedOn, also those of tools that do not exist: whoever offers tools says why one is not there. They end the loop.
func TestCallsOfTheConsumerArePassedOn(t *testing.T) {
	req := at(llm.ToolsRead)
	req.Tools = []llm.Tool{{Name: "ban"}}
	r := loop(t.Context(), tools.Options{Root: workspace(t, map[string]string{"a": "a"})}, req,
		script.Answer{script.Text("Bye."), script.Call("1", "ban", `{}`), script.Call("2", "kick", `{`)})
	want := []llm.Event{
		llm.TextDelta{Text: "Bye."}, llm.ToolCall{ID: "1", Name: "ban", Input: json.RawMessage(`{}`)}, llm.ToolCall{ID: "2", Name: "kick", Input: json.RawMessage(`{`)},
	}
	if diff := cmp.Diff(want, r.events); diff != "" || r.err != nil || len(r.asked[0].Tools) != 5 {
		t.Errorf("%v (-want +got):\n%s", r.err, diff)
	}
}

// TestCallsOfBothKindsAreAllAnswered: our tools run at once, and those of the consumer are passed on and count as noted. Each call has one result,
// in the order of the calls, or vendors would refuse to go on; what has one here has no ID for the consumer.
func TestCallsOfBothKindsAreAllAnswered(t *testing.T) {
	req := at(llm.ToolsRead)
	req.Tools = []llm.Tool{{Name: "ban"}, {Name: "pin"}}
	req.Plain = &llm.Request{System: "plain"}
	r := loop(t.Context(), tools.Options{Root: workspace(t, map[string]string{"a": "alpha"})}, req,
		script.Answer{script.Event(llm.ToolCall{ID: "1", Name: "ban", Input: json.RawMessage(`{}`), Seal: []byte("sealed")}), script.Call("2", "read_file", `{"file_path":"a"}`), script.Call("3", "pin", `{"x":1}`)},
		script.Answer{script.Text("It says alpha."), script.Call("4", "pin", `{"x":2}`)})
	want := []llm.Event{
		llm.ToolCall{Name: "ban", Input: json.RawMessage(`{}`)}, llm.ToolCall{Name: "pin", Input: json.RawMessage(`{"x":1}`)},
		llm.ToolStart{Name: "read_file", About: "a"}, llm.ToolEnd{Name: "read_file"},
		llm.TextDelta{Text: "It says alpha."}, llm.ToolCall{ID: "4", Name: "pin", Input: json.RawMessage(`{"x":2}`)},
	}
	if diff := cmp.Diff(want, r.events); diff != "" || r.err != nil || len(r.asked) != 2 {
		t.Fatalf("%v (-want +got):\n%s", r.err, diff)
	}
	var got []string
	for _, result := range r.results(0) {
		got = append(got, fmt.Sprintf("%s %s %.6s %v", result.ID, result.Name, result.Text, result.Failed))
	}
	if diff := cmp.Diff([]string{"1 ban Noted. false", "2 read_file alpha false", "3 pin Noted. false"}, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if r.asked[0].Plain == nil || r.asked[1].Plain != nil {
		t.Error("the request in other words lacks what was called, and must be gone then")
	}
}

func TestRoundsAreLimited(t *testing.T) {
	var answers []script.Answer
	for i := range 30 {
		answers = append(answers, script.Answer{script.Call("1", "list_files", fmt.Sprintf(`{"pattern":"%d"}`, i))})
	}
	r := loop(t.Context(), tools.Options{Root: t.TempDir()}, at(llm.ToolsRead), answers...)
	requireBroken(t, r.err, "the answer from the model broke off; it used tools 25 times in a row without coming to an answer; ask for less at a time")
	if len(r.asked) != 25 {
		t.Errorf("it was asked %d times", len(r.asked))
	}
}

func requireBroken(t *testing.T, err error, want string) {
	t.Helper()
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Kind != llm.Broken || e.Error() != want || !strings.Contains(e.ForMembers(), "circles") {
		t.Errorf("it ended with %v, want %s", err, want)
	}
}

func TestTheSameCallAgainAndAgainIsStopped(t *testing.T) {
	dir := workspace(t, map[string]string{"a": "alpha"})
	same := func() script.Answer { return script.Answer{script.Call("1", "read_file", `{"file_path": "a"}`)} }
	r := loop(t.Context(), tools.Options{Root: dir}, at(llm.ToolsRead), same(), same(), script.Answer{script.Call("1", "read_file", `{"file_path":"a"}`)}, same(), same(), same())
	for i, want := range []string{"alpha", "alpha", "You have already made this call", "You have already made this call"} {
		wants(t, r.results(i)[0], i >= 2, want)
	}
	requireBroken(t, r.err, "the answer from the model broke off; it called the tool read_file with the same input 5 times in a row; ask in other words")
	if len(r.asked) != 5 {
		t.Errorf("it was asked %d times", len(r.asked))
	}

	other := script.Answer{script.Call("1", "list_files", `{"pattern":"*"}`)}
	r = loop(t.Context(), tools.Options{Root: dir}, at(llm.ToolsRead), same(), same(), other, same(), same(), other, script.Say("done"))
	if r.err != nil || r.results(4)[0].Failed {
		t.Errorf("calls with others between them: %v, %v", r.err, r.results(4))
	}
}

func TestOutputIsLimited(t *testing.T) {
	line := strings.Repeat("é", 250) + "\n"
	long := strings.Repeat(line, 1<<20/len(line)/2)
	dir := workspace(t, map[string]string{"long": long, "one": strings.Repeat("x", 500_000)})
	o := tools.Options{Root: dir}
	got := call(t, o, llm.ToolsRead, "read_file", fields{"file_path": "long"})
	wants(t, got, false, "(These are lines 1 to 128 of 1046. Read on with offset 129.)")
	got = call(t, o, llm.ToolsRead, "read_file", fields{"file_path": "one"})
	wants(t, got, false, "x\n… (434464 bytes left out) …\nx")
	if len(got.Text) > 64<<10+100 {
		t.Errorf("a result has %d bytes", len(got.Text))
	}

	var answers []script.Answer
	for i := range 20 {
		answers = append(answers, script.Answer{script.Call("1", "read_file", fmt.Sprintf(`{"file_path":"one","limit":%d}`, i+1))})
	}
	r := loop(t.Context(), o, at(llm.ToolsRead), append(answers, script.Say("done"))...)
	total := 0
	for i := range answers {
		total += len(r.results(i)[0].Text)
	}
	if total > 1<<20+20*100 || r.err != nil {
		t.Errorf("all results have %d bytes; %v", total, r.err)
	}
	wants(t, r.results(19)[0], true, "The tools have returned all that fits into one answer. Answer with what you have.")
}

func TestCallsOfOneAnswerRunInOrder(t *testing.T) {
	dir := workspace(t, map[string]string{"a": "old"})
	read := func(id string) script.Step { return script.Call(id, "read_file", `{"file_path":"a"}`) }
	list := script.Call("l", "list_files", `{"pattern":"*"}`)
	write := func(id, text string) script.Step {
		return script.Call(id, "write_file", fmt.Sprintf(`{"file_path":"a","content":%q}`, text))
	}
	r := loop(t.Context(), tools.Options{Root: dir}, at(llm.ToolsWrite),
		script.Answer{read("1"), list, write("2", "new"), read("3"), list, write("4", "newer"), write("5", "newest"), read("6")}, script.Say("done"))
	var got []string
	for _, result := range r.results(0) {
		got = append(got, result.ID+" "+result.Text)
	}
	want := []string{"1 old", "l a", "2 Wrote 3 bytes.", "3 new", "l a", "4 Wrote 5 bytes.", "5 Wrote 6 bytes.", "6 newest"}
	if diff := cmp.Diff(want, got); diff != "" || r.err != nil {
		t.Errorf("%v (-want +got):\n%s", r.err, diff)
	}
}

func TestErrorsOfTheModelEndTheLoop(t *testing.T) {
	broken := &llm.Error{Kind: llm.Broken}
	call := script.Call("1", "list_files", `{"pattern":"*"}`)
	r := loop(t.Context(), tools.Options{Root: t.TempDir()}, at(llm.ToolsRead), script.Answer{call, script.Fail(broken)}, script.Say("no"))
	if r.err != broken || len(r.asked) != 1 {
		t.Errorf("%v after %d requests", r.err, len(r.asked))
	}
	r = loop(t.Context(), tools.Options{Root: t.TempDir()}, at(llm.ToolsRead), script.Answer{call}, script.Answer{script.Fail(broken)})
	if r.err != broken || len(r.asked) != 2 {
		t.Errorf("%v after %d requests", r.err, len(r.asked))
	}
}

func TestLeavingAtAnyEventIsFine(t *testing.T) {
	dir := workspace(t, map[string]string{"a": "a"})
	for leave := range 7 {
		model := script.New(script.Answer{script.Text("x"), script.Call("1", "read_file", `{"file_path":"a"}`), script.Call("2", "list_files", `{"pattern":"*"}`)}, script.Answer{script.Text("y")})
		n := 0
		for range tools.Looped(model, tools.Options{Root: dir}).Invoke(t.Context(), at(llm.ToolsRead)) {
			if n++; n > leave {
				break
			}
		}
		if n != min(leave+1, 6) {
			t.Errorf("%d events instead of %d", n, leave+1)
		}
	}
}

func TestACancelledLoopEnds(t *testing.T) {
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	model := script.New(script.Answer{script.Call("1", "list_files", `{"pattern":"*"}`)}, script.Say("no"))
	var last error
	for event, err := range tools.Looped(model, tools.Options{Root: workspace(t, map[string]string{"a": "a"})}).Invoke(ctx, at(llm.ToolsRead)) {
		if _, ok := event.(llm.ToolStart); ok {
			cancel(stopped)
		} else if err == nil {
			t.Errorf("an event after the end: %#v", event)
		}
		last = err
	}
	if last != stopped || len(model.Requests()) != 1 {
		t.Errorf("%v after %d requests", last, len(model.Requests()))
	}
}

func TestOneAnswerHasSoManyCalls(t *testing.T) {
	var answer script.Answer
	for i := range 30 {
		answer = append(answer, script.Call(fmt.Sprint(i), "read_file", fmt.Sprintf(`{"file_path":"a","limit":%d}`, i+1)))
	}
	r := loop(t.Context(), tools.Options{Root: workspace(t, map[string]string{"a": "alpha"})}, at(llm.ToolsRead), answer, script.Say("done"))
	wants(t, r.results(0)[19], false, "alpha")
	wants(t, r.results(0)[20], true, "One answer has 20 calls at most.")
}

// TestCostlyPatternsAreRefused: each character of a text would take a processor long.
func TestCostlyPatternsAreRefused(t *testing.T) {
	o := tools.Options{Root: workspace(t, map[string]string{"a": strings.Repeat("a", 5000) + "needle"})}
	wants(t, call(t, o, llm.ToolsRead, "search_content", fields{"pattern": strings.Repeat("(a{0,1000})", 30)}), true, "takes too much work")
	wants(t, call(t, o, llm.ToolsRead, "search_content", fields{"pattern": "(?:a{0,100}){1,3}x|aaa"}), false, "a:1:")
	wants(t, call(t, o, llm.ToolsRead, "search_content", fields{"pattern": "needle"}), false, "No matches")
}
