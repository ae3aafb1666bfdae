package dialect_test

import (
	"context"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
)

// target has the fields that requests of dialects leave out.
type target struct {
	Channel string `json:"channelId,omitempty" alias:"channel" doc:"Where."`
	Message string `json:"messageId" alias:"message" doc:"Which."`
	Emoji   string `json:"emoji,omitempty" doc:"What."`
}

type place struct {
	Channel string `json:"channel" doc:"Where."`
}

type note struct {
	Text       string `json:"text" doc:"What."`
	Importance int    `json:"importance,omitempty" doc:"How much."`
}

func defined[T any](name string, example T) *actions.Action {
	return actions.Define(actions.Spec[T]{
		Name: name, Summary: "Do something.", Examples: []T{example},
		Do: func(context.Context, actions.Call, T) (actions.Result, error) { return actions.Result{}, nil },
	})
}

func TestBind(t *testing.T) {
	reg := actionstest.Registry(t, actionstest.Category{Called: "c", List: []*actions.Action{
		defined("react", target{Channel: "a", Message: "1"}), defined("deleteMessage", target{Channel: "a", Message: "1"}),
		defined("readMessages", place{Channel: "a"}), defined("memoryRemember", note{Text: "a"}),
	}})
	gate := reg.Gate(actionstest.Open(reg))
	list, err := dialect.Options{Named: reg.Named, Setting: "all"}.List()
	if err != nil {
		t.Fatal(err)
	}
	here := chat.Place{Channel: "900100200300400500", Message: "900100200300400501"}
	for _, tt := range []struct{ name, in, want string }{
		{"the message that is answered", "[LIKE]", `{"channelId":"900100200300400500","emoji":"👍","messageId":"900100200300400501","type":"react"}`},
		{"another one here", `<actions><react emoji="x" message="900100200300400502"/></actions>`, `{"channelId":"900100200300400500","emoji":"❌","messageId":"900100200300400502","type":"react"}`},
		{"a handle, which has its channel", `<actions><react emoji="x" message="m2"/></actions>`, `{"emoji":"❌","messageId":"m2","type":"react"}`},
		{"the last one", "[EXECUTE:delete_last_message]", `{"channelId":"900100200300400500","messageId":"last","type":"deleteMessage"}`},
		{"the channel", "[COMMAND:read_channel]", `{"channel":"900100200300400500","type":"readMessages"}`},
		{"what must not be forgotten", "[REMEMBER:tea]", `{"importance":3,"text":"tea","type":"memoryRemember"}`},
		{"another name of the channel", `{"user":"Bo","text":"","action":"REACT","emoji":"x","channel":"ops"}`, `{"channel":"ops","emoji":"❌","messageId":"900100200300400501","type":"react"}`},
		{"a block as it is", actions.BlockOpen + `{"type":"react","emoji":"x"}` + actions.BlockClose, `{"type":"react","emoji":"x"}`},
	} {
		try, _ := gate.Split(list.Parser(gate).Parse(tt.in).Requests)
		if bound := dialect.Bind(gate, here, try); len(bound) != 1 || string(bound[0].Args) != tt.want {
			t.Errorf("%s: %+v, want %s", tt.name, bound, tt.want)
		}
	}
}

// TestWithoutAMessageNothingIsDoneToIt: a scheduled job, a deferred run and a voice turn answer no message. The
// channel is no reason to take another one.
func TestWithoutAMessageNothingIsDoneToIt(t *testing.T) {
	reg := actionstest.Registry(t, actionstest.Category{Called: "c", List: []*actions.Action{
		defined("react", target{Channel: "a", Message: "1"}), defined("deleteMessage", target{Channel: "a", Message: "1"}), defined("readMessages", place{Channel: "a"}),
	}})
	gate := reg.Gate(actionstest.Open(reg))
	list, err := dialect.Options{Named: reg.Named, Setting: "all"}.List()
	if err != nil {
		t.Fatal(err)
	}
	const lacks = "Failed: there is no message to act on here"
	for in, want := range map[string]string{
		`{"user":"Bo","text":"","action":"REACT","emoji":"x"}`:                 lacks,
		`{"user":"Bo","text":"","action":"deleteMessage"}`:                     lacks,
		`[EXECUTE:delete_last_message]`:                                        "Done: ",
		`[COMMAND:read_messages]`:                                              "Done: ",
		`<actions><react emoji="x" message="900100200300400502"/></actions>ok`: "", // quiet
	} {
		try, _ := gate.Split(list.Parser(gate).Parse(in).Requests)
		bound := dialect.Bind(gate, chat.Place{Channel: "900100200300400500"}, try)
		outs := actions.NewDispatcher(actions.DispatcherOptions{}, actionstest.Vouch).Execute(t.Context(), actions.Origin{}, gate, bound)
		if got := strings.Join(actions.Lines(outs), "\n"); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	try, _ := gate.Split(list.Parser(gate).Parse("[LIKE]").Requests)
	outs := actions.NewDispatcher(actions.DispatcherOptions{}, actionstest.Vouch).Execute(t.Context(), actions.Origin{}, gate, dialect.Bind(gate, chat.Place{}, try))
	if lines := actions.Lines(outs); len(lines) > 0 || outs[0].Told() != "Failed: react: there is no message to act on here" {
		t.Errorf("a reaction says %q to people and %q to the model", lines, outs[0].Told())
	}
}
