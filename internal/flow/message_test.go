package flow

import (
	"slices"
	"testing"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
)

// TestGuardsOfMessages: the order is a rule, since the first guard that objects
// decides what is logged and, later, what is answered.
func TestGuardsOfMessages(t *testing.T) {
	var names []string
	for _, g := range messageGuards {
		names = append(names, g.name)
	}
	if want := []string{"own message", "kind", "access", "content"}; !slices.Equal(names, want) {
		t.Errorf("the guards are %q, want %q", names, want)
	}
	f := &Flows{Options: Options{Access: access.Policy{Users: []chat.UserID{"ada", "bot"}}}}
	f.Ready(chat.User{ID: "bot"})
	in := chat.Place{Guild: "1", Channel: "2"}
	ada := chat.User{ID: "ada"}
	for _, tt := range []struct {
		name    string
		message chat.Message
		objects string // the guard; empty if none does
	}{
		{"a message", chat.Message{Place: in, Author: ada, Text: "hi"}, ""},
		{"a file without words", chat.Message{Place: in, Author: ada, Attachments: []chat.Attachment{{}}}, ""},
		{"the bot's own, even if it is on the list", chat.Message{Place: in, Author: chat.User{ID: "bot"}, Text: "hi"}, "own message"},
		{"a notice about somebody on the list", chat.Message{Place: in, Author: ada, Text: "hi", System: true}, "kind"},
		{"a stranger", chat.Message{Place: in, Author: chat.User{ID: "zed"}, Text: "hi"}, "access"},
		{"a stranger with nothing to say", chat.Message{Place: in, Author: chat.User{ID: "zed"}}, "access"},
		{"another bot", chat.Message{Place: in, Author: chat.User{ID: "ada", Bot: true}, Text: "hi"}, "access"},
		{"a webhook that calls itself ada", chat.Message{Place: in, Author: ada, Webhook: true, Text: "hi"}, "access"},
		{"nothing", chat.Message{Place: in, Author: ada, Text: " \n"}, "content"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			objects := ""
			for _, g := range messageGuards {
				if g.objects(f, access.ByMessage, tt.message) != access.Admitted {
					objects = g.name
					break
				}
			}
			if objects != tt.objects {
				t.Errorf("%q objects, want %q", objects, tt.objects)
			}
		})
	}
}

func TestSeenForgetsTheOldest(t *testing.T) {
	var s seen[int]
	for i := range mostSeen + 10 {
		if !s.add(i) || s.add(i) {
			t.Fatalf("%d", i)
		}
	}
	if !s.add(3) || s.add(mostSeen) || len(s.known) != mostSeen || len(s.order) != mostSeen {
		t.Errorf("%d known, %d in order", len(s.known), len(s.order))
	}
	s.remove(mostSeen)
	s.remove(mostSeen + 1000)
	if len(s.known) != mostSeen-1 || len(s.order) != mostSeen-1 || !s.add(mostSeen) {
		t.Errorf("%d known, %d in order after one was removed", len(s.known), len(s.order))
	}
}
