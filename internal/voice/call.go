package voice

import (
	"context"
	"strconv"
	"sync"

	"discoclaw/internal/chat"
	"discoclaw/internal/sleep"
	"discoclaw/internal/voice/dave"
	"discoclaw/internal/voice/link"
)

// Calls is the Transport that connects the bot to the calls in voice channels. Its zero value does not work.
type Calls struct {
	Signals
	options  link.Options
	identity func() (*dave.Identity, error) // the one of the process, made for the first call
}

// NewCalls returns a Transport. The options need no identity.
func NewCalls(g Gateway, o link.Options) *Calls {
	return &Calls{Signals{g}, o, sync.OnceValues(dave.NewIdentity)}
}

// Join takes the bot out of voice if it was let in but cannot connect to the call.
func (c *Calls) Join(ctx context.Context, g chat.GuildID, ch chat.ChannelID, mute, deaf bool, from Conn) (Conn, error) {
	signalled, err := c.Signals.Join(ctx, g, ch, mute, deaf, nil)
	if err != nil {
		return nil, err
	}
	if from != nil {
		from.Drop()
	}
	conn, err := c.connect(ctx, g, signalled)
	if err != nil {
		back, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawal)
		defer cancel()
		_ = signalled.Close(back) // the first error is the one to tell
		return nil, err
	}
	return conn, nil
}

func (c *Calls) connect(ctx context.Context, g chat.GuildID, in Conn) (Conn, error) {
	o := c.options
	var err error
	if o.Identity, err = c.identity(); err != nil {
		return nil, err
	}
	at := whereabouts(c.Gateway, g)
	call, err := link.Dial(ctx, at, o)
	if err != nil {
		return nil, err
	}
	watching, stop := context.WithCancel(context.Background())
	conn := &calling{Conn: in, gateway: c.Gateway, guild: g, call: call, token: at.Token, news: make(chan struct{}, 1), stop: stop}
	conn.watched.Go(func() { conn.watch(watching) })
	return conn, nil
}

// whereabouts is the call of the channel that the bot is in.
func whereabouts(gateway Gateway, g chat.GuildID) link.Server {
	now, _ := gateway.VoiceState(g)
	at := gateway.VoiceServer(g)
	return link.Server{
		Endpoint: at.Endpoint, Token: at.Token, Session: at.Session,
		Guild: number(string(g)), Channel: number(string(now.Channel)), Self: number(string(gateway.Self().ID)),
	}
}

// number is an ID. What is none becomes 0, with which Discord lets nobody in.
func number(id string) uint64 {
	n, _ := strconv.ParseUint(id, 10, 64)
	return n
}

// calling is the bot in a call.
type calling struct {
	Conn    // which tells Discord where the bot wants to be
	gateway Gateway
	guild   chat.GuildID
	call    *link.Call
	token   string // of the server that the call was told of last
	news    chan struct{}
	stop    context.CancelFunc
	watched sync.WaitGroup
}

// State also lets the call follow to where Discord has moved it. A move is complete when there is another token.
func (c *calling) State() (chat.VoiceState, <-chan struct{}, error) {
	now, _ := c.gateway.VoiceState(c.guild)
	if now.Channel == "" {
		return now, c.news, nil
	}
	if at := whereabouts(c.gateway, c.guild); at.Token != c.token {
		c.token = at.Token
		c.call.Move(at)
	}
	call, _ := c.call.State()
	now.Served = now.Served && call.Ready
	return now, c.news, call.Err
}

// watch passes on that Discord or the call has news.
func (c *calling) watch(ctx context.Context) {
	for {
		_, there := c.gateway.VoiceState(c.guild)
		_, here := c.call.State()
		sleep.Wake(c.news) // also for what came before
		select {
		case <-there:
		case <-here:
		case <-ctx.Done():
			return
		}
	}
}

func (c *calling) Drop() {
	c.stop()
	c.watched.Wait()
	c.call.Close()
}

func (c *calling) Call() *link.Call { return c.call }
