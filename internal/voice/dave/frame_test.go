package dave

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

var testBase = []byte("0123456789abcdef")

// A line is a sender and a receiver with the same key.
type line struct {
	t    *testing.T
	from *sealer
	to   *opener
	now  time.Time
}

// newLine is one on which somebody has spoken for days already.
func newLine(t *testing.T) *line {
	now := time.Now()
	return &line{t, newSealer(testBase), newOpener(testBase, now.Add(-30*24*time.Hour)), now}
}

// frame is the nth frame, without those before it.
func (l *line) frame(n uint32, opus []byte) []byte {
	l.t.Helper()
	for l.from.ratchet.generation < n>>24 {
		l.from.ratchet = l.from.ratchet.next()
		l.from.key = l.from.ratchet.key()
	}
	l.from.frames = n - 1
	frame, err := l.from.seal(nil, opus)
	if err != nil {
		l.t.Fatal(err)
	}
	return frame
}

func (l *line) open(frame []byte) ([]byte, error) {
	s, ok := parseFrame(frame)
	if !ok {
		return nil, ErrPlain
	}
	return l.to.open(s, l.now)
}

// want opens a frame, and compares how.
func (l *line) want(n uint32, want error) {
	l.t.Helper()
	if got, err := l.open(l.frame(n, speech)); !errors.Is(err, want) || want == nil && !bytes.Equal(got, speech) {
		l.t.Errorf("frame %d: %x, %v, want %v", n, got, err, want)
	}
}

func TestFramesOfAllSizes(t *testing.T) {
	l := newLine(t)
	for size := range 1276 {
		opus := bytes.Repeat([]byte{byte(size)}, size)
		n := uint32(1) << (size % 24)
		frame := l.frame(n, opus)
		if more := len(frame) - len(opus); more < 12 || more > 16 {
			t.Errorf("frame %d of %d bytes is %d longer", n, size, more)
		}
		l.to = newOpener(testBase, l.to.began)
		if got, err := l.open(frame); err != nil || !bytes.Equal(got, opus) {
			t.Errorf("%d bytes open as %d, %v", size, len(got), err)
		}
	}
}

func TestNoBitMayBeFlipped(t *testing.T) {
	for _, n := range []uint32{1, 127, 128, 1 << 20} {
		l := newLine(t)
		frame := l.frame(n, speech)
		for bit := range len(frame) * 8 {
			altered := bytes.Clone(frame)
			altered[bit/8] ^= 1 << (bit % 8)
			if got, err := l.open(altered); err == nil {
				t.Errorf("frame %d with bit %d flipped opens as %x", n, bit, got)
			}
		}
		l.want(n, nil)
	}
}

// Frames overtake each other, also the first ones, and each is heard once.
func TestFramesOvertakeEachOther(t *testing.T) {
	l := newLine(t)
	random := rand.New(rand.NewPCG(1, 6))
	for _, n := range random.Perm(window) {
		l.want(uint32(5000+n), nil)
		l.want(uint32(5000+n), ErrReplayed)
	}
	l.want(5000-1, ErrReplayed) // too old to know
	l.want(9000, nil)           // a long silence
	l.want(9000-window+1, nil)
	l.want(9000-window, ErrReplayed)
	l.want(9000+window-1, nil)
	l.want(9001, nil)
	l.want(9001, ErrReplayed)
	l.want(9000, ErrReplayed)
}

func TestOldGenerationsAreKeptForAWhile(t *testing.T) {
	l := newLine(t)
	late, later := l.frame(1<<24-2, speech), l.frame(1<<24-1, speech)
	l.want(1<<24, nil)
	l.now = l.now.Add(retention - 1)
	if _, err := l.open(late); err != nil {
		t.Errorf("a late frame: %v", err)
	}
	l.now = l.now.Add(1)
	if _, err := l.open(later); !errors.Is(err, ErrUndecryptable) {
		t.Errorf("a very late frame: %v", err)
	}
	l.want(1<<24+1, nil)
}

// Nobody makes us compute keys that no sender can have reached.
func TestGenerationsAreNotFarAhead(t *testing.T) {
	l := newLine(t)
	l.to.began = l.now.Add(-20 * 365 * 24 * time.Hour)
	near, far := l.frame(250<<24, speech), l.frame(251<<24, speech)
	if _, err := l.open(far); !errors.Is(err, ErrUndecryptable) {
		t.Errorf("251 generations ahead: %v", err)
	}
	if _, err := l.open(near); err != nil {
		t.Errorf("250 generations ahead: %v", err)
	}
	l = newLine(t)
	l.to.began = l.now.Add(-(1<<24/fastest + 1) * time.Second)
	l.want(1<<24, nil)
	l = newLine(t)
	l.to.began = l.now.Add(-(1<<24/fastest - 1) * time.Second)
	l.want(1<<24, ErrUndecryptable)
}

func TestNoncesAreNotUsedTwice(t *testing.T) {
	l := newLine(t)
	l.frame(1<<32-1, speech)
	if frame, err := l.from.seal(nil, speech); !errors.Is(err, ErrNotReady) || frame != nil {
		t.Errorf("sealed %x, %v", frame, err)
	}
}

func TestFramesAreSealedBehindWhatIsThere(t *testing.T) {
	_, one, two := duo(t)
	frame, err := one.Seal([]byte("header"), speech)
	if err != nil || !bytes.HasPrefix(frame, []byte("header")) {
		t.Fatalf("sealed %x, %v", frame, err)
	}
	if got, err := two.Open(1, frame[6:]); err != nil || !bytes.Equal(got, speech) {
		t.Errorf("opens as %x, %v", got, err)
	}
	if s := two.State(); s.Opened != 1 || s.Dropped != 0 || one.State().Sealed != 1 {
		t.Errorf("counts %+v", s)
	}
}

// Audio goes on in other goroutines while the group changes.
func TestAudioGoesOnMeanwhile(t *testing.T) {
	c, one, two := duo(t)
	done := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			frame, err := one.Seal(nil, speech)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := two.Open(1, frame); err != nil {
				t.Error(err)
			}
			_, _ = two.State(), one.CanSend()
		}
	})
	for user := range uint64(5) {
		c.joinOurs(10 + user)
		c.advance(nil, func(from []uint64) uint64 { return from[len(from)-1] })
	}
	close(done)
	all.Wait()
}
