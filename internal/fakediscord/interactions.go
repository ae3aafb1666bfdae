package fakediscord

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"discoclaw/internal/chat"
)

// How long the bot has to answer an interaction, and for how long it can send follow-ups.
// https://discord.com/developers/docs/interactions/receiving-and-responding
const (
	answerTime   = 3 * time.Second
	followUpTime = 15 * time.Minute
)

// Kinds of interactions.
// https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-object-interaction-type
const (
	commandInteraction = 2
	pressInteraction   = 3
	typingInteraction  = 4
	formInteraction    = 5
)

// An Interaction is a pressed button or a used slash command.
type Interaction struct {
	ID      string         `json:"id"`
	User    chat.UserID    `json:"user"`
	Message chat.MessageID `json:"message"` // with the button; empty for a command
	// Form is the ID of the interaction that was answered with the form, if a form was filled in.
	Form string `json:"form,omitempty"`
}

func (it *Interaction) kind() int {
	switch {
	case it.Form != "":
		return formInteraction
	case it.Message != "":
		return pressInteraction
	}
	return commandInteraction
}

// An interaction is one that the bot can answer until its token expires.
type interaction struct {
	Interaction
	token   string
	channel chat.ChannelID
	typing  bool // a command that is still being typed
	at      time.Time

	answered chan struct{} // closed when the bot answers
	answer   Answer
	original chat.MessageID // the message that @original means: the answer, or the one with the button
	loading  bool           // the answer is deferred
}

func (it *interaction) kind() int {
	if it.typing {
		return typingInteraction
	}
	return it.Interaction.kind()
}

// An AnswerKind is how the bot answered an interaction.
type AnswerKind string

const (
	Replied        AnswerKind = "replied"         // with a new message
	ReplyDeferred  AnswerKind = "reply deferred"  // "DiscoClaw is thinking…"
	Updated        AnswerKind = "updated"         // by changing the message with the button
	UpdateDeferred AnswerKind = "update deferred" // without a visible change so far
	Suggested      AnswerKind = "suggested"       // values for an option
	FormShown      AnswerKind = "form"            // with a form to fill in
)

// An Answer is the member's view of the bot's answer to an interaction.
type Answer struct {
	Kind AnswerKind
	// Message is the reply, with OnlyFor set if it is ephemeral, or the message with the
	// button as the answer left it.
	Message     Message
	Suggestions []string // for the option being typed
	Form        Form     // to fill in
}

// ErrNoAnswer means that the bot did not answer an interaction in time.
var ErrNoAnswer = errors.New("this interaction failed")

// Press presses a button as a member, by its custom ID, and waits for the answer.
// Like Discord it gives the bot three seconds.
func (w *World) Press(user string, message chat.MessageID, button string) (Answer, error) {
	var it *interaction
	err := w.change(func() (err error) {
		it, err = w.press(user, message, button)
		return err
	})
	if err != nil {
		return Answer{}, err
	}
	return w.await(it, "the button "+button)
}

// await waits for the bot's answer.
func (w *World) await(it *interaction, what string) (Answer, error) {
	timeout := time.NewTimer(answerTime)
	defer timeout.Stop()
	select {
	case <-it.answered:
		return it.answer, nil // written before answered was closed
	case <-w.closed:
		return Answer{}, fmt.Errorf("the world was closed before the bot answered %s", what)
	case <-timeout.C:
		return Answer{}, fmt.Errorf("%w: the bot did not answer %s within %v", ErrNoAnswer, what, answerTime)
	}
}

func (w *World) press(user string, message chat.MessageID, button string) (*interaction, error) {
	m := w.messages[message]
	if m == nil {
		return nil, fmt.Errorf("there is no message %s", message)
	}
	who, where, err := w.whoAndWhere(user, string(m.Channel))
	if err != nil {
		return nil, err
	}
	if m.OnlyFor != "" && m.OnlyFor != who.ID {
		return nil, fmt.Errorf("%s does not see message %s", who.Name, message)
	}
	buttons := m.Buttons()
	i := slices.IndexFunc(buttons, func(b Component) bool { return b.CustomID == button })
	if i < 0 || button == "" {
		return nil, fmt.Errorf("message %s has no button %q", message, button)
	}
	if buttons[i].Disabled {
		return nil, fmt.Errorf("the button %s is disabled", button)
	}
	it := w.interact(who, where)
	it.Message = m.ID
	data := w.interactionJSON(it, who, where)
	data["data"] = object{"component_type": Button, "custom_id": buttons[i].CustomID, "id": buttons[i].ID}
	// Interactions reach the bot independently of rights and intents.
	w.queue("INTERACTION_CREATE", 0, where, data, data, true)
	return it, nil
}

// interact begins an interaction.
func (w *World) interact(who *Member, where *Channel) *interaction {
	it := &interaction{Interaction: Interaction{ID: w.newID(), User: who.ID}, channel: where.ID, at: w.clock(), answered: make(chan struct{})}
	it.token = "interaction-" + it.ID
	w.interactions[it.token] = it
	return it
}

// interactionJSON are the fields that all interactions share.
func (w *World) interactionJSON(it *interaction, who *Member, c *Channel) object {
	o := object{
		"id": it.ID, "application_id": w.app, "type": it.kind(), "token": it.token, "version": 1,
		"channel_id": c.ID, "channel": w.channelJSON(c),
		"app_permissions": w.permissions(w.botMember(), c).wire(), "locale": "en-US", "entitlements": []any{},
		"authorizing_integration_owners": w.installedBy(c), "attachment_size_limit": maxFile,
	}
	if m := w.messages[it.Message]; m != nil {
		o["message"] = w.messageJSON(m)
	}
	if c.Type == DMChannel {
		o["user"], o["context"] = w.userJSON(who), 1
		return o
	}
	member := w.memberJSON(who)
	member["permissions"] = w.permissions(who, c).wire()
	o["member"], o["context"], o["guild_id"], o["guild_locale"] = member, 0, c.Guild, "en-US"
	o["guild"] = object{"id": c.Guild, "locale": "en-US", "features": []string{}}
	return o
}

// installedBy names the installer of the application where it was used.
func (w *World) installedBy(c *Channel) object {
	if c.Type == DMChannel {
		return object{"0": "0"}
	}
	return object{"0": c.Guild}
}

// interactionMetadata names the interaction that a message answers.
func (w *World) interactionMetadata(m *Message, it Interaction) object {
	o := object{
		"id": it.ID, "type": it.kind(), "user": w.userJSON(w.user(it.User)),
		"authorizing_integration_owners": w.installedBy(w.channels[m.Channel]),
	}
	switch {
	case it.Form != "":
		it.ID, it.Form = it.Form, ""
		o["triggering_interaction_metadata"] = w.interactionMetadata(m, it)
	case it.Message != "":
		o["interacted_message_id"] = it.Message
	}
	return o
}
