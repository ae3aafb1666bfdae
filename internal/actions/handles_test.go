package actions_test

import (
	"context"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
)

type noted struct {
	Message chat.MessageRef `json:"messageId" alias:"message" doc:"A message."`
	Channel chat.ChannelRef `json:"channel,omitempty" doc:"A channel."`
	Text    string          `json:"text,omitempty" doc:"Read later."`
	Say     string          `json:"say,omitempty" doc:"Read now."`
}

// TestHandlesInRequestsBecomeLinks where a field takes a message, and in what is stored.
func TestHandlesInRequestsBecomeLinks(t *testing.T) {
	t.Parallel()
	note := actions.Define(actions.Spec[noted]{
		Name: "note", Summary: "Note it.", Stores: []string{"text"}, Examples: []noted{{Message: chat.Last}},
		Do: func(context.Context, actions.Call, noted) (actions.Result, error) { return actions.Result{}, nil },
	})
	reg := actionstest.Registry(t, actionstest.Category{Called: "notes", List: []*actions.Action{note}})
	var h chat.Handles
	h.Of(chat.Place{Guild: "1", Channel: "2", Message: "3"})
	const link = "https://discord.com/channels/1/2/3"
	for in, want := range map[string]string{
		`{"type":"note","messageId":"m1","channel":"m1","text":"see m1 & m2","say":"m1"}`: `{"channel":"m1","messageId":"` + link + `","say":"m1","text":"see ` + link + ` & m2","type":"note"}`,
		`{"type":"note","message":"M1"}`:                `{"message":"` + link + `","type":"note"}`,
		`{"type":"note", "messageId":"m2","text":"m3"}`: `{"type":"note", "messageId":"m2","text":"m3"}`,
		`{"type":"note","messageId":{"id":"m1"}}`:       `{"type":"note","messageId":{"id":"m1"}}`,
		`["m1"]`: `["m1"]`,
	} {
		req := []actions.Request{{Type: "note", Args: []byte(in)}}
		if got := reg.Gate(nil).Linked(req, &h)[0].Args; string(got) != want {
			t.Errorf("%s is %s", in, got)
		}
		if string(req[0].Args) != in {
			t.Errorf("the request itself was changed: %s", req[0].Args)
		}
	}
}
