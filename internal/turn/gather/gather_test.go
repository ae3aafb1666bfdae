package gather

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/turn/prompt"
)

// TestPartsTellWhatTheyKnowOfTheRequester: a part that fails, or has nothing to tell, does not stop the others. Another bot is told nothing.
func TestPartsTellWhatTheyKnowOfTheRequester(t *testing.T) {
	var asked []string
	likes := Func(func(_ context.Context, o actions.Origin, about string) (prompt.Known, error) {
		asked = append(asked, string(o.Requester)+": "+about)
		return prompt.Known{Heading: "Notes:", Text: string(o.Requester) + " likes tea"}, nil
	})
	fails := Func(func(context.Context, actions.Origin, string) (prompt.Known, error) {
		return prompt.Known{}, errors.New("a page is missing")
	})
	empty := Func(func(context.Context, actions.Origin, string) (prompt.Known, error) {
		return prompt.Known{Heading: "Tasks:"}, nil
	})
	g := New(Options{Knowledge: []Informer{fails, empty, likes}, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}, &Self{})
	for _, who := range []chat.UserID{"ada", "bob", ""} {
		var s prompt.Setting
		g.inform(t.Context(), &s, Request{Origin: actions.Origin{Requester: who}, Text: "what shall I drink?"})
		var want []prompt.Known
		if who != "" {
			want = []prompt.Known{{Heading: "Notes:", Text: string(who) + " likes tea"}}
		}
		if !slices.Equal(s.Known, want) {
			t.Errorf("%q: %+v, want %+v", who, s.Known, want)
		}
	}
	if want := []string{"ada: what shall I drink?", "bob: what shall I drink?"}; !slices.Equal(asked, want) {
		t.Errorf("it was asked %q, want %q", asked, want)
	}
}
