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

// A Remind asks for a reminder.
type Remind struct {
	Text    string          `json:"text" alias:"content,message" doc:"What it says." max:"1500"`
	In      Delay           `json:"in,omitempty" alias:"delay,after" doc:"In how long, such as 90s, 20m, 2h or 3d. This or at." max:"40"`
	At      string          `json:"at,omitempty" alias:"time,when" doc:"When, such as 2027-05-01T18:00+02:00. This or in." max:"40"`
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
	_, err := in.due(time.Time{})
	return err
}

func (in Remind) due(now time.Time) (time.Time, error) {
	if in.At != "" {
		return reminder.ParseTime(in.At)
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
	if r.Due, err = in.due(c.engine.Now()); err != nil {
		return actions.Result{}, err
	}
	if r, err = c.engine.Schedule(ctx, r); err != nil {
		return actions.Result{}, err
	}
	return actions.Result{
		Summary: reminder.Promise(r, o.Place.Channel),
		Undo:    []actions.Inverse{actions.Reverse(fmt.Sprintf("cancel reminder %d", r.ID), "remindCancel", Cancel{ID: r.ID})},
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
