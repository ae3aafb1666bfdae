package fakegateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/fakediscord/fakegateway"
	"discoclaw/internal/memnet"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
)

const (
	address  = "ws://fake.test/?v=10&encoding=json"
	identify = `{"op":2,"d":{"token":"secret","intents":512,"properties":{"os":"linux"}}}`
)

func resume(session string, sequence int) string {
	return fmt.Sprintf(`{"op":6,"d":{"token":"secret","session_id":%q,"seq":%d}}`, session, sequence)
}

func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

// start serves a gateway in memory until the test ends.
func start(t *testing.T, o fakegateway.Options) (*fakegateway.Server, *memnet.Listener) {
	t.Helper()
	s := fakegateway.New(o)
	l := memnet.New()
	srv := &http.Server{Handler: s}
	var serving sync.WaitGroup
	serving.Go(func() { _ = srv.Serve(l) })
	t.Cleanup(func() {
		srv.Close()
		serving.Wait()
	})
	t.Cleanup(s.Close)
	return s, l
}

// A client is a plain websocket that records what it receives: "op 10", "READY 1",
// "close 4004", "gone".
type client struct {
	t  *testing.T
	ws *websocket.Conn

	mu    sync.Mutex
	heard []string
}

func connect(t *testing.T, l *memnet.Listener, url string) *client {
	t.Helper()
	ws, _, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{HTTPClient: l.HTTPClient()})
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, ws: ws}
	go c.listen()
	t.Cleanup(func() { ws.CloseNow() })
	synctest.Wait()
	return c
}

func (c *client) listen() {
	for {
		_, data, err := c.ws.Read(context.Background())
		switch code := websocket.CloseStatus(err); {
		case code != -1:
			c.note(fmt.Sprint("close ", int(code)))
			return
		case err != nil:
			c.note("gone")
			return
		}
		var p struct {
			Op       int             `json:"op"`
			Sequence int             `json:"s"`
			Name     string          `json:"t"`
			Data     json.RawMessage `json:"d"`
		}
		if err := json.Unmarshal(data, &p); err != nil {
			c.t.Errorf("heard %q: %v", data, err)
		}
		switch p.Op {
		case 0:
			c.note(fmt.Sprint(p.Name, " ", p.Sequence))
		case 9:
			c.note(fmt.Sprint("op 9 ", string(p.Data)))
		default:
			c.note(fmt.Sprint("op ", p.Op))
		}
	}
}

func (c *client) note(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = append(c.heard, text)
}

func (c *client) say(text string) {
	c.t.Helper()
	if err := c.ws.Write(c.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		c.t.Fatalf("say: %v", err)
	}
	synctest.Wait()
}

// require compares what was received since the last call.
func (c *client) require(want ...string) {
	c.t.Helper()
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if diff := cmp.Diff(want, c.heard); diff != "" {
		c.t.Errorf("heard (-want +got):\n%s", diff)
	}
	c.heard = nil
}

func TestSessionsGetEventsOfTheirIntents(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, l := start(t, fakegateway.Options{
			Identify: func(fakegateway.Identify) (map[string]any, []fakegateway.Event, int) {
				return map[string]any{"user": "me"}, []fakegateway.Event{{Name: "GUILD_CREATE"}}, 0
			},
		})
		c := connect(t, l, address)
		c.say(identify)
		s.Dispatch(512, fakegateway.Event{Name: "WANTED"})
		s.Dispatch(1, fakegateway.Event{Name: "UNWANTED"})
		s.Dispatch(1|512, fakegateway.Event{Name: "EITHER"})
		s.Dispatch(0, fakegateway.Event{Name: "FOR_ALL"})
		c.require("op 10", "READY 1", "GUILD_CREATE 2", "WANTED 3", "EITHER 4", "FOR_ALL 5")
	})
}

func TestReadyNamesTheSession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, l := start(t, fakegateway.Options{
			URL: func() string { return "ws://back.test" },
			Identify: func(who fakegateway.Identify) (map[string]any, []fakegateway.Event, int) {
				if who.Token != "secret" || who.Intents != 512 || who.Properties["os"] != "linux" {
					t.Errorf("the client says it is %+v", who)
				}
				return map[string]any{"user": "me"}, nil, 0
			},
		})
		ws, _, err := websocket.Dial(t.Context(), address, &websocket.DialOptions{HTTPClient: l.HTTPClient()})
		if err != nil {
			t.Fatal(err)
		}
		defer ws.CloseNow()
		if err := ws.Write(t.Context(), websocket.MessageText, []byte(identify)); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			`{"op":10,"d":{"heartbeat_interval":41250},"s":null,"t":null}`,
			`{"op":0,"d":{"resume_gateway_url":"ws://back.test","session_id":"session-1","user":"me","v":10},"s":1,"t":"READY"}`,
		} {
			if _, got, err := ws.Read(t.Context()); err != nil || string(got) != want {
				t.Errorf("read %s, %v, want %s", got, err, want)
			}
		}
	})
}

func TestNoEventIsLostBetweenReadyAndTheEvents(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var s *fakegateway.Server
		s, l := start(t, fakegateway.Options{
			Identify: func(fakegateway.Identify) (map[string]any, []fakegateway.Event, int) {
				s.Dispatch(512, fakegateway.Event{Name: "MEANWHILE"})
				return nil, []fakegateway.Event{{Name: "GUILD_CREATE"}}, 0
			},
		})
		c := connect(t, l, address)
		c.say(identify)
		c.require("op 10", "READY 1", "GUILD_CREATE 2", "MEANWHILE 3")
	})
}

func TestMissedEventsAreReplayed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, l := start(t, fakegateway.Options{})
		c := connect(t, l, address)
		c.say(identify)
		s.Dispatch(0, fakegateway.Event{Name: "HEARD"})
		c.require("op 10", "READY 1", "HEARD 2")
		s.Inject(fakegateway.Drop())
		c.require("gone")
		s.Dispatch(0, fakegateway.Event{Name: "MISSED"})

		c = connect(t, l, address)
		c.say(resume("session-1", 2))
		s.Dispatch(0, fakegateway.Event{Name: "NEW"})
		c.require("op 10", "MISSED 3", "RESUMED 4", "NEW 5")
		if got, want := s.Counts(), (fakegateway.Counts{Connections: 2, Identifies: 1, Resumes: 1}); got != want {
			t.Errorf("counts %+v, want %+v", got, want)
		}
	})
}

// TestAConnectionEndsOrBreaks: a client's read fails as on a real connection.
func TestAConnectionEndsOrBreaks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fault fakegateway.Fault
		want  error
	}{
		{"ended", fakegateway.Drop(), io.EOF},
		{"reset", fakegateway.Reset(), syscall.ECONNRESET},
	} {
		t.Run(tt.name+" in memory", func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s, l := start(t, fakegateway.Options{})
				requireEnd(t, s, address, l.HTTPClient(), tt.fault, tt.want)
			})
		})
		t.Run(tt.name+" over TCP", func(t *testing.T) {
			t.Parallel()
			s := fakegateway.New(fakegateway.Options{})
			srv := httptest.NewServer(s)
			t.Cleanup(srv.Close)
			t.Cleanup(s.Close)
			requireEnd(t, s, srv.URL+"/?v=10&encoding=json", srv.Client(), tt.fault, tt.want)
		})
	}
}

// requireEnd applies a fault to a connection, and fails unless the client's read returns
// want.
func requireEnd(t *testing.T, s *fakegateway.Server, url string, client *http.Client, f fakegateway.Fault, want error) {
	t.Helper()
	ws, _, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	if _, _, err := ws.Read(t.Context()); err != nil { // HELLO
		t.Fatal(err)
	}
	s.Inject(f)
	if _, _, err := ws.Read(t.Context()); !errors.Is(err, want) {
		t.Errorf("read: %v, want %v", err, want)
	}
}

func TestInvalidResumesAreRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		lose   func(s *fakegateway.Server, c *client)
		resume string
		want   string
	}{
		{"unknown session", nil, resume("session-9", 1), "op 9 false"},
		{"wrong token", nil, strings.Replace(resume("session-1", 1), "secret", "guess", 1), "close 4004"},
		{"future sequence", nil, resume("session-1", 99), "close 4007"},
		{"forgotten while away", func(s *fakegateway.Server, c *client) {
			s.Inject(fakegateway.Drop())
			synctest.Wait()
			s.ForgetSessions()
		}, resume("session-1", 1), "op 9 false"},
		{"forgotten while connected", func(s *fakegateway.Server, c *client) {
			s.ForgetSessions()
			s.Inject(fakegateway.Drop())
		}, resume("session-1", 1), "op 9 false"},
		{"invalidated", func(s *fakegateway.Server, c *client) {
			s.Inject(fakegateway.InvalidSession(false))
		}, resume("session-1", 1), "op 9 false"},
		{"given back by the client", func(s *fakegateway.Server, c *client) {
			c.ws.Close(websocket.StatusNormalClosure, "")
		}, resume("session-1", 1), "op 9 false"},
		{"missed too much", func(s *fakegateway.Server, c *client) {
			s.Inject(fakegateway.Drop())
			synctest.Wait()
			for range 10_001 {
				s.Dispatch(0, fakegateway.Event{Name: "NOISE"})
			}
		}, resume("session-1", 1), "op 9 false"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s, l := start(t, fakegateway.Options{})
				c := connect(t, l, address)
				c.say(identify)
				if tt.lose != nil {
					tt.lose(s, c)
				}
				synctest.Wait()
				c = connect(t, l, address)
				c.say(tt.resume)
				c.require("op 10", tt.want)
			})
		})
	}
}

func TestTheSessionIsKeptAfterAResumableClose(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, l := start(t, fakegateway.Options{})
		c := connect(t, l, address)
		c.say(identify)
		c.ws.Close(4000, "")
		c = connect(t, l, address)
		c.say(resume("session-1", 1))
		c.require("op 10", "RESUMED 2")
	})
}

func TestInvalidPayloadsCloseTheConnection(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, url string
		says      []string
		want      []string
	}{
		{"wrong version", "ws://fake.test/?v=6", nil, []string{"close 4012"}},
		{"an older version that still works", "ws://fake.test/?v=9&encoding=json", []string{identify}, []string{"op 10", "READY 1"}},
		{"a token with its prefix", address, []string{`{"op":2,"d":{"token":"Bot secret","intents":512}}`, `{"op":1}`}, []string{"op 10", "READY 1", "op 11"}},
		{"nonsense as a request", address, []string{identify, `{"op":8,"d":[]}`}, []string{"op 10", "READY 1", "close 4002"}},
		{"no JSON", address, []string{"hello"}, []string{"op 10", "close 4002"}},
		{"too long", address, []string{`{"op":1,"d":"` + strings.Repeat("x", 4096) + `"}`}, []string{"op 10", "close 4002"}},
		{"unknown operation", address, []string{`{"op":99}`}, []string{"op 10", "close 4001"}},
		{"not identified", address, []string{`{"op":3,"d":{}}`}, []string{"op 10", "close 4003"}},
		{"identified twice", address, []string{identify, identify}, []string{"op 10", "READY 1", "close 4005"}},
		{"resumes when identified", address, []string{identify, resume("session-1", 1)}, []string{"op 10", "READY 1", "close 4005"}},
		{"nonsense as identity", address, []string{`{"op":2,"d":[]}`}, []string{"op 10", "close 4002"}},
		{"well behaved", address, []string{identify, `{"op":3,"d":{}}`, `{"op":1,"d":1}`}, []string{"op 10", "READY 1", "op 11"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				_, l := start(t, fakegateway.Options{})
				c := connect(t, l, tt.url)
				for _, text := range tt.says {
					c.say(text)
				}
				c.require(tt.want...)
			})
		})
	}
}

func TestStrictServersEndSessionsWithoutHeartbeats(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, l := start(t, fakegateway.Options{Heartbeat: 10 * time.Second, Strict: true})
		c := connect(t, l, address)
		c.say(identify)
		time.Sleep(14 * time.Second)
		c.say(`{"op":1,"d":1}`)
		time.Sleep(14 * time.Second)
		c.require("op 10", "READY 1", "op 11")
		time.Sleep(2 * time.Second)
		c.require("close 4009")
		if n := s.Sessions(); n != 0 {
			t.Errorf("%d sessions are left", n)
		}
	})
}

func TestPreparedAnswersComeInOrderThenTheRegularOne(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, l := start(t, fakegateway.Options{})
		s.AnswerNext(fakegateway.Reconnect(), fakegateway.InvalidSession(true))
		s.AnswerNext(fakegateway.CloseCode(4008), fakegateway.Drop())
		for _, want := range []string{"op 7", "op 9 true", "close 4008", "gone", "READY 1"} {
			c := connect(t, l, address)
			c.say(identify)
			c.require("op 10", want)
		}
	})
}

func TestHellosACKsAndConnectionsCanBeWithheld(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, l := start(t, fakegateway.Options{})
		s.StopACKs(true)
		c := connect(t, l, address)
		c.say(`{"op":1,"d":null}`)
		c.require("op 10")
		s.StopACKs(false)
		c.say(`{"op":1,"d":null}`)
		c.require("op 11")

		s.WithholdHello(true)
		connect(t, l, address).require()

		s.Refuse(true)
		_, resp, err := websocket.Dial(t.Context(), address, &websocket.DialOptions{HTTPClient: l.HTTPClient()})
		if err == nil || resp == nil || resp.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("a refused connection: %v", err)
		}
		if got := s.Counts(); got.Connections != 2 || got.Heartbeats != 2 {
			t.Errorf("counts %+v", got)
		}
	})
}

func TestCloseEndsEverything(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, l := start(t, fakegateway.Options{})
		c := connect(t, l, address)
		c.say(identify)
		s.Close()
		c.require("op 10", "READY 1", "gone")
		if _, _, err := websocket.Dial(t.Context(), address, &websocket.DialOptions{HTTPClient: l.HTTPClient()}); err == nil {
			t.Error("a closed server takes connections")
		}
	})
}

// TestASessionThatMayBeResumedIsResumedOverTheSameConnection, as some clients do.
func TestASessionThatMayBeResumedIsResumedOverTheSameConnection(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, l := start(t, fakegateway.Options{})
		c := connect(t, l, address)
		c.say(identify)
		s.Inject(fakegateway.InvalidSession(true))
		s.Dispatch(0, fakegateway.Event{Name: "MISSED"})
		c.require("op 10", "READY 1", "op 9 true")
		c.say(resume("session-1", 1))
		c.require("MISSED 2", "RESUMED 3")
	})
}
