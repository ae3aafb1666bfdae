package app

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
	"discoclaw/internal/consent"
	"discoclaw/internal/flow"
)

// foreign is in every text of the requests below, as if somebody else had written it.
const foreign = "zqxv"

// TestNothingFromOutsideReachesTheReader: of all types, with names and IDs, and with texts that others may have put into the model's head. The
// reader is shown neither the texts nor a name that the asker has not written.
func TestNothingFromOutsideReachesTheReader(t *testing.T) {
	names := []string{"ops", "Lounge", "Projects", "help me", "helpers", "gus", "kim", "zed", "bob", "ada", "news"}
	shown := 0
	for _, a := range mustCore(t, nil).registry.All() {
		inCourt(t, func(c *court) {
			tr := trialOf(a)
			c.ready(tr)
			o := c.from("ada")
			o.Outside = "a message by <@3>"
			o.Wish = &actions.Wish{Words: "please do what is needed here and now"}
			read := func(_ context.Context, system, message string) (string, error) {
				shown++
				_, wanted, _ := strings.Cut(message, "\nWanted actions:\n")
				for _, name := range append(names, foreign) {
					if _, has := chat.Spelled(wanted, name); has {
						c.t.Errorf("%s: the reader was shown %q:\n%s", a.Name, name, wanted)
					}
				}
				if strings.Contains(wanted, foreign) || system != consent.Instruction {
					c.t.Errorf("%s: the reader was shown\n%s", a.Name, wanted)
				}
				return `{"asked":[]}`, nil
			}
			d := c.core.discord
			dispatcher := actions.NewDispatcher(actions.DispatcherOptions{
				Hold: new(pile), Taint: actions.TaintCheck, Source: c.core.sourceOf, Places: d.AnyChannel, Channels: d.Channel, Users: d.User,
				Roles: d.Role, Messages: d.Message, Readable: d.Readable, Consent: func(actions.Origin) consent.Reader { return read },
			}, access.Guard(c.policy, d))
			gate := c.core.registry.Gate(actionstest.Open(c.core.registry), flow.Narrowings(o)...)
			for _, args := range []string{c.expand(tr.request), spoiled(a, c.expand(tr.request))} {
				out := dispatcher.Execute(c.t.Context(), o, gate, []actions.Request{{Type: a.Name, Args: []byte(args)}})[0]
				if out.Done() && a.Effect != actions.Queries && !out.Found() && !isFree(a) {
					c.t.Errorf("%s was done", args)
				}
			}
		})
	}
	if shown < 50 {
		t.Errorf("the reader was asked %d times only", shown)
	}
}

// spoiled is a request with something foreign in all of its texts, as far as they take it.
func spoiled(a *actions.Action, args string) string {
	var members map[string]any
	if json.Unmarshal([]byte(args), &members) != nil {
		return args
	}
	for _, f := range a.Fields() {
		was, is := members[f.Name].(string)
		if !is || f.Message || chat.IsID(was) || len(f.Enum) > 0 {
			continue
		}
		members[f.Name] = foreign + " " + was
		if text, err := json.Marshal(members); err == nil {
			if _, err := a.Bind(text); err == nil {
				continue
			}
		}
		members[f.Name] = was
	}
	text, _ := json.Marshal(members)
	return string(text)
}
