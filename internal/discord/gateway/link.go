package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/coder/websocket"
)

const (
	dialWait  = 20 * time.Second
	writeWait = 10 * time.Second

	// answerWait is how long the server may take to respond to IDENTIFY or RESUME, and between two
	// replayed events.
	answerWait = time.Minute

	// goodbyeWait is how long the server may take to respond to a close frame.
	goodbyeWait = 2 * time.Second

	// maxMessage bounds the size of a message. The state of a big guild has several
	// megabytes.
	maxMessage = 64 << 20

	// closeAndKeep leaves the session open on Discord's side; closeForGood ends it.
	// By Discord's documentation ("Initiating a Disconnect") any code but 1000 and
	// 1001 leaves it open.
	closeAndKeep = websocket.StatusCode(4000)
	closeForGood = websocket.StatusNormalClosure
)

// A link is one connection. It belongs to the goroutine that calls serve; only
// read runs beside it.
type link struct {
	c      *Client
	handle func(Event)
	ws     *websocket.Conn
	heart  heart

	messages chan []byte   // closed at the end of reading
	readErr  error         // why reading ended; valid once messages is closed
	left     chan struct{} // closed when messages are not received any more
	abort    context.CancelFunc

	answer   *time.Timer // fires if there is no response to IDENTIFY or RESUME; nil before
	resuming bool        // RESUME was sent
	since    int64       // the sequence when it was
	upSince  time.Time   // when READY or RESUMED came

	told      *Presence // that was sent on this connection
	allowance allowance
}

// dial opens a connection.
func (c *Client) dial(ctx context.Context, address string, handle func(Event)) (*link, error) {
	address, err := withVersion(address)
	if err != nil {
		return nil, err
	}
	dialing, cancel := context.WithTimeout(ctx, dialWait)
	defer cancel()
	ws, resp, err := websocket.Dial(dialing, address, &websocket.DialOptions{HTTPClient: c.o.HTTP})
	if err != nil {
		return nil, fmt.Errorf("connect to the gateway: %w", refusedDial(err, resp))
	}
	ws.SetReadLimit(maxMessage)
	return &link{
		c: c, handle: handle, ws: ws, heart: newHeart(),
		messages: make(chan []byte), left: make(chan struct{}),
	}, nil
}

// serve serves the connection until it ends, closes it and reports how it went.
func (l *link) serve(ctx context.Context) report {
	// Reading outlives ctx, to read the response to our close frame.
	reading, abort := context.WithCancel(context.WithoutCancel(ctx))
	l.abort = abort
	go l.read(reading)

	err := l.listen(ctx)
	l.hangUp(l.farewell(ctx))

	r := report{err: err, opened: l.opened(), up: !l.upSince.IsZero()}
	if r.up {
		r.lasted = time.Since(l.upSince)
	}
	// A connection that broke in the middle of the replay has advanced the sequence.
	r.refused = l.resuming && !r.up && l.c.session.Sequence == l.since
	return r
}

// opened reports whether HELLO has come.
func (l *link) opened() bool { return l.heart.interval > 0 }

// read passes on messages until the connection ends.
func (l *link) read(ctx context.Context) {
	defer close(l.messages)
	for {
		_, data, err := l.ws.Read(ctx)
		if err != nil {
			l.readErr = err
			return
		}
		select {
		case l.messages <- data:
		case <-l.left:
		}
	}
}

// listen receives messages and sends heartbeats until the connection ends.
func (l *link) listen(ctx context.Context) error {
	defer l.heart.timer.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.heart.timer.C:
			if err = l.heart.due(); err == nil {
				err = l.send(ctx, heartbeatCommand(l.c.session))
			}
		case <-l.unanswered():
			err = errNoAnswer
		case data, open := <-l.messages:
			if !open {
				return l.closed()
			}
			err = l.receive(ctx, data)
		case o := <-l.orders():
			err = l.obey(ctx, o)
		case <-l.room():
		}
		if err != nil {
			return err
		}
	}
}

// unanswered returns a channel that receives when the response to IDENTIFY or RESUME takes too long. It
// is nil before and after.
func (l *link) unanswered() <-chan time.Time {
	if l.answer == nil || !l.upSince.IsZero() {
		return nil
	}
	return l.answer.C
}

// closed returns why reading ended.
func (l *link) closed() error {
	if ce, ok := errors.AsType[websocket.CloseError](l.readErr); ok {
		return &CloseError{Code: int(ce.Code), Reason: ce.Reason, Intents: l.c.o.Intents}
	}
	return fmt.Errorf("the connection broke: %w", l.readErr)
}

// receive handles one message. An error ends the connection.
func (l *link) receive(ctx context.Context, data []byte) error {
	p, err := readPayload(data)
	if err != nil {
		return err
	}
	switch p.Op {
	case opDispatch:
		return l.dispatch(ctx, p)
	case opHello:
		return l.hello(ctx, p.Data)
	case opHeartbeat:
		return l.send(ctx, heartbeatCommand(l.c.session))
	case opHeartbeatACK:
		l.heart.acknowledged()
	case opReconnect:
		return errReconnect
	case opInvalidSession:
		if string(p.Data) == "true" {
			return errSessionPaused
		}
		return errSessionInvalid
	}
	return nil
}

// hello starts the heartbeats, and sends RESUME or IDENTIFY.
func (l *link) hello(ctx context.Context, data json.RawMessage) error {
	if l.opened() {
		return nil // Discord closes the connection after a second IDENTIFY
	}
	interval, err := helloInterval(data)
	if err != nil {
		return err
	}
	l.heart.start(interval)
	l.answer = time.NewTimer(answerWait)
	if s := l.c.session; s.ID != "" {
		l.resuming, l.since, l.told = true, s.Sequence, l.c.began
		return l.send(ctx, resumeCommand(l.c.o.Token, s))
	}
	l.c.starts.spent(time.Now())
	l.told = l.c.presence.get()
	l.c.began = l.told
	return l.send(ctx, identifyCommand(l.c.o, l.told))
}

// dispatch has an event handled and then advances the sequence: an event that a crash interrupts is
// replayed.
func (l *link) dispatch(ctx context.Context, p payload) error {
	e := Event{Name: p.Name, Data: p.Data, Late: l.resuming && l.upSince.IsZero()}
	place := l.c.session
	if p.Name == "READY" {
		var err error
		if place, err = newSession(p.Data); err != nil {
			return err
		}
	}
	if p.Sequence != nil {
		e.Sequence = *p.Sequence
		if expected := place.Sequence + 1; p.Name != "READY" && e.Sequence != expected {
			l.c.o.Log.WarnContext(ctx, "event out of sequence", "event", e.Name, "sequence", e.Sequence, "expected", expected)
		}
		place.Sequence = max(place.Sequence, e.Sequence)
	}
	l.handle(e)
	l.c.keep(ctx, place)
	if l.answer != nil && l.upSince.IsZero() {
		l.answer.Reset(answerWait) // now, since handling may have taken long
	}
	if p.Name == "READY" || p.Name == "RESUMED" {
		l.upSince = time.Now()
		l.c.o.Log.InfoContext(ctx, "gateway connected", "by", p.Name)
		// A presence that was set while there was no connection, or just before.
		return l.sendPresence(ctx)
	}
	return nil
}

// send writes a command. If the server closes the connection meanwhile, the error says why.
func (l *link) send(ctx context.Context, cmd command) error {
	if err := l.write(ctx, cmd, writeWait); err != nil {
		return l.lastWord(err)
	}
	return nil
}

// write writes a command, with a timeout.
func (l *link) write(ctx context.Context, cmd command, timeout time.Duration) error {
	data, err := json.Marshal(cmd)
	if err != nil {
		return fmt.Errorf("write to the gateway: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	l.allowance.spend(time.Now())
	if err := l.ws.Write(ctx, websocket.MessageText, data); err != nil {
		return fmt.Errorf("write to the gateway: %w", err)
	}
	return nil
}

// lastWord returns the reason of a failed write. A server that closes the connection sends a
// code, but we may write before we read that.
func (l *link) lastWord(writeErr error) error {
	late := time.After(goodbyeWait)
	for {
		select {
		case <-late:
			return writeErr
		case _, open := <-l.messages:
			if open {
				continue // not handled, so it is replayed after the next RESUME
			}
			if err := l.closed(); afterEnd(err) != resume {
				return err
			}
			return writeErr
		}
	}
}

// farewell returns the close code. A session is closed only when Run ends, and only if the
// Keeper has not saved it. One that is left open for a later Client keeps its presence on
// Discord, so it is made invisible, or people would take the bot for online.
func (l *link) farewell(ctx context.Context) websocket.StatusCode {
	switch {
	case ctx.Err() == nil:
		return closeAndKeep
	case !l.c.settled(ctx):
		return closeForGood
	}
	if !l.upSince.IsZero() {
		// If it cannot be written, nothing is lost: Discord notices the end of the connection later.
		_ = l.write(context.WithoutCancel(ctx), presenceCommand(Presence{Status: "invisible"}), goodbyeWait)
	}
	return closeAndKeep
}

// hangUp closes the connection and waits for its goroutine. Messages that still arrive are not
// handled.
func (l *link) hangUp(code websocket.StatusCode) {
	close(l.left)
	timer := time.AfterFunc(goodbyeWait, l.abort)
	defer timer.Stop()
	_ = l.ws.Close(code, "") // the server may be gone already
	for range l.messages {
	}
	l.abort()
}
