package reminders

import (
	"context"
	"errors"
	"fmt"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/reminder"
)

// A List asks which reminders wait.
type List struct{}

func (c *Category) list() *actions.Action {
	return actions.Define(actions.Spec[List]{
		Name:     "remindList",
		Summary:  "List the asker's own reminders.",
		Effect:   actions.Queries,
		Reads:    actions.Texts,
		Examples: []List{{}},
		Do: func(ctx context.Context, call actions.Call, _ List) (actions.Result, error) {
			var list []reminder.Reminder
			var whose chat.UserID
			var err error
			if isAlone(call.Origin) {
				whose = call.Origin.Requester
				list, err = c.engine.Waiting(ctx, whose)
			}
			if call.Origin.Flow == actions.FlowCommand {
				whose = "" // they are the reader's
			}
			here := call.Origin.Place
			open := func(ch chat.ChannelID) bool { return call.Tells(ctx, c.server.Readable, ch) }
			res := actions.Result{
				Found:   reminder.Listed(list, here, whose, open),
				From:    []chat.ChannelID{here.Channel}, // it has no text that is not for all who read here
				Summary: actions.Listed("listed", len(list), "reminder", "reminders"),
			}
			for _, r := range list {
				res.Outside.Add(r.Outside)
			}
			return res, err
		},
	})
}

// A Cancel drops a reminder.
type Cancel struct {
	ID int64 `json:"id" doc:"Its number, as remind and remindList tell it." min:"1"`
}

func (c *Category) cancel() *actions.Action {
	return actions.Define(actions.Spec[Cancel]{
		Name:     "remindCancel",
		Effect:   actions.Keeps,
		Free:     func(actions.Call, Cancel) bool { return true },
		Summary:  "Cancel one of the asker's own reminders.",
		Sentence: "Cancel the reminder with the number {id}",
		Examples: []Cancel{{ID: 3}},
		Do: func(ctx context.Context, call actions.Call, in Cancel) (actions.Result, error) {
			r, err := reminder.Reminder{}, reminder.ErrNotWaiting
			if isAlone(call.Origin) {
				r, err = c.engine.Cancel(ctx, in.ID, call.Origin.Requester, call.Origin.Place.Guild)
			}
			if errors.Is(err, reminder.ErrNotWaiting) {
				return actions.Result{}, errors.New(reminder.NotYours(in.ID))
			}
			if err != nil {
				return actions.Result{}, err
			}
			again := Remind{Text: r.Text, At: r.Due.UTC().Format(time.RFC3339), Channel: chat.ChannelRef(r.Channel), User: chat.UserRef(r.Recipient)}
			return actions.Result{
				Summary: reminder.Cancelled(r),
				Undo:    []actions.Inverse{actions.Reverse(fmt.Sprintf("set reminder %d again", r.ID), "remind", again)},
			}, nil
		},
	})
}

// isAlone reports whether the turn has one user: the author of a question must neither see nor cancel the
// reminders of the user who answers it.
func isAlone(o actions.Origin) bool { return len(o.People()) == 1 }
