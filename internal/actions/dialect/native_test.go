package dialect_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
)

// asked lists requests with their dialects, and the calls that each answers.
func asked(requests []actions.Request) string {
	var list []string
	for _, r := range requests {
		list = append(list, strings.TrimSpace(fmt.Sprint(r.Dialect, " ", r.Type, r.Arguments(), " ", strings.Join(r.Calls, "+"))))
	}
	return strings.Join(list, "; ")
}

// TestCallsAreRequests in their order behind those of the text. What several of them ask for is asked for once.
func TestCallsAreRequests(t *testing.T) {
	call := func(id, name, input string) dialect.Call {
		return dialect.Call{ID: id, Name: name, Input: json.RawMessage(input)}
	}
	for _, tt := range []struct {
		name, text string
		calls      []dialect.Call
		want       string
	}{
		{"none", "Hi.", nil, ""},
		{"in order", rememberTea, []dialect.Call{call("1", "taskList", `{}`), call("2", "kick", `{"userId":"1"}`)}, `blocks memoryRemember{"text":"tea"}; native taskList{} 1; native kick{"userId":"1"} 2`},
		{"without input", "", []dialect.Call{call("1", "taskList", ``), call("2", "channelList", " \n"), call("3", "memoryShow", `null`)}, `native taskList{} 1; native channelList{} 2; native memoryShow{} 3`},
		{"the same as a block", rememberTea, []dialect.Call{call("1", "memoryRemember", `{ "text" : "tea" }`)}, `blocks memoryRemember{"text":"tea"} 1`},
		{"the same as a signal", "[REMEMBER:tea]", []dialect.Call{call("1", "memoryRemember", `{"text":"tea"}`)}, `signals memoryRemember{"text":"tea"} 1`},
		{"the same twice", "", []dialect.Call{call("1", "taskList", `{}`), call("2", "taskList", ``)}, `native taskList{} 1+2`},
		{"answered already", rememberTea, []dialect.Call{call("", "taskList", `{}`), call("", "memoryRemember", `{"text":"tea"}`)}, `blocks memoryRemember{"text":"tea"}; native taskList{}`},
		{"another type in its input", "", []dialect.Call{call("1", "taskList", `{"type":"kick"}`)}, `native taskList{} 1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, _ := speaking(t, "", dialect.Names...)
			parsed := p.Parse(tt.text)
			parsed.AddCalls(tt.calls)
			if got := asked(parsed.Requests); got != tt.want || len(parsed.Malformed) > 0 {
				t.Errorf("it asks for\n%s\nand not for\n%s\n%+v", got, tt.want, parsed.Malformed)
			}
		})
	}
}

// TestCallsThatCannotBeReadAreNamed, so that their result can say so.
func TestCallsThatCannotBeReadAreNamed(t *testing.T) {
	p, _ := speaking(t, "", dialect.Names...)
	for _, input := range []string{`{"text":`, `[]`, `"text"`, `1`, `{} {}`} {
		parsed := p.Parse("Hi.")
		parsed.AddCalls([]dialect.Call{{ID: "7", Name: "memoryRemember\nx", Input: json.RawMessage(input)}})
		if len(parsed.Requests) > 0 || len(parsed.Malformed) != 1 || parsed.Malformed[0] != (actions.Malformed{Flaw: actions.NotJSON, Detail: "memoryRemember x: the arguments must be a JSON object", Call: "7"}) {
			t.Errorf("%s: %+v, %+v", input, parsed.Requests, parsed.Malformed)
		}
	}
}

// TestACallIsNoExample: a reply that shows blocks in code and calls something has asked for something. One that calls what it has written out in place
// waits for the result all the same.
func TestACallIsNoExample(t *testing.T) {
	p, _ := speaking(t, "", dialect.Names...)
	for _, text := range []string{"```\n" + rememberTea + "\n```", "Like\n```\n" + rememberTea + "\n```"} {
		parsed := p.Parse(text)
		if !parsed.Fenced && !parsed.Shown {
			t.Fatalf("%q is no example", text)
		}
		if parsed.AddCalls([]dialect.Call{{ID: "1", Name: "taskList"}}); parsed.Fenced || parsed.Shown {
			t.Errorf("%q with a call counts as an example", text)
		}
	}
	parsed := p.Parse("It is [CALCULATE:6*7].")
	if len(parsed.Requests) != 1 || !parsed.Requests[0].Settled {
		t.Fatalf("the signal asks for %+v", parsed.Requests)
	}
	if parsed.AddCalls([]dialect.Call{{ID: "1", Name: "calculate", Input: json.RawMessage(`{"expression":"6*7"}`)}}); len(parsed.Requests) != 1 || parsed.Requests[0].Settled {
		t.Errorf("with a call: %+v", parsed.Requests)
	}
}

// TestCallsAreNotCompleted: a model that calls a function was told all of its fields.
func TestCallsAreNotCompleted(t *testing.T) {
	_, gate := speaking(t, "", dialect.Names...)
	var parsed dialect.Parsed
	parsed.AddCalls([]dialect.Call{{ID: "1", Name: "react", Input: json.RawMessage(`{"emoji":"👍"}`)}})
	if bound := dialect.Bind(gate, chat.Place{Channel: "900100200300400500", Message: "900100200300400501"}, parsed.Requests); bound[0].Arguments() != `{"emoji":"👍"}` || bound[0].Lacks != "" {
		t.Errorf("it became %s", bound[0].Args)
	}
}
