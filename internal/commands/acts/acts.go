// Package acts runs the actions that commands ask for, by a way of their own: with the rights of the command's author, without the
// switches that keep models from a category.
package acts

import (
	"context"
	"strings"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/journal"
)

// A Runner runs actions for commands.
type Runner struct {
	Registry   *actions.Registry
	Flags      actions.CategoryFlags // see [actions.ForCommands]
	Dispatcher *actions.Dispatcher
	Journal    *journal.Journal
	NewTurn    func() chat.TurnID
	// Readable reports whether everybody who sees a channel may read another as well.
	Readable func(ctx context.Context, g chat.GuildID, here, source chat.ChannelID) (bool, error)
}

// Fields implements [commands.Actor].
func (r *Runner) Fields(typ string) []schema.Field {
	a, ok := r.Registry.Lookup(typ)
	if !ok {
		return nil
	}
	return a.Fields()
}

// Act implements [commands.Actor].
func (r *Runner) Act(ctx context.Context, m chat.Message, asked commands.Request) (string, error) {
	out, err := r.perform(ctx, m, asked)
	switch {
	case err != nil:
		return "", err
	case out.Misfit():
		return "", &commands.UsageError{Problem: chat.Capital(out.Err.Error()) + "."}
	case out.Err != nil:
		return chat.Capital(out.Err.Error()) + ".", nil
	case out.Pending != nil:
		return "", nil // the card is the answer
	case out.Result.Found == "":
		return chat.Capital(out.Result.Summary) + ".", nil
	case !r.shows(ctx, m, out.Result):
		return asked.Hidden, nil
	}
	return chat.Capital(out.Result.Found) + period(out.Result.Found), nil
}

// period ends a sentence; a list has none.
func period(text string) string {
	if strings.Contains(text, "\n") {
		return ""
	}
	return "."
}

// Perform runs an action for the author of a message, as a command would: for a button, or for a post that is a form.
func (r *Runner) Perform(ctx context.Context, m chat.Message, typ string, input any) (actions.Outcome, error) {
	args, err := schema.Encode(typ, input)
	if err != nil {
		return actions.Outcome{}, err
	}
	return r.perform(ctx, m, commands.Request{Type: typ, Args: args})
}

// perform runs the action and writes changes into the journal.
func (r *Runner) perform(ctx context.Context, m chat.Message, asked commands.Request) (actions.Outcome, error) {
	o := actions.Origin{Flow: actions.FlowCommand, Place: m.Place, Requester: m.Author.ID, Outside: asked.Outside}
	if m.ID != "" { // from the menu there is no message to which the journal could link, and no other reader
		o.Turn, ctx = r.NewTurn(), actions.Unmarked(ctx)
	}
	gate, began := r.Registry.Gate(r.Flags, access.Narrowings([]*access.Way{access.ByCommand}, o)...), time.Now()
	out := r.Dispatcher.Execute(ctx, o, gate, []actions.Request{{Type: asked.Type, Args: asked.Args}})[0]
	if o.Turn == "" {
		return out, nil
	}
	return out, r.Journal.Record(ctx, journal.Turn{
		ID: o.Turn, Flow: o.Flow, Place: o.Place, Requester: o.Requester, RequesterName: m.Author.Name, Began: began, Took: time.Since(began),
	})
}

// shows reports whether the readers of the answer may know what was found. Direct messages and answers to the menu have one.
func (r *Runner) shows(ctx context.Context, m chat.Message, found actions.Result) bool {
	for _, source := range found.From {
		if m.ID == "" || m.Place.Guild == "" {
			break
		}
		if ok, err := r.Readable(ctx, m.Place.Guild, m.Place.Channel, source); err != nil || !ok {
			return false
		}
	}
	return true
}
