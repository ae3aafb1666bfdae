package reminders

import (
	"context"
	"errors"
	"fmt"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/clock"
	"discoclaw/internal/reminder"
)

// A Remind asks for a reminder.
type Remind struct {
	Text    string          `json:"text" alias:"content,message" doc:"What it says." max:"1500"`
	In      Delay           `json:"in,omitempty" alias:"delay,after" doc:"In how long, such as 90s, 20m, 2h or 3d. This or at." max:"40"`
	At      string          `json:"at,omitempty" alias:"time,when" doc:"When, such as 2027-05-01T18:00+02:00 or 2027-05-01. This or in." max:"40"`
	Channel chat.ChannelRef `json:"channel,omitempty" alias:"channelId" doc:"Where: channel name or ID; the current one if left out."`
	User    chat.UserRef    `json:"userId,omitempty" alias:"user" doc:"Whom: ID, mention or name; who asks if left out."`
}

// A Delay is a length of time. However it was written, the same length is the same text.
type Delay string

// UnmarshalText reads the length.
func (d *Delay) UnmarshalText(text []byte) error {
	length, err := reminder.ParseDelay(string(text))
	*d = Delay(length.String())
	return err
}

func (c *Category) remind() *actions.Action {
	return actions.Define(actions.Spec[Remind]{
		Name:     "remind",
		Effect:   actions.Keeps,
		Later:    true,
		Direct:   true,
		Summary:  "Remind somebody of something at a time, up to a year ahead.",
		Sentence: "Set a reminder[ for {userId}] in {channel}[, {in:second} from now][, at {at:time}]: {text:text}",
		Brief:    "in: 20m, 3d; mentions asker or userId",
		Stores:   []string{"text"},
		Needs:    []chat.Permission{chat.ViewChannel, chat.SendMessages},
		Examples: []Remind{{Text: "buy milk", In: "20m"}, {Text: "Call Lena.", At: "2027-05-01T18:00+02:00"}},
		Check:    Remind.check,
		NeedsIn: func(ctx context.Context, call actions.Call, in Remind) (chat.ChannelID, error) {
			ch, err := c.target(ctx, call, in)
			return ch.ID, err
		},
		Free: isForThemselves,
		Do:   c.doRemind,
	})
}

// isForThemselves reports whether a reminder is the requester's own, in the channel of the turn.
func isForThemselves(call actions.Call, in Remind) bool {
	ch, _ := call.Checked()
	return (in.User == "" || in.User.ID() == call.Origin.Requester) && (in.Channel == "" || ch == call.Origin.Place.Channel)
}

// check: whether a time is over is not its matter, since a request may be stored and run later.
func (in Remind) check() error {
	if (in.In == "") == (in.At == "") {
		return errors.New("give either in, such as 20m, or at, such as 2027-05-01T18:00+02:00")
	}
	_, err := in.due(time.Now())
	return err
}

func (in Remind) due(now time.Time) (time.Time, error) {
	if in.At != "" {
		return clock.Parse(in.At, now)
	}
	d, err := reminder.ParseDelay(string(in.In))
	return now.Add(d), err
}

// target finds the channel in which a reminder will be posted.
func (c *Category) target(ctx context.Context, call actions.Call, in Remind) (chat.Channel, error) {
	if at := call.Origin.Place; at.Guild == "" && in.Channel == "" {
		return chat.Channel{ID: at.Channel}, nil
	}
	ref := in.Channel
	if ref == "" {
		ref = chat.ChannelRef(call.Origin.Place.Channel)
	}
	return call.TextChannel(ctx, c.server.Channel, ref, "reminder")
}

func (c *Category) doRemind(ctx context.Context, call actions.Call, in Remind) (actions.Result, error) {
	ch, err := c.target(ctx, call, in)
	if err != nil {
		return actions.Result{}, err
	}
	o := call.Origin
	for _, who := range o.People() {
		if why := c.barred(who, ch.Place()); why != "" {
			return actions.Result{}, chat.WithRemedy(fmt.Errorf("I don't answer you in %s", ch.ID.Mention()), "the settings say: "+why)
		}
	}
	r := reminder.Reminder{Guild: ch.Guild, Channel: ch.ID, AskedIn: o.Place.Channel, Recipient: o.Requester,
		Requester: o.Requester, Text: in.Text, Outside: o.Outside}
	if in.User != "" {
		r.Recipient = in.User.ID()
	}
	if err := c.mayMention(ctx, r); err != nil {
		return actions.Result{}, err
	}
	if r.Due, err = in.due(c.engine.Now().In(c.zone(ctx, o.Requester))); err != nil {
		return actions.Result{}, err
	}
	if r, err = c.engine.Schedule(ctx, r); err != nil {
		return actions.Result{}, err
	}
	return actions.Result{
		Summary: reminder.Promise(r, o.Place.Channel),
		ID:      fmt.Sprintf("reminder %d", r.ID),
		Undo:    []actions.Inverse{actions.Reverse("cancel the reminder for "+chat.Clock(r.Due), "remindCancel", Cancel{ID: r.ID})},
	}, nil
}

// mayMention returns why the requester could not mention the recipient there themselves.
func (c *Category) mayMention(ctx context.Context, r reminder.Reminder) error {
	if r.Recipient == r.Requester {
		return nil
	}
	m, err := c.server.Member(ctx, r.Guild, r.Recipient)
	if err != nil {
		return err
	}
	if m.Bot {
		return fmt.Errorf("<@%s> is a bot, and only people are reminded", r.Recipient)
	}
	missing, err := c.server.MissingPermissions(ctx, r.Guild, r.Recipient, r.Channel, []chat.Permission{chat.ViewChannel})
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("<@%s> cannot see <#%s>, so a reminder would not reach them there", r.Recipient, r.Channel)
	}
	return err
}

// May returns why a reminder may not be posted, since much can have changed after it was set. A *reminder.Refusal is final; other
// errors, such as an outage of the server, are not.
func (c *Category) May(ctx context.Context, r reminder.Reminder) error {
	place := chat.Place{Channel: r.Channel}
	if r.Guild != "" {
		if c.server.GuildPending(r.Guild) {
			return errors.New("its server is out of order")
		}
		ch, err := c.server.ChannelByID(ctx, r.Channel)
		if err != nil {
			return err
		}
		if ch.Guild != r.Guild || !ch.Kind.HasChat() {
			return &reminder.Refusal{Why: "that is not a channel for messages any more"}
		}
		place = ch.Place()
	}
	if why := c.barred(r.Requester, place); why != "" {
		return &reminder.Refusal{Why: fmt.Sprintf("I do not serve <@%s> there any more", r.Requester)}
	}
	if r.Guild == "" {
		return nil
	}
	if err := c.holds(ctx, r, r.Requester, chat.ViewChannel, chat.SendMessages); err != nil {
		return err
	}
	return c.holds(ctx, r, r.Recipient, chat.ViewChannel)
}

// holds returns an error unless a user has permissions in the reminder's channel. A user who left the server has none.
func (c *Category) holds(ctx context.Context, r reminder.Reminder, who chat.UserID, needs ...chat.Permission) error {
	missing, err := c.server.MissingPermissions(ctx, r.Guild, who, r.Channel, needs)
	switch {
	case errors.Is(err, chat.ErrNotFound):
		return &reminder.Refusal{Why: fmt.Sprintf("<@%s> is not there any more", who)}
	case err != nil:
		return fmt.Errorf("look up the rights of a user: %w", err)
	case len(missing) > 0:
		return &reminder.Refusal{Why: fmt.Sprintf("<@%s> lacks *%s* there", who, missing[0])}
	}
	return nil
}

// A List asks which reminders wait.
type List struct{}

func (c *Category) list() *actions.Action {
	return actions.Define(actions.Spec[List]{
		Name:     "remindList",
		Hidden:   true,
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
				Undo:    []actions.Inverse{actions.Reverse("set the reminder for "+chat.Clock(r.Due)+" again", "remind", again)},
			}, nil
		},
	})
}

// isAlone reports whether the turn has one user: the author of a question must neither see nor cancel the
// reminders of the user who answers it.
func isAlone(o actions.Origin) bool { return len(o.People()) == 1 }
