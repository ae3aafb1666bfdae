package transcribetest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"discoclaw/internal/voice/tones"
)

const (
	hangUpAfter = 10 * time.Second // without sound or message
	interimWait = 200 * time.Millisecond
	segment     = 7 // words, after which they do not change any more
)

// A Deepgram transcribes recordings and streams. It is safe for concurrent use.
type Deepgram struct {
	requests
	// Mute, set before the first stream, has results not say that an utterance ends, not even when asked, so that only UtteranceEnd and the
	// client's own clock do.
	Mute bool

	messages []string // the types that have come
	told     []telling
	conns    []context.CancelFunc
	reading  chan struct{} // closed while streams are read
}

// NewDeepgram starts one.
func NewDeepgram(t testing.TB) *Deepgram {
	d := &Deepgram{reading: make(chan struct{})}
	close(d.reading)
	start(t, &d.requests, d)
	t.Cleanup(d.Break)
	return d
}

// Break cuts all streams off.
func (d *Deepgram) Break() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, cut := range d.conns {
		cut()
	}
	d.conns = nil
}

// Stall stops reading what comes in streams, until resume is called.
func (d *Deepgram) Stall() (resume func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reading = make(chan struct{})
	return sync.OnceFunc(func() { close(d.reading) })
}

// Messages are the types of what clients have sent besides sound.
func (d *Deepgram) Messages() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.messages)
}

// A telling is a result that was sent in a stream.
type telling struct {
	text string
	at   time.Time
}

// ToldAt is when a stream's client was first told a text, alone or as part of more; the zero time if it was not.
func (d *Deepgram) ToldAt(text string) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.told {
		if strings.Contains(t.text, text) {
			return t.at
		}
	}
	return time.Time{}
}

func (d *Deepgram) tell(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.told = append(d.told, telling{text, time.Now()})
}

func (d *Deepgram) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	upgrade := r.Header.Get("Upgrade") != ""
	switch {
	case r.URL.Path != "/deepgram/v1/listen":
		Answer(http.StatusNotFound, `{"err_msg":"Not found."}`)(w, r)
		return
	case r.Header.Get("Authorization") != "Token "+Key:
		Answer(http.StatusUnauthorized, `{"err_msg":"Invalid credentials: `+r.Header.Get("Authorization")+`"}`)(w, r)
		return
	case query.Get("model") == "" || upgrade && !wellFormed(query) || !upgrade && r.Method != http.MethodPost:
		Answer(http.StatusBadRequest, `{"err_msg":"Bad request."}`)(w, r)
		return
	}
	other, end := d.begin()
	defer end()
	switch {
	case other != nil:
		other(w, r)
	case upgrade:
		d.stream(w, r)
	default:
		d.file(w, r)
	}
}

// wellFormed reports whether Deepgram takes the options of a stream. (UtteranceEnd comes after 1,000 milliseconds at least, and needs
// interim results, says its reference.)
func wellFormed(query url.Values) bool {
	rate, err := strconv.Atoi(query.Get("sample_rate"))
	end, endErr := strconv.Atoi(query.Get("utterance_end_ms"))
	return err == nil && (rate == 16000 || rate == 48000) && query.Get("encoding") == "linear16" && query.Get("channels") == "1" &&
		(query.Get("utterance_end_ms") == "" || endErr == nil && end >= 1000 && query.Get("interim_results") == "true")
}

// file answers with what is said in a recording.
func (d *Deepgram) file(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(r.Body)
	pcm, rate, notWAV := readWAV(data)
	if errors.Join(err, notWAV) != nil {
		Answer(http.StatusBadRequest, `{"err_msg":"corrupt or unsupported data"}`)(w, r)
		return
	}
	d.take(len(pcm))
	text := tones.Understand(pcm, rate)
	d.understand(text)
	body, _ := json.Marshal(map[string]any{"results": map[string]any{"channels": []any{alternative(text, nil)}}})
	Answer(http.StatusOK, string(body))(w, r)
}

func alternative(text string, words []tones.Word) any {
	type word struct {
		Word  string  `json:"word"`
		Start float64 `json:"start"`
		End   float64 `json:"end"`
	}
	all := []word{}
	for _, w := range words {
		all = append(all, word{w.Text, w.From.Seconds(), w.To.Seconds()})
	}
	return map[string]any{"alternatives": []any{map[string]any{"transcript": text, "confidence": 1, "words": all}}}
}

// stream serves a stream.
func (d *Deepgram) stream(w http.ResponseWriter, r *http.Request) {
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer ws.CloseNow()
	ctx, cut := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cut()
	d.mu.Lock()
	d.conns = append(d.conns, cut)
	d.mu.Unlock()
	rate, _ := strconv.Atoi(r.URL.Query().Get("sample_rate"))
	l := &listener{d: d, ws: ws, ear: tones.NewEar(rate)}
	for {
		d.mu.Lock()
		reading := d.reading
		d.mu.Unlock()
		select {
		case <-reading:
		case <-ctx.Done():
			return
		}
		waiting, cancel := context.WithTimeout(ctx, hangUpAfter)
		kind, data, err := ws.Read(waiting)
		cancel()
		if err != nil {
			return
		}
		if kind == websocket.MessageBinary {
			d.take(len(data) / 2)
			err = l.hear(ctx, samples(data))
		} else {
			err = l.obey(ctx, data)
		}
		if err != nil {
			return
		}
	}
}

// A listener is one stream.
type listener struct {
	d    *Deepgram
	ws   *websocket.Conn
	ear  *tones.Ear
	done int // words that do not change any more
	open int // and where those begin that are not an utterance yet
	told time.Duration
	over bool // UtteranceEnd was sent
}

var errOver = errors.New("the stream is over")

// obey does what a message asks for.
func (l *listener) obey(ctx context.Context, data []byte) error {
	var message struct{ Type string }
	if json.Unmarshal(data, &message) != nil {
		return l.ws.Close(websocket.StatusPolicyViolation, "DATA-0000")
	}
	l.d.mu.Lock()
	l.d.messages = append(l.d.messages, message.Type)
	l.d.mu.Unlock()
	switch message.Type {
	case "Finalize":
		if l.done == len(l.ear.Words()) && l.open == l.done {
			return nil // there is nothing to complete
		}
		return l.send(ctx, len(l.ear.Words()), true, false, true)
	case "CloseStream":
		if err := l.send(ctx, len(l.ear.Words()), true, true, false); err != nil {
			return err
		}
		if err := l.write(ctx, map[string]any{"type": "Metadata", "channels": 1, "duration": l.ear.At().Seconds()}); err != nil {
			return err
		}
		_ = l.ws.Close(websocket.StatusNormalClosure, "")
		return errOver
	}
	return nil
}

// hear listens to sound, and tells what there is to tell.
func (l *listener) hear(ctx context.Context, pcm []int16) error {
	l.ear.Hear(pcm)
	words, quiet := len(l.ear.Words()), l.ear.Quiet()
	switch {
	case quiet >= time.Second && l.done == words && !l.over && words > 0:
		l.over = true
		return l.write(ctx, map[string]any{"type": "UtteranceEnd", "channel": []int{0, 1}, "last_word_end": l.ear.Words()[words-1].To.Seconds()})
	case quiet >= 300*time.Millisecond && l.done < words:
		return l.send(ctx, words, true, true, false)
	case words-l.done > segment:
		return l.send(ctx, words-1, true, false, false)
	case l.ear.At()-l.told >= interimWait && l.done < words:
		return l.send(ctx, words, false, false, false)
	}
	return nil
}

// send sends the words up to the n-th that were not sent as final yet.
func (l *listener) send(ctx context.Context, n int, final, ends, asked bool) error {
	words := l.ear.Words()[l.done:n]
	l.told = l.ear.At()
	start := time.Duration(0)
	if len(words) > 0 {
		start = words[0].From
	}
	if final {
		l.over = false
		l.done = n
	}
	if l.d.Mute {
		ends, asked = false, false
	}
	if final && (ends || asked) {
		if l.open < n {
			l.d.understand(tones.Text(l.ear.Words()[l.open:n]))
		}
		l.open = n
	}
	l.d.tell(tones.Text(words))
	return l.write(ctx, map[string]any{
		"type": "Results", "is_final": final, "speech_final": ends, "from_finalize": asked, "channel_index": []int{0, 1},
		"start": start.Seconds(), "duration": (l.ear.At() - start).Seconds(), "channel": alternative(tones.Text(words), words),
	})
}

func (l *listener) write(ctx context.Context, message any) error {
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return l.ws.Write(ctx, websocket.MessageText, data)
}
