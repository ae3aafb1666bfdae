package fakediscord

import (
	"encoding/base64"
	"strings"
	"sync"
	"sync/atomic"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/fakegateway"
)

// A World is a small Discord: one guild or several with their channels, threads, members,
// roles and messages, and a bot, which is on all of them until ExpelBot removes it. It is
// safe for concurrent use.
type World struct {
	gateway *fakegateway.Server
	routes  []route
	closed  chan struct{}
	close   func()
	skew    atomic.Int64 // in nanoseconds; see Skew

	mu           sync.Mutex
	base         string
	ids          snowflakes
	guilds       []*guild // in the order of the layout
	bot          chat.UserID
	app          string // the ID of the bot's application
	channels     map[chat.ChannelID]*Channel
	channelOrder []chat.ChannelID
	messages     map[chat.MessageID]*Message
	history      map[chat.ChannelID][]chat.MessageID // oldest first
	nonces       map[nonceKey]sentNonce
	interactions map[string]*interaction // by token
	commands     []*Command              // oldest first
	commandIDs   snowflakes              // separate, as auditIDs
	invites      []*Invite               // oldest first, as webhooks
	auditIDs     snowflakes              // separate, so that the log does not change other IDs
	webhooks     []*Webhook
	presence     Presence // the bot's
	granted      int      // privileged intents that the bot may use
	intents      int      // of the bot's latest session
	large        int      // the number of members from which that session gets only some
	faults       []*Fault
	limits       map[string]rule
	global       rule
	buckets      map[string]*bucket
	exchanges    []Exchange
	unbuilt      []string
	voiceServer  VoiceServer
	onExchange   []func(Exchange)
	watchers     []func(Event)
	pending      []pendingEvent
	delivering   bool
	version      uint64                              // counts the changes
	keeper       *keeper                             // may be nil
	touched      map[chat.ChannelID][]chat.MessageID // see Changes; nil before its first call
	gone         []chat.MessageID                    // as touched
}

// New builds a world from a layout, which the package layout explains. The error of a
// layout that cannot be read names the line.
func New(text string) (*World, error) {
	w := newWorld()
	if err := w.build(text); err != nil {
		return nil, err
	}
	w.pending = nil // there are no watchers yet
	return w, nil
}

// newWorld is an empty world.
func newWorld() *World {
	w := &World{
		closed:       make(chan struct{}),
		base:         "http://fake.discord",
		channels:     map[chat.ChannelID]*Channel{},
		messages:     map[chat.MessageID]*Message{},
		history:      map[chat.ChannelID][]chat.MessageID{},
		nonces:       map[nonceKey]sentNonce{},
		interactions: map[string]*interaction{},
		presence:     Presence{Status: "online"},
		granted:      privilegedIntents,
		large:        defaultLarge,
		limits:       map[string]rule{},
		buckets:      map[string]*bucket{},
		voiceServer:  nowhere,
	}
	w.close = sync.OnceFunc(func() { close(w.closed) })
	w.routes = routes()
	w.gateway = fakegateway.New(fakegateway.Options{
		Identify: w.identify, URL: w.gatewayURL, Presence: w.setPresence, VoiceState: w.setVoiceState, Ended: w.hangUp,
		Members: w.answerMembers, Sounds: w.answerSounds, Unbuilt: w.lack,
	})
	return w
}

// Gateway is the websocket side, for faults of the connection.
func (w *World) Gateway() *fakegateway.Server { return w.gateway }

// Close ends all connections of the gateway and all hanging requests.
func (w *World) Close() {
	w.close()
	w.gateway.Close()
}

// SetURL sets the world's base URL, as in http://127.0.0.1:8080. The URLs of the gateway
// and of attachments begin with it.
func (w *World) SetURL(base string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.base = strings.TrimSuffix(base, "/")
}

func (w *World) gatewayURL() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.gatewayAddress()
}

func (w *World) gatewayAddress() string {
	return "ws" + strings.TrimPrefix(w.base, "http") + "/gateway"
}

// Token is the bot's token. Like a real one it begins with the bot's ID.
func (w *World) Token() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.token()
}

func (w *World) token() string {
	return base64.RawURLEncoding.EncodeToString([]byte(w.bot)) + ".fake.token"
}

func (w *World) newID() string { return w.ids.next(w.clock()) }

// change runs f with the world locked, then saves the change and delivers the events that f caused.
func (w *World) change(f func() error) error {
	err := w.locked(func() error {
		w.version++
		return f()
	})
	w.Sync()
	w.deliver()
	return err
}

// look runs f, which changes nothing that is saved, with the world locked. What f saw is saved then.
func (w *World) look(f func() error) error {
	err := w.locked(f)
	w.Sync()
	return err
}

func (w *World) locked(f func() error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return f()
}
