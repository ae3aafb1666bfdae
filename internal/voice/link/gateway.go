package link

import (
	"context"
	"fmt"
	"time"

	"github.com/coder/websocket"

	"discoclaw/internal/voice/dave"
)

const (
	dialWait  = 10 * time.Second
	writeWait = 10 * time.Second

	// answerWait is how long the server may take from HELLO, or to HELLO, until the session is there.
	answerWait = 20 * time.Second

	// goodbyeWait is how long the server may take to respond to a close frame.
	goodbyeWait = time.Second

	// aloneWait is how long the server may take, once there is a session, to say who else is in the call.
	aloneWait = time.Second

	maxMessage = 1 << 20 // a group of a thousand members needs half of it
	maxPeople  = 1 << 16 // far more than a channel holds

	keepSession = websocket.StatusCode(4000) // any code but 1000 and 1001
)

// A session is what a call has on one server. It outlives connections.
type session struct {
	server    Server
	sequence  int // of the last message; -1 before the first
	mode      string
	media     *media // nil before READY
	news      chan news
	dave      *dave.Controller
	described time.Time // when its key came; zero before
	told      bool      // that the bot speaks
	ready     bool
	people    map[uint64]bool
}

func newSession(at Server, d *dave.Controller) *session {
	return &session{server: at, sequence: -1, news: make(chan news, 2), dave: d, people: map[uint64]bool{}}
}

// A line is one connection to the voice gateway. It belongs to the goroutine that calls serve; only read runs beside it.
type line struct {
	c  *Call
	s  *session
	ws *websocket.Conn

	messages chan message  // closed at the end of reading
	readErr  error         // why reading ended; valid once messages is closed
	left     chan struct{} // closed when messages are not received any more
	abort    context.CancelFunc

	heart    *time.Timer
	interval time.Duration // of heartbeats; 0 until HELLO
	beat     time.Time     // when the last one was sent; zero once it is acknowledged
	answer   *time.Timer
	resuming bool
	upSince  time.Time
}

type message struct {
	kind websocket.MessageType
	data []byte
}

func (c *Call) dial(ctx context.Context, at Server) (*line, error) {
	dialing, cancel := context.WithTimeout(ctx, dialWait)
	defer cancel()
	ws, _, err := websocket.Dial(dialing, at.address(), &websocket.DialOptions{HTTPClient: c.o.HTTP})
	if err != nil {
		return nil, fmt.Errorf("connect to the voice gateway: %w", err)
	}
	ws.SetReadLimit(maxMessage)
	return &line{c: c, s: c.session, ws: ws, messages: make(chan message), left: make(chan struct{})}, nil
}

// serve serves the connection until it ends, and returns why.
func (l *line) serve(ctx context.Context) error {
	// Reading outlives ctx, to read the response to our close frame.
	reading, abort := context.WithCancel(context.WithoutCancel(ctx))
	l.abort = abort
	go l.read(reading)
	l.heart, l.answer = time.NewTimer(answerWait), time.NewTimer(answerWait)
	defer l.heart.Stop()
	defer l.answer.Stop()
	err := l.listen(ctx)
	code := websocket.StatusNormalClosure
	if then, _ := afterEnd(err, false); then == resume && ctx.Err() == nil {
		code = keepSession
	}
	l.hangUp(code)
	return err
}

// read passes on messages until the connection ends.
func (l *line) read(ctx context.Context) {
	defer close(l.messages)
	for {
		kind, data, err := l.ws.Read(ctx)
		if err != nil {
			l.readErr = err
			return
		}
		select {
		case l.messages <- message{kind, data}:
		case <-l.left:
		}
	}
}

// hangUp closes the connection and waits for its goroutine.
func (l *line) hangUp(code websocket.StatusCode) {
	close(l.left)
	timer := time.AfterFunc(goodbyeWait, l.abort)
	defer timer.Stop()
	_ = l.ws.Close(code, "") // the server may be gone already
	for range l.messages {
	}
	l.abort()
}

// listen receives messages and sends what is due until the connection ends.
func (l *line) listen(ctx context.Context) error {
	for {
		if err := l.event(ctx); err != nil {
			return err
		}
		if err := l.s.dave.Err(); err != nil {
			return fmt.Errorf("%w: %w", ErrEncryption, err)
		}
		l.publish()
	}
}

// event waits for something to happen, and does what it calls for.
func (l *line) event(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case m, open := <-l.messages:
		if !open {
			return l.readErr
		}
		return l.receive(ctx, m)
	case <-l.heart.C:
		return l.heartbeat(ctx)
	case <-l.answer.C:
		return errNoAnswer
	case n := <-l.s.news:
		return l.selectProtocol(ctx, n)
	case <-l.c.news:
		if l.c.target() != l.s.server {
			return errMoved
		}
		return l.speak(ctx)
	case <-l.s.dave.Woken():
	case <-l.s.due():
	}
	return l.sendAll(ctx, l.s.dave.Expire(time.Now()))
}

// due is when something is to be looked after though no message comes: a wait of the encryption, or being alone.
func (s *session) due() <-chan time.Time {
	at := s.dave.Due()
	if alone := s.described.Add(aloneWait); time.Now().Before(alone) && (at.IsZero() || alone.Before(at)) {
		at = alone
	}
	if at.IsZero() {
		return nil
	}
	return time.After(time.Until(at))
}
