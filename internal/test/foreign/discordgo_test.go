package foreign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/memnet"
)

// A gopher is discordgo with its own gateway on a course. The steps leave in it what later ones need.
type gopher struct {
	*course
	net   *memnet.Listener
	s     *discordgo.Session
	guild string

	mu    sync.Mutex
	heard []*discordgo.Event
	told  chan struct{} // closed and replaced at every event

	message     *discordgo.Message
	result      discordgo.Message // of a poll
	thread      *discordgo.Channel
	channel     *discordgo.Channel
	role        *discordgo.Role
	command     *discordgo.ApplicationCommand
	interaction *discordgo.Interaction
	event       *discordgo.GuildScheduledEvent
	invite      *discordgo.Invite
	emoji       fakediscord.GuildEmoji
	session     string // the ID of the session that is resumed
	started     time.Time
}

// A goStep is a named step of discordgo.
type goStep struct {
	name string
	do   func(*gopher) error
}

// TestDiscordgoOnTheFake takes discordgo from its login to a resumed session. Time is real: discordgo sleeps with a mutex
// that others wait for, which stops the clock of a bubble.
func TestDiscordgoOnTheFake(t *testing.T) {
	t.Parallel()
	on := memnet.New()
	c := newCourse(t, on, "http://fake.discord")
	g := &gopher{course: c, net: on, guild: string(c.GuildID()), told: make(chan struct{})}
	g.s = g.connect("Bot " + c.Token())
	g.s.AddHandler(g.note)
	defer func() { _ = g.s.Close() }() // it may be closed already
	g.walk()
	c.report("discordgo")
}

// walk takes all steps.
func (g *gopher) walk() {
	for _, steps := range [][]goStep{goLogin, goGuild, goMessages, goThreads, goMembers, goRoles, goChannels, goCommands, goEvents, goRefusals, goResume} {
		for _, step := range steps {
			trouble := ""
			if err := step.do(g); err != nil {
				trouble = err.Error()
			}
			g.took(step.name, trouble)
		}
	}
}

// connect is a session whose requests reach the fake. Its gateway is the one that the fake names.
func (g *gopher) connect(token string) *discordgo.Session {
	g.Helper()
	s, err := discordgo.New(token)
	if err != nil {
		g.Fatal(err)
	}
	s.Client = &http.Client{Transport: unencrypted{g.net.HTTPClient().Transport}, Timeout: 10 * time.Second}
	dialer := *s.Dialer // the package's own, which other sessions share
	dialer.NetDial = func(string, string) (net.Conn, error) { return g.net.Dial(context.Background()) }
	s.Dialer = &dialer
	s.Identify.Intents = discordgo.IntentsAll
	s.State.TrackVoice = true
	s.MaxRestRetries = 0
	s.LogLevel = -1 // its errors are what the steps are about
	return s
}

// unencrypted sends requests without TLS. The network of a test leads to the fake under any name.
type unencrypted struct{ http.RoundTripper }

func (u unencrypted) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.URL.Scheme = "http"
	return u.RoundTripper.RoundTrip(req)
}

// apart waits until Discord starts another session, five seconds after the last one, and has it started. An op 9 in answer to
// the first IDENTIFY makes discordgo wait for its own lock for ever.
func (g *gopher) apart(start func() error) error {
	time.Sleep(time.Until(g.started.Add(5 * time.Second)))
	defer func() { g.started = time.Now() }()
	return start()
}

// asks makes a request that discordgo has no function for, or whose answer it does not pass on.
func (g *gopher) asks(method, url string, body, answer any) error {
	got, err := g.s.RequestWithBucketID(method, url, body, strings.Split(url, "?")[0])
	if err != nil || answer == nil {
		return err
	}
	return json.Unmarshal(got, answer)
}

func (g *gopher) note(_ *discordgo.Session, e *discordgo.Event) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.heard = append(g.heard, e)
	close(g.told)
	g.told = make(chan struct{})
}

// hears waits for an event of a name that comes while or after something is done, and reads it into v if that is not nil.
func (g *gopher) hears(name string, v any, do func() error) error {
	return g.hearsOf(name, v, func() bool { return true }, do)
}

// hearsOf is hears for an event that, once it is read into v, is the one that is meant.
func (g *gopher) hearsOf(name string, v any, isMeant func() bool, do func() error) error {
	g.mu.Lock()
	from := len(g.heard)
	g.mu.Unlock()
	if err := do(); err != nil {
		return err
	}
	late := time.After(10 * time.Second)
	for {
		g.mu.Lock()
		news, told := g.heard[from:], g.told
		from = len(g.heard)
		g.mu.Unlock()
		for _, e := range news {
			if e.Type != name {
				continue
			}
			if v != nil {
				reflect.ValueOf(v).Elem().SetZero() // it may have an event that was not meant
				if err := json.Unmarshal(e.RawData, v); err != nil {
					return err
				}
			}
			if isMeant() {
				return nil
			}
		}
		select {
		case <-told:
		case <-late:
			return fmt.Errorf("%s did not come", name)
		}
	}
}

// id is the ID of a channel.
func (g *gopher) id(channel string) string {
	c, ok := g.Channel(channel)
	if !ok {
		g.Fatalf("there is no channel %s", channel)
	}
	return string(c.ID)
}

// user is the ID of a member.
func (g *gopher) user(name string) string {
	m, ok := g.Member(name)
	if !ok {
		g.Fatalf("there is no member %s", name)
	}
	return string(m.ID)
}

// is reports what differs.
func is(what string, got, want any) error {
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("%s: %v, want %v", what, got, want)
	}
	return nil
}

// refused reports an error that is not Discord's of a code.
func refused(err error, status, code int) error {
	var rest *discordgo.RESTError
	switch {
	case err == nil:
		return errors.New("it was not refused")
	case !errors.As(err, &rest) || rest.Message == nil && code != 0:
		return err
	case rest.Response.StatusCode != status || code != 0 && rest.Message.Code != code:
		return err
	}
	return nil
}

// said has a member write, and returns the message.
func (g *gopher) said(user, channel, text string) (*discordgo.Message, error) {
	m, err := g.Say(user, channel, text)
	if err != nil {
		return nil, err
	}
	return g.s.ChannelMessage(string(m.Channel), string(m.ID))
}

// mentionOf is how a text mentions a user.
func mentionOf(id string) string { return "<@" + id + ">" }

// names are the names of channels, in one line.
func names(all []*discordgo.Channel) string {
	var list []string
	for _, c := range all {
		list = append(list, c.Name)
	}
	return strings.Join(list, " ")
}

// messageID is an ID as the world has it.
func messageID(m *discordgo.Message) chat.MessageID { return chat.MessageID(m.ID) }
