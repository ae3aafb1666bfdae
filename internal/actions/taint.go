package actions

import (
	"context"
	"errors"
	"slices"

	"discoclaw/internal/chat"
)

// A Taint is what becomes of the changes of a turn that has read outside text, which may have been written to steer
// the model.
type Taint string

const (
	TaintConfirm Taint = "confirm" // they are held until they are approved; the default
	TaintRefuse  Taint = "refuse"  // they fail
	TaintOff     Taint = "off"     // they run
)

// taintOf is the taint of a turn, empty if it has none.
func (d *Dispatcher) taintOf(o Origin) Taint {
	switch {
	case o.Outside == "" || d.Taint == TaintOff:
		return ""
	case d.Taint == TaintRefuse:
		return TaintRefuse
	}
	return TaintConfirm
}

// Distrusts reports whether what a model wants may have been put into its head by outside text that it has read.
func (d *Dispatcher) Distrusts(read chat.Sources) bool { return d.taintOf(Origin{Outside: read}) != "" }

// tainted reports whether an action must not run just because a model asks for it. An approval does not count that
// was given beforehand, for all actions.
func (c Call) tainted(b Bound) bool {
	return c.taint != "" && !c.afterwards && b.Action.Effect != Queries && !b.free(c)
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
	return chat.WithRemedy(errors.New("not done, because this came up after I had read "+c.Origin.Outside.Phrase()), "DISCOCLAW_TAINT=confirm asks people instead")
}
