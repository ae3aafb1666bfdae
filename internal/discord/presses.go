package discord

import (
	"context"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// ackTime is how long there is to tell Discord that a press was noticed. After
// three seconds Discord shows the person an error.
const ackTime = 2500 * time.Millisecond

// wireInteraction has those parts of an interaction that are used.
type wireInteraction struct {
	ID      string                    `json:"id"`
	Type    discordgo.InteractionType `json:"type"`
	Token   string                    `json:"token"`
	Guild   string                    `json:"guild_id"`
	Channel string                    `json:"channel_id"`
	Member  *discordgo.Member         `json:"member"`
	User    *discordgo.User           `json:"user"` // in direct messages
	Message struct {
		ID string `json:"id"`
	} `json:"message"`
	Data struct {
		CustomID string `json:"custom_id"`
	} `json:"data"`
}

// pressed passes a press on, at once: somebody may want to stop something. Discord is
// told meanwhile that it was noticed, and nothing waits for that.
func (l *listener) pressed(ctx context.Context, w wireInteraction) error {
	if w.Type != discordgo.InteractionMessageComponent {
		return nil
	}
	user := w.User
	if w.Member != nil && w.Member.User != nil {
		user = w.Member.User
	}
	if user == nil || w.ID == "" || w.Message.ID == "" || w.Data.CustomID == "" {
		return errNoID
	}
	l.acks.Go(func() {
		if err := l.acknowledge(ctx, w); err != nil {
			l.log.WarnContext(ctx, "press not acknowledged", "err", err)
		}
	})
	place := l.place(ctx, w.Guild, w.Channel)
	place.Message = chat.MessageID(w.Message.ID)
	l.handler.Pressed(ctx, chat.Press{Place: place, User: userFrom(*user, w.Member), Button: w.Data.CustomID})
	return nil
}

// acknowledge tells Discord that the message below which the button stands may
// change later, and that nothing needs to be shown now.
func (l *listener) acknowledge(ctx context.Context, w wireInteraction) error {
	ctx, cancel := context.WithTimeout(ctx, ackTime)
	defer cancel()
	return l.call(ctx, request{
		method:      http.MethodPost,
		route:       "/interactions/{interaction}/{token}/callback",
		address:     discordgo.EndpointInteractionResponse(w.ID, w.Token),
		body:        ackBody{Type: discordgo.InteractionResponseDeferredMessageUpdate},
		unique:      true, // Discord refuses a second one
		interaction: true,
	}, nil)
}

type ackBody struct {
	Type discordgo.InteractionResponseType `json:"type"`
}
