package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/lifecycle"
	"discoclaw/internal/status"
	"discoclaw/internal/turn"
)

// shows reports whether the progress of an event is shown on its message.
func (in *Entry[E]) shows(e Event[E]) bool { return in.source.Shown && !e.By.Bot }

// begins shows that a turn runs. The last message of a batch stands for all of them.
func (in *Entry[E]) begins(r Run[E]) {
	for i, e := range r.Events {
		switch {
		case !in.shows(e):
		case i == len(r.Events)-1:
			in.p.o.Progress.Begins(e.Place)
		default:
			in.p.o.Progress.Ends(e.Place, lifecycle.Nothing)
		}
	}
}

// ends shows in which phase the work on the events of a run is over.
func (in *Entry[E]) ends(r Run[E], p lifecycle.Phase) {
	for i, e := range r.Events {
		switch {
		case !in.shows(e):
		case i == len(r.Events)-1:
			in.p.o.Progress.Ends(e.Place, p)
		default:
			in.p.o.Progress.Ends(e.Place, lifecycle.Nothing)
		}
	}
}

// ended shows how a turn has ended, unless it is resumed later.
func (in *Entry[E]) ended(r Run[E], report turn.Report) {
	if report.Requeued {
		return
	}
	_, p := outcome(report).Decide()
	if report.Err == nil && report.Due && len(report.Receipts) == 0 {
		p = lifecycle.Nothing // its thread was archived meanwhile, where there are no reactions either
	}
	in.ends(r, p)
}

// outcome returns what decides how a turn is over.
func outcome(r turn.Report) lifecycle.Turn {
	stopped, delivered := errors.Is(r.Err, turn.ErrStopped), len(r.Receipts) > 0
	return lifecycle.Turn{
		Stopped:      stopped,
		Failed:       r.Err != nil && !stopped && !(r.Undelivered && delivered),
		Text:         r.Due,
		ActionFailed: actionFailed(r.Outcomes()),
		Class:        r.Class,
		Delivered:    delivered,
	}
}

// reportUnseen reports to the operators what failed in a turn without a word to the people there: once, since a model may get many steps
// wrong, and without the reasons, which may quote anything and end up in the log.
func (p *Pipeline) reportUnseen(ctx context.Context, r turn.Report) {
	if r.Requeued || p.o.Report == nil {
		return
	}
	n, types := 0, []string{}
	for _, o := range r.Outcomes() {
		if o.Err != nil && !o.Repeated && o.Action != nil && (o.Request.Quiet || r.Control.NoReply) {
			n, types = n+1, append(types, o.Action.Name)
		}
	}
	if n == 0 {
		return
	}
	where := "`!trace` there"
	if r.Origin.Place.Message != "" {
		where = "`!why " + r.Origin.Place.Link() + "`"
	}
	slices.Sort(types)
	p.o.Report(ctx, status.Actions, fmt.Sprintf("⚠️ In %s, %s of an answer did not work (%s), and the people there were not told. %s tells more.",
		r.Origin.Place.Mention(), chat.Counted(n, "step", "steps"), strings.Join(slices.Compact(types), ", "), where))
}

// actionFailed reports whether an action failed whose failure is told.
func actionFailed(outs []actions.Outcome) bool {
	for _, o := range outs {
		if o.Err != nil && !o.Request.Quiet && !o.Repeated {
			return true
		}
	}
	return false
}
