package transcribe

import (
	"context"
	"encoding/binary"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/coder/websocket"

	"discoclaw/internal/sleep"
)

const (
	keepAlive   = 5 * time.Second  // Deepgram hangs up after 10 s without sound or message
	healthy     = 30 * time.Second // after which a connection does not count as a retry any more
	writeWait   = 5 * time.Second
	goodbyeWait = 2 * time.Second // how long the server may take to close the connection

	// finalWait is how long the server may take to complete an utterance. It need not respond if nothing was left of it.
	finalWait = time.Second

	kept       = 2 * liveRate // samples that wait while there is no connection
	chunk      = liveRate / 5 // samples in one message
	maxMessage = 1 << 20
)

// live is a Stream of Deepgram's. One goroutine keeps it connected and writes; another one, of each connection, reads.
type live struct {
	s       *Service
	wake    chan struct{}
	results chan Result
	hangUp  context.CancelFunc
	done    chan struct{}
	words   joiner
	err     error // why it is over; valid once done is closed

	mu      sync.Mutex
	sound   []int16 // to be sent
	from    int     // where sound begins in all that was written
	pauseAt int     // where the speaker has fallen silent, if the server is still to hear of it; -1 otherwise
	silent  bool    // the speaker is
	dropped bool    // sound was dropped, and the rest of it still waits
}

func (s *Service) openLive(ctx context.Context) *live {
	l := &live{s: s, wake: make(chan struct{}, 1), results: make(chan Result, 16), done: make(chan struct{}), pauseAt: -1}
	open, hangUp := context.WithCancel(ctx)
	l.hangUp = hangUp
	l.words.emit = func(r Result) {
		select {
		case l.results <- r:
		case <-open.Done():
		}
	}
	go l.run(ctx, open)
	return l
}

func (l *live) Results() <-chan Result { return l.results }

func (l *live) Close() error {
	l.hangUp()
	<-l.done
	return l.err
}

func (l *live) Write(pcm []int16) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.silent = false
	l.sound = append(l.sound, pcm...)
	if over := len(l.sound) - kept; over > 0 {
		if !l.dropped {
			l.s.o.Log.Warn("speech dropped: the server for transcriptions does not take it")
		}
		l.dropped = true
		l.skip(over)
	}
	sleep.Wake(l.wake)
}

func (l *live) Pause() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.silent, l.pauseAt = true, l.from+len(l.sound)
	sleep.Wake(l.wake)
}

// skip takes samples from the front of what is to be sent.
func (l *live) skip(n int) {
	l.sound = slices.Delete(l.sound, 0, n)
	l.from += n
	if l.pauseAt >= 0 {
		l.pauseAt = max(l.pauseAt, l.from)
	}
}

// run keeps the stream connected. ctx ends it at once, and open by saying goodbye.
func (l *live) run(ctx, open context.Context) {
	defer close(l.done)
	defer close(l.results)
	defer l.hangUp()
	for retries := 0; ; retries++ {
		began := time.Now()
		err := l.connection(ctx, open)
		if open.Err() != nil {
			return
		}
		if time.Since(began) >= healthy {
			retries = 0
		}
		if failed, ok := errors.AsType[failure](err); ok && !failed.passing() || retries == maxRetries {
			l.words.interrupted(true)
			l.err = err
			return
		}
		l.words.interrupted(l.waits())
		l.s.o.Log.InfoContext(ctx, "connection to the server for transcriptions lost", "err", err)
		sleep.For(open, firstPause<<retries)
	}
}

// waits reports whether the speaker is silent and nothing of what they said is still to be sent.
func (l *live) waits() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.silent && l.pauseAt < 0
}

// connection serves one connection until it ends, and returns why.
func (l *live) connection(ctx, open context.Context) error {
	dialing, cancel := context.WithTimeout(open, connectWait)
	defer cancel()
	ws, resp, err := websocket.Dial(dialing, l.s.address(url.Values{
		"encoding": {"linear16"}, "sample_rate": {strconv.Itoa(liveRate)}, "channels": {"1"},
		"interim_results": {"true"}, "endpointing": {"300"}, "utterance_end_ms": {"1000"},
	}), &websocket.DialOptions{HTTPClient: l.s.http, HTTPHeader: l.s.header()})
	if err != nil && resp != nil {
		return failure{resp.StatusCode}
	}
	if err != nil {
		return failure{}
	}
	ws.SetReadLimit(maxMessage)
	reading, abort := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.read(reading, ws)
	}()
	err = l.serve(ctx, open, ws, ended)
	if open.Err() != nil && ctx.Err() == nil && write(ctx, ws, `{"type":"CloseStream"}`) == nil {
		select {
		case <-ended:
		case <-time.After(goodbyeWait):
		}
	}
	abort()
	_ = ws.CloseNow() // it may be closed already
	<-ended
	return err
}

// read takes what the server has understood, until the connection ends.
func (l *live) read(ctx context.Context, ws *websocket.Conn) {
	for {
		_, data, err := ws.Read(ctx)
		if err != nil {
			return
		}
		l.words.take(data)
	}
}

var errLost = errors.New("the connection to the server for transcriptions broke")

// serve sends sound until the connection ends or the stream is closed.
func (l *live) serve(ctx, open context.Context, ws *websocket.Conn, ended <-chan struct{}) error {
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	late := time.NewTimer(finalWait)
	defer late.Stop()
	next := -1 // where the sound that was sent ends; unknown before the first
	for {
		asked, err := l.send(ctx, open, ws, &next)
		if err != nil {
			return errLost
		}
		if asked {
			late.Reset(finalWait)
		}
		select {
		case <-l.wake:
		case <-alive.C:
			if write(ctx, ws, `{"type":"KeepAlive"}`) != nil {
				return errLost
			}
		case <-late.C:
			l.words.settle()
		case <-ended:
			return errLost
		case <-open.Done():
			return open.Err()
		}
	}
}

// send sends what is to be sent. It returns true if that had the end of an utterance.
func (l *live) send(ctx, open context.Context, ws *websocket.Conn, next *int) (asked bool, err error) {
	for open.Err() == nil {
		data, from, pause := l.part()
		if pause {
			l.words.ask()
			if err := write(ctx, ws, `{"type":"Finalize"}`); err != nil {
				return asked, err
			}
			asked = true
			l.sent(from, true)
			continue
		}
		if len(data) == 0 {
			break
		}
		if from != *next {
			l.words.shift(from - max(*next, 0))
		}
		*next = from + len(data)/2
		sending, cancel := context.WithTimeout(ctx, writeWait)
		err := ws.Write(sending, websocket.MessageBinary, data)
		cancel()
		if err != nil {
			return asked, err
		}
		l.sent(*next, false)
	}
	return asked, nil
}

// part returns the next message of sound, or that the speaker has fallen silent where it would begin.
func (l *live) part() (data []byte, from int, pause bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := min(len(l.sound), chunk)
	if l.pauseAt >= 0 {
		n = min(n, l.pauseAt-l.from)
		pause = n == 0
	}
	l.dropped = l.dropped && n > 0
	for _, v := range l.sound[:n] {
		data = binary.LittleEndian.AppendUint16(data, uint16(v))
	}
	return data, l.from, pause
}

// sent takes that the server has all sound up to a place, and knows if that was the end of an utterance. Meanwhile, more may have been
// written, and some of it dropped.
func (l *live) sent(place int, pause bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := place - l.from; n > 0 {
		l.skip(n)
	}
	if pause && l.pauseAt == place {
		l.pauseAt = -1
	}
}

// write sends a message.
func write(ctx context.Context, ws *websocket.Conn, text string) error {
	ctx, cancel := context.WithTimeout(ctx, writeWait)
	defer cancel()
	return ws.Write(ctx, websocket.MessageText, []byte(text))
}
