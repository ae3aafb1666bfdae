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

// asWritten holds a change that could be undone.
func asWritten(ctx context.Context, call Call, b Bound) error {
	call.quoted = new(quotes)
	named := b.withNamed(ctx, call)
	r, err := b.Action.request(named.Input)
	if err != nil {
		return err
	}
	what := cmp.Or(named.holds(ctx, call), named.tells(ctx, call), effect(ctx, call, b.Action, r, named.names(ctx, call)))
	if r, err = call.settled(ctx, named); err != nil {
		return err
	}
	return &pendingError{call.pending(ctx, r, what)}
}

// settled is a request with its references resolved, so that it means the same later. It keeps to the channel that was found: the name may
// be another one's by then.
func (c Call) settled(ctx context.Context, b Bound) (Request, error) {
	b = b.withNamed(ctx, c)
	settled, err := b.settles(ctx, c)
	if err != nil {
		return Request{}, err
	}
	r, err := b.Action.request(settled)
	if err != nil {
		return Request{}, err
	}
	field := b.Action.firstChannel()
	// A channel that was found by its ID stays: an event may be moved from the one that was checked to another.
	if ch, ok := c.Checked(); ok && !chat.IsID(member(r, field)) && member(r, field) != "" {
		r.Args = b.Action.schema().Rewrite(r.Args, func(f schema.Field, text string) string {
			if f.Name == field {
				return string(ch)
			}
			return text
		})
	}
	return r, nil
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

// closes is the channel in which a held request takes rights; none if it does not. What follows it there in the reply waits with it: what
// is said in a channel that is to be private must not be said before.
func (o Outcome) closes() []chat.ChannelID {
	if ch := member(o.Pending.Request, o.Action.firstChannel()); o.Action.has("Asks") && chat.IsID(ch) {
		return []chat.ChannelID{chat.ChannelID(ch)}
	}
	return nil
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

// A Taint is what becomes of the changes of a turn that has read outside text, which may have been written to steer
// the model.
type Taint string

const (
	TaintCheck   Taint = "check"   // those that the asker's words ask for run, and the others are held; the default
	TaintConfirm Taint = "confirm" // they are held until they are approved
	TaintRefuse  Taint = "refuse"  // they fail
	TaintOff     Taint = "off"     // they run
)

// taintOf is the taint of a turn, empty if it has none.
func (d *Dispatcher) taintOf(o Origin) Taint {
	switch {
	case o.Outside == "" || d.Taint == TaintOff:
		return ""
	case d.Taint == "":
		return TaintConfirm
	}
	return d.Taint
}

// Distrusts reports whether what a model wants may have been put into its head by outside text that it has read.
func (d *Dispatcher) Distrusts(read chat.Sources) bool { return d.taintOf(Origin{Outside: read}) != "" }

// tainted reports whether an action must not run just because a model asks for it. An approval does not count that
// was given beforehand, for all actions.
func (c Call) tainted(b Bound) bool {
	return c.taint != "" && !c.afterwards && !c.asked && b.Action.Effect != Queries && !b.free(c)
}

// granted reports whether an action was approved when the work of its turn was set up: in a scheduled job that names its type. In a
// turn that has read outside text, that holds only for a request all of whose rights are in the channel of the turn, and none of them over
// channels or roles themselves; of many changes it holds for none.
func (c Call) granted(ctx context.Context, b Bound) bool {
	if c.mass || !slices.Contains(c.Origin.Granted, b.Action.Name) {
		return false
	}
	if !c.tainted(b) {
		return true
	}
	demands, err := b.AlsoNeeds(ctx, c)
	demands = append(demands, Demand{Channel: c.checked, Rights: b.Action.Needs})
	return err == nil && !slices.ContainsFunc(demands, func(d Demand) bool {
		return d.Channel == "" || d.Channel != c.Origin.Place.Channel || slices.ContainsFunc(d.Rights, func(p chat.Permission) bool {
			return p == chat.ManageChannels || p == chat.ManageRoles || p == chat.ManagePermissions
		})
	})
}

// refusal is the error of a change that is refused because of taint.
func (c Call) refusal() error {
	return chat.WithRemedy(errors.New("not done, because this came up after I had read "+c.Origin.Outside.Phrase()), "DISCOCLAW_TAINT=check does what people themselves ask for")
}
