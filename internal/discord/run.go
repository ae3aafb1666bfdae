package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/gateway"
	"discoclaw/internal/discord/rest"
)

// intents are the kinds of events that the bot asks for.
const intents = discordgo.IntentGuilds | discordgo.IntentGuildMessages | discordgo.IntentDirectMessages | discordgo.IntentMessageContent |
	discordgo.IntentGuildVoiceStates | discordgo.IntentGuildMessageReactions

// A Handler is told what happens on Discord, one thing after the other, in order.
// Its methods must return quickly: nothing else is heard meanwhile. After a
// connection was lost, something can be told twice.
type Handler interface {
	// Ready is called whenever a new session has begun and the bot's servers are known, or
	// that of an earlier process goes on. After a new one has begun, there may be
	// messages that nobody told about.
	Ready(self chat.User)
	// Message is called for every new message except the bot's own.
	Message(ctx context.Context, m chat.Message)
	// GuildAvailable is called for every server that is described after Ready: it was out of
	// order, has just been joined, or belongs to the session of an earlier process. What is said
	// there is heard again from now on.
	GuildAvailable(g chat.GuildID)
	// OwnMessage is called for every new message of the bot's own, in its order among those of
	// others.
	OwnMessage(at chat.Place)
	// ChannelSeen is called for every channel and thread that is made, or comes into sight. Its
	// Message is the latest that was written there before the bot heard of it.
	ChannelSeen(at chat.Place)
	// Edited is called when somebody other than the bot edited a message.
	Edited(ctx context.Context, m chat.Message)
	// Deleted is called for every deleted message, the bot's own included.
	Deleted(ctx context.Context, p chat.Place)
	// Pressed is called when somebody pressed a button. Discord has been told that
	// the bot noticed; there is nothing to answer.
	Pressed(ctx context.Context, p chat.Press)
	// Reacted is called when somebody other than the bot reacted to a message on a
	// server, or took a reaction back.
	Reacted(ctx context.Context, r chat.Reacted)
	// ThreadCreated is called when somebody other than the bot has opened a thread, or the
	// bot was added to one.
	ThreadCreated(ctx context.Context, thread chat.Channel)
	// SlashCommand is called when somebody used a slash command, and Completing while they
	// type one. Discord is told nothing about that until the handler answers, with
	// [Client.Acknowledge] or [Client.Suggest], which is to be within three seconds: those
	// whom it does not serve are not to know that it heard them.
	SlashCommand(ctx context.Context, i chat.Invocation)
	Completing(ctx context.Context, typing chat.Completion)
}

// Run logs in and tells h what happens until ctx ends; then it returns nil. It
// returns an error, which names the remedy, when there is no point in going on.
func (c *Client) Run(ctx context.Context, h Handler) error {
	l := &listener{Client: c, handler: h, saver: sessionSaver{sessions: c.sessions, owner: c.owner(), log: c.log}}
	o := gateway.Options{
		Token:    c.token,
		Intents:  int(intents),
		Locate:   c.locate,
		HTTP:     c.http,
		Presence: c.firstPresence(),
		Log:      c.log,
	}
	if c.sessions != nil {
		o.Keeper, o.Session = &l.saver, l.saver.load(ctx)
	}
	if o.Session.ID == "" {
		return l.listen(ctx, o)
	}
	l.inherited, l.resuming = true, true
	l.replayed = make(chan struct{})
	c.replay.Store(&l.replayed)
	defer l.caughtUp() // or nobody ever will
	if o.Presence == nil {
		// As a new session would begin, and not as the last process left it.
		o.Presence = &gateway.Presence{Status: string(chat.Online)}
	}
	err := l.listen(ctx, o)
	if !l.saver.dropped.Load() || ctx.Err() != nil {
		return err
	}
	c.log.WarnContext(ctx, "last session given up; what was said while the bot was away is read from the channels", "err", err)
	l.saver.dropped.Store(false)
	l.saver.stuck = false
	o.Session = gateway.Session{}
	return l.listen(ctx, o)
}

// listen hears events until ctx ends, there is no point in going on, or the session is given up.
func (l *listener) listen(ctx context.Context, o gateway.Options) error {
	session, giveUp := context.WithCancelCause(ctx)
	l.giveUp = giveUp
	gw := gateway.New(o)
	l.gateway.Store(gw)
	l.guildWait = newGuildWait()
	err := gw.Run(session, func(e gateway.Event) {
		l.guildWait.alone(func() {
			if !l.isDescribed(session, e) {
				l.saver.stuck = true
				return
			}
			l.hear(ctx, e)
		})
	})
	if err == nil {
		err = context.Cause(session)
	}
	if ctx.Err() != nil {
		err = nil
	}
	giveUp(nil)
	l.undescribed.end()
	l.fetches.Wait()
	l.guildWait.end()
	l.gateway.Store(nil)
	l.acks.Wait()
	return err
}

// untilNow waits until what is known of a server is of now. When the session of an earlier
// process is resumed, Discord tells again what changed since its last note, and so for a
// moment all is as it was then.
func (c *Client) untilNow(ctx context.Context, g chat.GuildID) error {
	replayed := c.replay.Load()
	if replayed == nil {
		return nil
	}
	select {
	case <-*replayed:
		return c.undescribed.wait(ctx, g)
	case <-ctx.Done():
		return fmt.Errorf("hear what has changed meanwhile: %w", context.Cause(ctx))
	}
}

// An locateError is why the gateway's address could not be found out.
type locateError struct {
	error
	final bool
}

func (e locateError) Unwrap() error   { return e.error }
func (e locateError) Permanent() bool { return e.final }

// gatewayError words what keeps the bot from finding the gateway. Only a refused token is
// refused for ever: any other answer may come from something that stands in between
// for a moment.
func gatewayError(err error) error {
	refused := (*Error)(nil)
	switch {
	case !errors.As(err, &refused):
		return err
	case refused.Status == 0 && refused.Unwrap() != nil:
		return locateError{error: refused.Unwrap()}
	case refused.Permanent() && refused.Status != http.StatusUnauthorized:
		err = rest.Refused(refused.Status, fmt.Sprintf("what answers at DISCORD_API_URL is not Discord's API (status %d); it should be %s", refused.Status, discordURL))
	}
	return locateError{error: err, final: refused.Status == http.StatusUnauthorized}
}

// locate asks for the gateway's address.
func (c *Client) locate(ctx context.Context) (gateway.Location, error) {
	var got discordgo.GatewayBotResponse
	err := c.rest.Do(ctx, rest.Request{
		Method:  http.MethodGet,
		Route:   "/gateway/bot",
		Address: discordgo.EndpointGatewayBot,
		Once:    true, // the gateway client has its own patience
	}, &got)
	if err != nil {
		return gateway.Location{}, gatewayError(err)
	}
	limit := got.SessionStartLimit
	return gateway.Location{URL: got.URL, Limit: gateway.StartLimit{
		Total:          limit.Total,
		Remaining:      limit.Remaining,
		ResetAfter:     time.Duration(limit.ResetAfter) * time.Millisecond,
		MaxConcurrency: limit.MaxConcurrency,
	}}, nil
}
