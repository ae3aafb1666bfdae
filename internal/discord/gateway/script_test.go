package gateway_test

import (
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/discord/gateway"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
)

const (
	hello = `{"op":10,"d":{"heartbeat_interval":41250}}`
	ready = `{"op":0,"t":"READY","s":1,"d":{"session_id":"abc","resume_gateway_url":"ws://resume.test"}}`
)

// A script is a server that sends fixed messages, for faults that the fake does not have. Each
// connection runs the next scene; after the last they are refused.
type script struct {
	t    testing.TB
	log  lines
	over chan struct{} // closed at the end of the test

	mu     sync.Mutex
	scenes []func(a *actor)
	heard  []string // messages of the client
}

func newScript(t testing.TB, scenes ...func(a *actor)) *script {
	return &script{t: t, scenes: scenes, over: make(chan struct{})}
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if len(s.scenes) == 0 {
		s.mu.Unlock()
		http.Error(w, "the show is over", http.StatusServiceUnavailable)
		return
	}
	scene := s.scenes[0]
	s.scenes = s.scenes[1:]
	s.mu.Unlock()

	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		s.t.Errorf("accept: %v", err)
		return
	}
	defer ws.CloseNow()
	scene(&actor{s, ws})
}

// start runs a client against the script.
func (s *script) start(o gateway.Options) *running {
	s.t.Helper()
	net := serve(s.t, s)
	o.Token, o.Intents, o.HTTP = token, intents, net.HTTPClient()
	o.Log = slog.New(slog.NewTextHandler(&s.log, nil))
	o.Locate = func(context.Context) (gateway.Location, error) {
		return gateway.Location{URL: "ws://gateway.test"}, nil
	}
	s.t.Cleanup(func() { close(s.over) })
	run := launch(s.t, o)
	synctest.Wait()
	return run
}

func (s *script) requireHeard(want ...string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if diff := cmp.Diff(want, s.heard); diff != "" {
		s.t.Errorf("heard from the client (-want +got):\n%s", diff)
	}
}

// An actor is the server's side of one connection.
type actor struct {
	s  *script
	ws *websocket.Conn
}

func (a *actor) say(texts ...string) {
	for _, text := range texts {
		if err := a.ws.Write(context.Background(), websocket.MessageText, []byte(text)); err != nil {
			a.s.t.Errorf("say %s: %v", text, err)
		}
	}
}

// listen reads one message, or the end of the connection.
func (a *actor) listen() {
	_, data, err := a.ws.Read(context.Background())
	if code := websocket.CloseStatus(err); code >= 0 {
		a.note(fmt.Sprint("close ", int(code)))
		return
	}
	var p struct {
		Op   int             `json:"op"`
		Data json.RawMessage `json:"d"`
	}
	if err != nil || json.Unmarshal(data, &p) != nil {
		a.s.t.Errorf("listen: %q, %v", data, err)
	}
	text := fmt.Sprint("op ", p.Op)
	switch p.Op {
	case 1:
		text = "heartbeat " + string(p.Data)
	case 2:
		text = "identify"
	case 3:
		var d gateway.Presence
		if err := json.Unmarshal(p.Data, &d); err != nil {
			a.s.t.Errorf("listen: %v", err)
		}
		text = "presence " + d.Status
	case 6:
		var d struct {
			Session  string `json:"session_id"`
			Sequence int64  `json:"seq"`
		}
		if err := json.Unmarshal(p.Data, &d); err != nil {
			a.s.t.Errorf("listen: %v", err)
		}
		text = fmt.Sprintf("resume %s after %d", d.Session, d.Sequence)
	}
	a.note(text)
}

func (a *actor) note(heard string) {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	a.s.heard = append(a.s.heard, heard)
}

// idle keeps the connection open, and responds to close frames but not to heartbeats.
func (a *actor) idle() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		select {
		case <-a.s.over:
			cancel()
		case <-stop:
		}
	}()
	for {
		if _, _, err := a.ws.Read(ctx); err != nil {
			return
		}
	}
}

// freeze keeps the connection open and reads nothing.
func (a *actor) freeze() { <-a.s.over }

func welcome(a *actor) {
	a.say(hello)
	a.listen()
	a.say(ready)
}

func TestOnlyASequenceAdvancesTheSession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newScript(t,
			func(a *actor) {
				welcome(a)
				a.say(
					`{"op":0,"t":"ONE","s":5,"d":{}}`, // three are missing
					`{"op":0,"t":"TWO","s":null,"d":{}}`,
					`{"op":0,"t":"THREE","d":{}}`,
					`{"op":0,"t":"FOUR","s":4,"d":{}}`,
					`{"op":77,"d":"news of the future"}`,
				)
			},
			func(a *actor) {
				a.say(hello)
				a.listen()
				a.idle()
			})
		var kept shelf
		run := s.start(gateway.Options{Keeper: &kept})
		time.Sleep(settled)
		run.requireRunning()
		if diff := cmp.Diff([]string{"READY", "ONE", "TWO", "THREE", "FOUR"}, run.names()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		s.requireHeard("identify", "resume abc after 5")
		want := []gateway.Session{
			{ID: "abc", ResumeURL: "ws://resume.test", Sequence: 1},
			{ID: "abc", ResumeURL: "ws://resume.test", Sequence: 5},
		}
		if diff := cmp.Diff(want, kept.saved); diff != "" {
			t.Errorf("saved (-want +got):\n%s", diff)
		}
		for _, part := range []string{"event=ONE sequence=5 expected=2", "event=FOUR sequence=4 expected=6"} {
			if !strings.Contains(s.log.String(), part) {
				t.Errorf("the log does not say %q:\n%s", part, &s.log)
			}
		}
	})
}

func TestHeartbeatsHaveTheLastSequence(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const request = `{"op":1,"d":null}`
		s := newScript(t, func(a *actor) {
			a.say(hello)
			a.listen()
			a.say(request)
			a.listen()
			a.say(ready, request)
			a.listen()
			a.idle()
		})
		s.start(gateway.Options{})
		s.requireHeard("identify", "heartbeat null", "heartbeat 1")
	})
}

func TestKeepsResumingWhileTheSequenceAdvances(t *testing.T) {
	bubble(t, func(t *testing.T) {
		replay := func(sequence int) func(a *actor) {
			return func(a *actor) {
				a.say(hello)
				a.listen()
				a.say(fmt.Sprintf(`{"op":0,"t":"MESSAGE_CREATE","s":%d,"d":{}}`, sequence))
			}
		}
		s := newScript(t, welcome, replay(2), replay(3), replay(4), replay(5), replay(6))
		run := s.start(gateway.Options{})
		time.Sleep(5 * time.Minute)
		run.requireRunning()
		s.requireHeard("identify", "resume abc after 1", "resume abc after 2", "resume abc after 3",
			"resume abc after 4", "resume abc after 5")
	})
}

func TestResumesAfterAMessageThatCannotBeParsed(t *testing.T) {
	t.Parallel()
	for name, nonsense := range map[string]string{
		"no JSON":       `{"op":0,"t":`,
		"wrong types":   `{"op":"zero"}`,
		"no READY data": `{"op":0,"t":"READY","s":2,"d":[]}`,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := newScript(t,
					func(a *actor) {
						welcome(a)
						a.say(nonsense)
						a.idle()
					},
					func(a *actor) {
						a.say(hello)
						a.listen()
						a.idle()
					})
				run := s.start(gateway.Options{})
				time.Sleep(settled)
				run.requireRunning()
				s.requireHeard("identify", "resume abc after 1")
			})
		})
	}
}

func TestReconnectsAfterAnInvalidHello(t *testing.T) {
	t.Parallel()
	for _, nonsense := range []string{`{"op":10}`, `{"op":10,"d":[]}`, `{"op":10,"d":{"heartbeat_interval":-1}}`, `{"op":10,"d":{"heartbeat_interval":9000000000000000000}}`} {
		t.Run(nonsense, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				scene := func(a *actor) {
					a.say(nonsense)
					a.idle()
				}
				s := newScript(t, scene, scene, scene, func(a *actor) {
					a.say(hello)
					a.listen()
					a.say(ready)
					a.idle()
				})
				run := s.start(gateway.Options{})
				time.Sleep(settled)
				run.requireRunning()
				s.requireHeard("identify")
				if logged := s.log.String(); !strings.Contains(logged, "HELLO") {
					t.Errorf("the log does not say why:\n%s", logged)
				}
			})
		})
	}
}

// TestReadyNeedsNoAddress: a session without one is resumed at the general address.
func TestReadyNeedsNoAddress(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newScript(t, func(a *actor) {
			a.say(hello)
			a.listen()
			a.say(`{"op":0,"t":"READY","s":1,"d":{"resume_gateway_url":7,"session_id":"abc"}}`)
		}, func(a *actor) {
			a.say(hello)
			a.listen()
			a.idle()
		})
		run := s.start(gateway.Options{})
		time.Sleep(settled)
		run.requireRunning()
		s.requireHeard("identify", "resume abc after 1")
	})
}

func TestIdentifiesOnceOnAConnection(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newScript(t, func(a *actor) {
			a.say(hello)
			a.listen()
			a.say(hello, ready, hello)
			a.idle()
		})
		run := s.start(gateway.Options{})
		time.Sleep(settled)
		run.requireRunning()
		s.requireHeard("identify")
	})
}

func TestEndsInTimeWhenTheServerIsFrozen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newScript(t, func(a *actor) {
			welcome(a)
			a.freeze()
		})
		run := s.start(gateway.Options{})
		begun := time.Now()
		run.stop()
		if run.err != nil {
			t.Errorf("Run returned %v", run.err)
		}
		if took := time.Since(begun); took > 2*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

func TestReconnectsWhenTheServerIsFrozen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newScript(t,
			func(a *actor) {
				welcome(a)
				a.freeze()
			},
			func(a *actor) {
				a.say(hello)
				a.listen()
				a.idle()
			})
		run := s.start(gateway.Options{})
		time.Sleep(time.Minute + settled)
		run.requireRunning()
		s.requireHeard("identify", "resume abc after 1")
	})
}

// TestReadsTheCloseCodeWhenAWriteFails: the server closes with a code and is gone before it has
// read the IDENTIFY.
func TestReadsTheCloseCodeWhenAWriteFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		o := r.options()
		o.HTTP = serve(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			key := sha1.Sum([]byte(req.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Errorf("hijack: %v", err)
				return
			}
			defer conn.Close()
			fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
				base64.StdEncoding.EncodeToString(key[:]))
			fmt.Fprintf(conn, "\x81%c%s", len(hello), hello)
			time.Sleep(time.Second)              // the client is writing by now
			fmt.Fprint(conn, "\x88\x02\x0f\xa4") // close 4004
		})).HTTPClient()
		r.startWith(o).requireCloseError(4004)
	})
}
