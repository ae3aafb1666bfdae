package hear_test

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/voice/hear"
	"discoclaw/internal/voice/link"
	"discoclaw/internal/voice/opus"
	"discoclaw/internal/voice/tones"
	"discoclaw/internal/voice/transcribe"
	"discoclaw/internal/voice/transcribe/transcribetest"
)

// The people of the tests.
const (
	ada = 11 + iota
	bob
	cleo
	dan
	eve
	mallory // nobody listens to her
)

const frameTime = 20 * time.Millisecond

// A room is a call in which somebody hears.
type room struct {
	t      *testing.T
	frames chan link.Frame
	stop   context.CancelFunc
	done   chan struct{}

	mu      sync.Mutex
	ignored map[chat.UserID]bool
	said    []hear.Utterance
	interim int
	crowded []chat.UserID
	failed  []string
	log     strings.Builder
}

func id(user uint64) chat.UserID { return chat.UserID(strconv.FormatUint(user, 10)) }

// listen opens a room. Options are completed.
func listen(t *testing.T, o hear.Options) *room {
	t.Helper()
	r := &room{t: t, frames: make(chan link.Frame, 256), done: make(chan struct{}), ignored: map[chat.UserID]bool{id(mallory): true}}
	o.Listens = func(user chat.UserID) bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return !r.ignored[user]
	}
	o.Heard = func(u hear.Utterance) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if u.Final {
			r.said = append(r.said, u)
		} else {
			r.interim++
		}
	}
	o.Crowded = func(user chat.UserID) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.crowded = append(r.crowded, user)
	}
	o.Failed = func(user chat.UserID, err error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.failed = append(r.failed, string(user)+": "+err.Error())
	}
	o.Log = slog.New(slog.NewTextHandler(&r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	ctx, stop := context.WithCancel(t.Context())
	r.stop = stop
	go func() {
		defer close(r.done)
		hear.Run(ctx, r.frames, o)
	}()
	t.Cleanup(func() {
		stop()
		<-r.done
	})
	return r
}

func (r *room) ignore(user uint64, is bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ignored[id(user)] = is
}

// A mouth is somebody's stream into the call.
type mouth struct {
	room *room
	user uint64
	ssrc uint32
	next uint16
	lost func(sequence uint16) bool // nil: nothing is
}

func (r *room) join(user uint64) *mouth {
	return &mouth{room: r, user: user, ssrc: uint32(user) * 10, next: 65000}
}

// play sends frames, one every 20 ms. What is lost arrives as link passes it on: the first one of a row without sound, the others not at
// all.
func (m *mouth) play(frames ...[]byte) {
	gap := false
	for _, f := range frames {
		lost := m.lost != nil && m.lost(m.next)
		if lost {
			f = nil
		}
		if !lost || !gap {
			m.room.frames <- link.Frame{User: m.user, SSRC: m.ssrc, Sequence: m.next, Opus: f}
		}
		gap = lost
		m.next++
		time.Sleep(frameTime)
	}
}

// say says a text as a client does: with five frames of silence behind it.
func (m *mouth) say(text string) {
	m.room.t.Helper()
	frames, err := tones.Frames(text)
	if err != nil {
		m.room.t.Error(err)
	}
	m.play(frames...)
	m.play(slices.Repeat([][]byte{link.Silence}, 5)...)
}

// texts are what was understood of somebody since the last call.
func (r *room) texts(user uint64) (texts []string) {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = slices.DeleteFunc(r.said, func(u hear.Utterance) bool {
		if u.User == id(user) {
			texts = append(texts, u.Text)
		}
		return u.User == id(user)
	})
	return texts
}

func (r *room) requireHeard(user uint64, want ...string) {
	r.t.Helper()
	got := r.texts(user)
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			r.t.Errorf("understood of %d, from utterance %d on, %q\nwant %q", user, i, got[min(i, len(got)):], want[min(i, len(want)):])
			return
		}
	}
}

// requireFailed fails unless these failures were told of since the last call.
func (r *room) requireFailed(want ...string) {
	r.t.Helper()
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Equal(r.failed, want) {
		r.t.Errorf("failed: %q, want %q", r.failed, want)
	}
	r.failed = nil
}

// deepgram and openAI are the two recognisers, behind the real clients.
func deepgram(t testing.TB) (*transcribetest.Deepgram, transcribe.Recogniser) {
	d := transcribetest.NewDeepgram(t)
	return d, transcribe.New(transcribe.Options{Deepgram: true, BaseURL: transcribetest.DeepgramURL, Key: transcribetest.Key, HTTP: d.HTTP})
}

func openAI(t testing.TB) (*transcribetest.OpenAI, transcribe.Recogniser) {
	d := transcribetest.NewOpenAI(t)
	return d, transcribe.New(transcribe.Options{BaseURL: transcribetest.OpenAIURL, Model: "ear-1", Key: transcribetest.Key, HTTP: d.HTTP})
}

// inRoom runs a test with Deepgram.
func inRoom(t *testing.T, test func(t *testing.T, d *transcribetest.Deepgram, r *room)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, recogniser := deepgram(t)
		test(t, d, listen(t, hear.Options{Recogniser: recogniser}))
	})
}

const hello = "hello there, how are you?"

func TestSomebodyIsHeard(t *testing.T) {
	inRoom(t, func(t *testing.T, d *transcribetest.Deepgram, r *room) {
		m := r.join(ada)
		for range 3 {
			began := time.Now()
			m.say(hello)
			ended := time.Now().Add(-5 * frameTime)
			time.Sleep(400 * time.Millisecond)
			synctest.Wait()
			r.mu.Lock()
			u := r.said[0]
			if r.interim == 0 {
				t.Error("there were no interim results")
			}
			r.mu.Unlock()
			if a, b := u.Began.Sub(began), u.Ended.Sub(ended); a.Abs() > 50*time.Millisecond || b.Abs() > 50*time.Millisecond {
				t.Errorf("it began %v and ended %v after it did", a, b)
			}
			r.requireHeard(ada, hello)
			time.Sleep(2 * time.Second)
		}
		if strings.Contains(r.log.String(), "hello") || !strings.Contains(r.log.String(), "length=25") {
			t.Errorf("the log is %s", &r.log)
		}
		if d.Asked() != 1 {
			t.Errorf("there were %d connections", d.Asked())
		}
	})
}

func TestNothingOfAStrangerReachesTheRecogniser(t *testing.T) {
	inRoom(t, func(t *testing.T, d *transcribetest.Deepgram, r *room) {
		r.join(mallory).say(hello)
		time.Sleep(time.Second)
		if d.Asked() > 0 || d.Samples() > 0 {
			t.Errorf("%d samples reached it", d.Samples())
		}
	})
}

func TestSomebodyIsNotHeardAnyMore(t *testing.T) {
	inRoom(t, func(t *testing.T, d *transcribetest.Deepgram, r *room) {
		m := r.join(ada)
		var talk sync.WaitGroup
		talk.Go(func() { m.say(strings.Repeat("all of this is said without a break. ", 5)) })
		time.Sleep(3 * time.Second)
		r.ignore(ada, true)
		time.Sleep(frameTime)
		before := d.Samples()
		talk.Wait()
		time.Sleep(time.Second)
		if n := d.Samples(); before < 48000 || n != before {
			t.Errorf("%d samples reached it, and %d after that", before, n-before)
		}
		r.requireHeard(ada)
		r.ignore(ada, false)
		m.say(hello)
		time.Sleep(time.Second)
		r.requireHeard(ada, hello)
		if d.Now() != 1 {
			t.Errorf("%d streams are open", d.Now())
		}
	})
}

// TestAStreamChangesHands: who gets somebody's SSRC does not go on with their sentence.
func TestAStreamChangesHands(t *testing.T) {
	inRoom(t, func(t *testing.T, d *transcribetest.Deepgram, r *room) {
		a, b, m := r.join(ada), r.join(bob), r.join(mallory)
		a.say("this is mine")
		b.ssrc, b.next = a.ssrc, a.next
		b.say("and this is mine")
		m.ssrc, m.next = b.ssrc, b.next
		m.say("and this is for nobody")
		time.Sleep(time.Second)
		r.requireHeard(ada, "this is mine")
		r.requireHeard(bob, "and this is mine")
		r.requireHeard(mallory)

		// The bot connects anew in the middle of a sentence.
		frames, err := tones.Frames("one two three")
		if err != nil {
			t.Fatal(err)
		}
		a.play(frames[:len(frames)/2]...)
		a.ssrc, a.next = 99, 7
		a.say("four")
		time.Sleep(time.Second)
		if got := strings.Join(r.texts(ada), " "); !strings.HasPrefix(got, "one t") || !strings.HasSuffix(got, "four") {
			t.Errorf("understood %q", got)
		}
		if d.Asked() != 2 {
			t.Errorf("there were %d connections", d.Asked())
		}
	})
}

func TestLostFramesAreConcealed(t *testing.T) {
	inRoom(t, func(t *testing.T, d *transcribetest.Deepgram, r *room) {
		m := r.join(ada)
		m.lost = func(sequence uint16) bool { return sequence%25 < 1 } // 4 %
		long := strings.TrimSpace(strings.Repeat("all of this is said without a break. ", 5))
		before := d.Samples()
		m.say(long)
		time.Sleep(time.Second)
		got := strings.Join(r.texts(ada), " ")
		words := strings.Fields(long)
		right, rest := 0, words
		for _, w := range strings.Fields(got) {
			if i := slices.Index(rest, w); i >= 0 {
				right, rest = right+1, rest[i+1:]
			}
		}
		if right < len(words)*8/10 {
			t.Errorf("understood %q", got)
		}
		m.lost = func(sequence uint16) bool { return sequence%50 < 5 } // 100 ms in a row
		taken := d.Samples() - before
		before = d.Samples()
		m.say(long)
		time.Sleep(time.Second)
		if n := d.Samples() - before; n < taken-48000/10 || n > taken+48000/10 {
			t.Errorf("with gaps, it has %d samples instead of %d", n, taken)
		}
	})
}

func TestHostileFrames(t *testing.T) {
	inRoom(t, func(t *testing.T, d *transcribetest.Deepgram, r *room) {
		m := r.join(ada)
		m.play([]byte{}, make([]byte, 1500), make([]byte, 1501), []byte{0xff}, []byte{0xff, 0xff, 0xff}, []byte{3, 200})
		m.say(hello)
		time.Sleep(time.Second)
		if got := r.texts(ada); len(got) == 0 || !strings.HasSuffix(got[len(got)-1], "how are you?") {
			t.Errorf("understood %q", got)
		}
	})
}

func TestSilenceOpensNothing(t *testing.T) {
	inRoom(t, func(t *testing.T, d *transcribetest.Deepgram, r *room) {
		m := r.join(ada)
		m.play(slices.Repeat([][]byte{link.Silence}, 100)...)
		soft := make([]int16, opus.Rate)
		frames, err := tones.Encode(soft)
		if err != nil {
			t.Fatal(err)
		}
		m.play(frames...)
		if d.Asked() > 0 {
			t.Error("there is a stream")
		}
		time.Sleep(time.Minute)
		for _, user := range []uint64{bob, cleo, dan, eve} {
			r.join(user).play(link.Silence, link.Silence)
		}
		m.say(hello) // there is a place
		time.Sleep(time.Second)
		r.requireHeard(ada, hello)
	})
}

func TestWhoIsSilentHasNoRecogniser(t *testing.T) {
	inRoom(t, func(t *testing.T, d *transcribetest.Deepgram, r *room) {
		var talk sync.WaitGroup
		for _, user := range []uint64{ada, bob, cleo} {
			talk.Go(func() { r.join(user).say("hello") })
		}
		talk.Wait()
		time.Sleep(29800 * time.Millisecond)
		if d.Now() != 3 {
			t.Errorf("%d streams are open", d.Now())
		}
		time.Sleep(300 * time.Millisecond)
		synctest.Wait()
		if got := d.Messages(); d.Now() != 0 {
			t.Errorf("%d streams are open after %v", d.Now(), got)
		}
		for _, user := range []uint64{ada, bob, cleo} {
			r.requireHeard(user, "hello")
		}
		r.requireFailed()
	})
}

func TestFramesEnd(t *testing.T) {
	inRoom(t, func(t *testing.T, d *transcribetest.Deepgram, r *room) {
		r.join(ada).say(hello)
		r.join(bob).say(hello)
		close(r.frames)
		<-r.done
		synctest.Wait()
		if d.Now() > 0 {
			t.Errorf("%d streams are open", d.Now())
		}
	})
}
