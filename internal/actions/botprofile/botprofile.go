// Package botprofile is the botProfile category: the bot's presence and nickname. Status
// and activity belong to its connection and are the same on every server; the
// nickname is one server's.
package botprofile

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// A Server is what the category needs of Discord. Errors are sentences for people.
type Server interface {
	Self() chat.User
	// Presence is the bot's present one.
	Presence() chat.Presence
	// SetPresence ignores empty fields.
	SetPresence(ctx context.Context, p chat.Presence) error
	Member(ctx context.Context, g chat.GuildID, u chat.UserID) (chat.Member, error)
	// SetNickname removes the nickname if it is empty. Why is for the audit log.
	SetNickname(ctx context.Context, g chat.GuildID, u chat.UserID, nickname, why string) error
}

// A Category changes the bot's presence and nickname.
type Category struct {
	server Server
}

// New returns the botProfile category.
func New(s Server) *Category { return &Category{server: s} }

func (*Category) Name() string { return "botProfile" }

func (*Category) Flag() actions.Flag {
	return actions.Flag{Env: "DISCOCLAW_DISCORD_ACTIONS_BOT_PROFILE", Default: true}
}

func (c *Category) Actions() []*actions.Action {
	return []*actions.Action{c.botSetStatus(), c.botSetActivity(), c.botSetNickname()}
}

func (*Category) ForReference() string {
	return "Status and activity show on every server and last until the bot restarts; the nickname is this server's and stays. " +
		"Only operators may change them."
}

// forOperators is needed by all of these: they change the bot, not the server.
var forOperators = []chat.Permission{chat.Operator}

// A BotSetStatus sets the dot beside the bot's name.
type BotSetStatus struct {
	Status chat.Status `json:"status" doc:"The new status." enum:"online,idle,dnd,invisible"`
}

func (c *Category) botSetStatus() *actions.Action {
	return actions.Define(actions.Spec[BotSetStatus]{
		Name:     "botSetStatus",
		Aliases:  []string{"SET_STATUS"},
		Rare:     true,
		Summary:  "Set the bot's status on all servers.",
		Sentence: "Set my status on all servers to {status}",
		Needs:    forOperators,
		Examples: []BotSetStatus{{Status: chat.Idle}},
		Do: func(ctx context.Context, _ actions.Call, in BotSetStatus) (actions.Result, error) {
			before := c.server.Presence().Status
			var back []actions.Inverse
			if before != in.Status {
				back = append(back, actions.Reverse(fmt.Sprintf("set my status back to *%s*", before), "botSetStatus", BotSetStatus{before}))
			}
			err := c.server.SetPresence(ctx, chat.Presence{Status: in.Status})
			return actions.Done(err, fmt.Sprintf("set my status to *%s*", in.Status), back...)
		},
	})
}

// A BotSetActivity sets the line below the bot's name.
type BotSetActivity struct {
	Name Text              `json:"name" alias:"text,activity" doc:"What the bot is doing." max:"128"`
	Kind chat.ActivityKind `json:"activityType,omitempty" alias:"kind" rare:"yes" doc:"The word before it; Custom shows the text alone." enum:"Playing,Listening,Watching,Competing,Custom" default:"Playing"`
}

func (in BotSetActivity) String() string {
	if in.Kind == chat.Custom { // its kind is not shown
		return chat.Bold(string(in.Name))
	}
	return fmt.Sprintf("*%s* %s", in.Kind, chat.Bold(string(in.Name)))
}

func (c *Category) botSetActivity() *actions.Action {
	return actions.Define(actions.Spec[BotSetActivity]{
		Name:     "botSetActivity",
		Rare:     true,
		Aliases:  []string{"SET_ACTIVITY"},
		Summary:  "Set the bot's activity on all servers.",
		Sentence: "Set my activity on all servers to {activityType} {name}",
		Needs:    forOperators,
		Examples: []BotSetActivity{{Name: "the release channel", Kind: chat.Watching}},
		Do: func(ctx context.Context, _ actions.Call, in BotSetActivity) (actions.Result, error) {
			was := c.server.Presence().Activity
			before := BotSetActivity{Text(was.Text), was.Kind}
			var back []actions.Inverse
			if before.Name != "" && before != in { // no activity cannot be restored
				back = append(back, actions.Reverse(fmt.Sprintf("set my activity back to %s", before), "botSetActivity", before))
			}
			err := c.server.SetPresence(ctx, chat.Presence{Activity: chat.Activity{Kind: in.Kind, Text: string(in.Name)}})
			return actions.Done(err, fmt.Sprintf("set my activity to %s", in), back...)
		},
	})
}

// A BotSetNickname sets the bot's name on one server.
type BotSetNickname struct {
	Nickname Text `json:"nickname" alias:"nick,name" doc:"The new nickname; the bot's own user name takes a nickname away." max:"32"`
}

func (c *Category) botSetNickname() *actions.Action {
	return actions.Define(actions.Spec[BotSetNickname]{
		Name:     "botSetNickname",
		Rare:     true,
		Aliases:  []string{"SET_NICKNAME", "CHANGE_NICKNAME"},
		Summary:  "Set the bot's nickname on this server.",
		Sentence: "Set my nickname on this server to {nickname}",
		Needs:    forOperators,
		Examples: []BotSetNickname{{Nickname: "Claw"}},
		Do:       c.doBotSetNickname,
	})
}

func (c *Category) doBotSetNickname(ctx context.Context, call actions.Call, in BotSetNickname) (actions.Result, error) {
	g := call.Origin.Place.Guild
	if g == "" {
		return actions.Result{}, errors.New("there are no nicknames here, because this is not a server")
	}
	self := c.server.Self()
	bot, err := c.server.Member(ctx, g, self.ID)
	if err != nil {
		return actions.Result{}, err
	}
	before := cmp.Or(bot.Nickname, self.Handle)
	if before == string(in.Nickname) {
		return actions.Result{Summary: fmt.Sprintf("my nickname is %s already", chat.Bold(string(in.Nickname)))}, nil
	}
	next := string(in.Nickname)
	if next == self.Handle {
		next = "" // shown as the same, and it follows when the bot is renamed
	}
	back := actions.Reverse("set my nickname back to "+chat.Bold(before), "botSetNickname", BotSetNickname{Text(before)})
	return actions.Done(c.server.SetNickname(ctx, g, self.ID, next, ""), "set my nickname to "+chat.Bold(string(in.Nickname)), back)
}

// A Text is one line.
type Text string

// UnmarshalText joins several lines, and refuses an empty text.
func (t *Text) UnmarshalText(text []byte) error {
	line := chat.OneLine(string(text))
	if line == "" {
		return errors.New("empty")
	}
	*t = Text(line)
	return nil
}
