package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/gateway"
	"discoclaw/internal/discord/rest"
)

// intents are the kinds of events that the bot receives.
const intents = discordgo.IntentGuilds | discordgo.IntentGuildMessages | discordgo.IntentDirectMessages | discordgo.IntentMessageContent |
	discordgo.IntentGuildVoiceStates | discordgo.IntentGuildMessageReactions

// A Handler handles events, one after the other, in order. Its methods must return quickly: no
// other event is handled meanwhile. After a connection was lost, an event can be replayed.
type Handler interface {
	// Ready is called whenever a new session has begun and the bot's servers are known, or that of
	// an earlier process is resumed. Before a new one, there may be messages without an event.
	Ready(self chat.User)
	// Message is called for every new message except the bot's own.
	Message(ctx context.Context, m chat.Message)
	// GuildAvailable is called for every server that is described after Ready: it had an outage,
	// has just been joined, or belongs to the session of an earlier process. Its events arrive
	// from now on.
	GuildAvailable(g chat.GuildID)
	// OwnMessage is called for every new message of the bot's own, in order with those of others.
	OwnMessage(m chat.Message)
	// ChannelSeen is called for every channel and thread that is made, or becomes visible. Its
	// Message is the latest from before its events arrived.
	ChannelSeen(at chat.Place)
	// ChannelDeleted is called for every channel and thread that is deleted, and not for the threads of
	// a deleted channel.
	ChannelDeleted(at chat.Place)
	// Edited is called when a user other than the bot edited a message.
	Edited(ctx context.Context, m chat.Message)
	// Deleted is called for every deleted message, the bot's own included.
	Deleted(ctx context.Context, p chat.Place)
	// Pressed is called when a user pressed a button. The press is acknowledged already.
	Pressed(ctx context.Context, p chat.Press)
	// EnteredVoice is called when somebody other than the bot has entered a voice channel that is no stage, or is there when the server is
	// described first.
	EnteredVoice(g chat.GuildID, who chat.Occupant)
	// Reacted is called when a user other than the bot reacted to a message on a server, or
	// removed a reaction.
	Reacted(ctx context.Context, r chat.Reacted)
	// ThreadCreated is called when a user other than the bot has opened a thread, or the bot was
	// added to one.
	ThreadCreated(ctx context.Context, thread chat.Channel)
	// ThreadChanged is called when a thread got another name, other tags or another archive state,
	// whoever did it, became visible to the bot, or was opened by it.
	ThreadChanged(thread chat.Channel)
	// SlashCommand is called when a user used a slash command, and Completing while they type
	// one. They are not acknowledged: the handler must answer within three seconds, with
	// [Client.Acknowledge] or [Client.Suggest], and does not answer users whom the bot does not
	// serve.
	SlashCommand(ctx context.Context, i chat.Invocation)
	Completing(ctx context.Context, typing chat.Completion)
	// Picked is called when a user chose the bot's entry in the menu of a message, and Submitted when they filled in a form.
	// They are not acknowledged either; the handler answers with [Client.ShowForm] or [Client.Acknowledge].
	Picked(ctx context.Context, p chat.Picked)
	Submitted(ctx context.Context, s chat.Submission)
}

// Run logs in and calls h with events until ctx ends; then it returns nil. It returns an error,
// which names the remedy, if that is permanent.
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
	defer l.caughtUp() // or untilNow would wait for ever
	if o.Presence == nil {
		// That of a new session, and not that of the last process.
		o.Presence = &gateway.Presence{Status: string(chat.Online)}
	}
	err := l.listen(ctx, o)
	if !l.saver.dropped.Load() || ctx.Err() != nil {
		return err
	}
	c.log.WarnContext(ctx, "cannot resume the last gateway session; missed messages are read from the channels", "err", err)
	l.saver.dropped.Store(false)
	l.saver.stuck = false
	o.Session = gateway.Session{}
	return l.listen(ctx, o)
}

// listen handles events until ctx ends, a permanent error occurs, or the session is dropped.
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

// untilNow waits until the cache is up to date for a server. While the session of an earlier process
// is being resumed, events are replayed, and the cache may be as old as the first of them.
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

// A locateError is why the gateway's address could not be fetched.
type locateError struct {
	error
	final bool
}

func (e locateError) Unwrap() error   { return e.error }
func (e locateError) Permanent() bool { return e.final }

// gatewayError explains why the gateway's address could not be fetched. Only what Discord itself
// refuses is permanent: a person must mend the token or the address of the API.
func gatewayError(err error) error {
	refused := (*Error)(nil)
	switch {
	case !errors.As(err, &refused):
		return err
	case refused.Status == 0 && refused.Unwrap() != nil:
		return locateError{error: refused.Unwrap()}
	case refused.Permanent():
		err = rest.Refused(refused.Status, fmt.Sprintf("what answers at DISCORD_API_URL is not Discord's API (status %d); it should be %s", refused.Status, discordURL))
	}
	return locateError{error: err, final: refused.Permanent() || refused.TokenRefused()}
}

type wireGateway struct {
	URL   string `json:"url"`
	Limit struct {
		Total          int `json:"total"`
		Remaining      int `json:"remaining"`
		ResetAfter     int `json:"reset_after"` // milliseconds
		MaxConcurrency int `json:"max_concurrency"`
	} `json:"session_start_limit" wire:"optional"`
}

// locate fetches the gateway's address.
func (c *Client) locate(ctx context.Context) (gateway.Location, error) {
	q := request(http.MethodGet, "/gateway/bot")
	q.Once = true // the gateway client retries
	got, err := fetch[wireGateway](ctx, c, q)
	if err != nil {
		return gateway.Location{}, gatewayError(err)
	}
	limit := got.Limit
	return gateway.Location{URL: got.URL, Limit: gateway.StartLimit{
		Total:          limit.Total,
		Remaining:      limit.Remaining,
		ResetAfter:     time.Duration(limit.ResetAfter) * time.Millisecond,
		MaxConcurrency: limit.MaxConcurrency,
	}}, nil
}

// describeWait is how long a session waits for the servers that Discord has announced. Those with
// an outage are marked as unavailable, as a rule; but Discord has been seen to send nothing at
// all.
const describeWait = 20 * time.Second

// A guildWait is the timeout for servers that are not described. Its callback runs between events,
// so it has a lock for both.
type guildWait struct {
	turn    chan struct{} // the lock
	over    chan struct{} // closed by end
	waiting sync.WaitGroup
	session int // counts sessions; guarded by turn
}

func newGuildWait() *guildWait {
	return &guildWait{turn: make(chan struct{}, 1), over: make(chan struct{})}
}

// alone runs do with the lock.
func (r *guildWait) alone(do func()) {
	r.turn <- struct{}{}
	defer func() { <-r.turn }()
	do()
}

// begin runs do after describeWait, unless another session has begun by then. It must be called
// with the lock.
func (r *guildWait) begin(do func()) {
	r.session++
	mine := r.session
	r.waiting.Go(func() {
		timer := time.NewTimer(describeWait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.over:
			return
		}
		r.alone(func() {
			if r.session == mine {
				do()
			}
		})
	})
}

// end stops the timer.
func (r *guildWait) end() {
	close(r.over)
	r.waiting.Wait()
}
