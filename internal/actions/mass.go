package actions

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
)

// Changes returns how many outcomes have changed something on Discord, or will, or wait for approval to.
func Changes(outs []Outcome) int {
	n := 0
	for _, o := range outs {
		if o.Err == nil && !o.Repeated && !o.Found() && o.Action != nil && o.Action.counts() {
			n++
		}
	}
	return n
}

// isMass reports whether requests are too many changes to run without approval, together with those that
// the turn has made before. Earlier ones count, so that a model cannot split them into several replies.
func (d *Dispatcher) isMass(g Gate, reqs []Request, before int) bool {
	if d.Mass <= 0 || d.Hold == nil {
		return false
	}
	n := before
	for _, r := range reqs[:min(len(reqs), maxActions)] {
		if action, v := g.lookup(r.Type); v.Decision == Allowed && action.counts() {
			n++
		}
	}
	return n > d.Mass
}

// asWritten holds a change that could be undone. It keeps to the channel that was found: the name may be
// another one's when it is approved.
func asWritten(ctx context.Context, call Call, b Bound) error {
	b = b.withNamed(ctx, call)
	r, err := b.Action.request(b.Input)
	if err != nil {
		return err
	}
	what := cmp.Or(b.holds(ctx, call), b.tells(ctx, call), effect(call, b.Action, r))
	settled, err := b.settles(ctx, call)
	if err != nil {
		return err
	}
	if r, err = b.Action.request(settled); err != nil {
		return err
	}
	field := b.Action.firstChannel()
	// A channel that was found by its ID stays: an event may be moved from the one that was checked to another.
	if ch, ok := call.Checked(); ok && !chat.IsID(member(r, field)) && member(r, field) != "" {
		r.Args = b.Action.schema().Rewrite(r.Args, func(f schema.Field, text string) string {
			if f.Name == field {
				return string(ch)
			}
			return text
		})
	}
	return &pendingError{Pending{Request: r, What: chat.Visible(what)}}
}

// member is a text in a request; empty if there is none.
func member(r Request, name string) string {
	var members map[string]json.RawMessage
	var text string
	if json.Unmarshal(r.Args, &members) != nil || json.Unmarshal(members[name], &text) != nil {
		return ""
	}
	return text
}

// dependsOn reports whether a request names something that a held one will make.
func (c Call) dependsOn(b Bound) bool {
	in := b.copied()
	return slices.ContainsFunc(slices.Concat(refs[chat.ChannelRef](in), refs[chat.RoleRef](in)), func(ref reflect.Value) bool {
		return c.willMake(ref.String())
	})
}

// WaitsFor reports whether an error of a request means only that earlier ones of its card have not made yet what it names.
func (b Bound) WaitsFor(err error, earlier []Request) bool {
	var c Call
	for _, r := range earlier {
		c.makes = append(c.makes, member(r, "name"))
	}
	return !b.Action.Destructive && mayDepend(err) && c.dependsOn(b)
}

// willMake reports whether a held request of the reply makes something with a name.
func (c Call) willMake(name string) bool {
	letters := chat.Letters(name)
	return letters != "" && slices.ContainsFunc(c.makes, func(made string) bool { return chat.Letters(made) == letters })
}

// heldTogether completes the error of a change of a reply whose changes are held: it holds one that failed because
// it may depend on an earlier one, and says of what kind a held one is if there are too many.
func (c Call) heldTogether(ctx context.Context, b Bound, err error) error {
	if !b.Action.Destructive && mayDepend(err) && c.dependsOn(b) {
		err = asWritten(ctx, c, b)
	}
	if pending := (*pendingError)(nil); c.mass && errors.As(err, &pending) {
		pending.held.Kind = kind(b.Action)
		if b.Action.Destructive {
			pending.held.Kind += " (cannot be undone)"
		}
	}
	return err
}

// mayDepend reports whether an error may be gone when earlier changes of the reply are made. A right that
// is missing will be missing then, too.
func mayDepend(err error) bool {
	var denied interface{ Lacking() *Lack }
	return err != nil && !errors.As(err, &denied) && !errors.As(err, new(*PanicError)) && !errors.As(err, new(*pendingError))
}

// kind is what an action does, in a few words.
func kind(a *Action) string {
	words, _, _ := strings.Cut(strings.TrimSuffix(a.Summary, "."), ", ")
	words, _, _ = strings.Cut(words, " than ")
	return words
}
