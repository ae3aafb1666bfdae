package link

import (
	"net"
	"testing"
	"time"

	"discoclaw/internal/voice/dave"
)

// newPlainMedia is one without end-to-end encryption and network, and packets of a speaker for it.
func newPlainMedia(t testing.TB) (m *media, packet func(ssrc uint32, sequence uint16) []byte) {
	t.Helper()
	d := dave.New(1, 2, nil)
	d.Describe(0)
	v := vectors(t)[0]
	aead, err := newAEAD(v.Mode, v.Key)
	if err != nil {
		t.Fatal(err)
	}
	conn, other := net.Pipe()
	t.Cleanup(func() { conn.Close(); other.Close() })
	m = &media{call: &Call{frames: make(chan Frame, framesKept)}, dave: d, conn: conn, aead: aead, streams: map[uint32]*stream{}}
	return m, func(ssrc uint32, sequence uint16) []byte {
		return appendPacket(nil, aead, uint32(sequence), header{sequence, uint32(sequence) * frameTime, ssrc}, []byte{1, 2, 3, 4})
	}
}

func TestStrangersTakeLittleMemory(t *testing.T) {
	t.Parallel()
	m, packet := newPlainMedia(t)
	now := time.Unix(1000, 0)
	for ssrc := range uint32(2 * maxStreams) {
		m.take(packet(ssrc, 1), now)
	}
	for sequence := range uint16(2 * maxHeld) {
		m.take(packet(1, sequence), now)
	}
	if n := len(m.streams[1].held); len(m.streams) != maxStreams || n != maxHeld {
		t.Errorf("%d streams, and %d frames of one", len(m.streams), n)
	}
	m.take(packet(4000, 1), now.Add(strange+time.Second))
	if n := len(m.streams); n != 1 {
		t.Errorf("%d streams are left", n)
	}
}

func TestWhoGoesTakesNoMemory(t *testing.T) {
	t.Parallel()
	m, packet := newPlainMedia(t)
	now := time.Unix(1000, 0)
	for n := range uint32(5000) {
		m.take(packet(n, 1), now)
		m.introduce(uint64(n)+1, n, now)
		if n%2 == 0 { // the next one has another stream
			m.introduce(uint64(n)+1, n+1, now)
		}
		m.forget(uint64(n)+1, now)
	}
	if n := len(m.streams); n != 0 {
		t.Errorf("%d streams are left", n)
	}
	if n := len(m.call.frames); n != framesKept {
		t.Errorf("%d frames were passed on", n)
	}
	if n, _ := m.call.tally.now(); n.Heard != framesKept || n.Unread != 5000-framesKept {
		t.Errorf("the counts are %+v", n)
	}
}

// An SSRC that goes to somebody else does not bring them the words of the one before.
func TestAStreamChangesItsOwner(t *testing.T) {
	t.Parallel()
	m, packet := newPlainMedia(t)
	now := time.Unix(1000, 0)
	m.take(packet(5, 1), now)
	m.introduce(ada, 5, now)
	m.introduce(bob, 5, now)
	m.take(packet(5, 2), now)
	m.forget(bob, now)
	for i, want := range []uint64{ada, bob} {
		if f := <-m.call.frames; f.User != want {
			t.Errorf("frame %d is of %d", i, f.User)
		}
	}
}

const ada, bob = 11, 12

func BenchmarkHearAFrame(b *testing.B) {
	m, packet := newPlainMedia(b)
	m.introduce(ada, 5, time.Now())
	now := time.Now()
	m.take(packet(5, 0), now)
	packets := make([][]byte, 1<<16)
	for i := range packets {
		packets[i] = packet(5, uint16(i+1))
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		m.take(packets[i&0xffff], now)
		m.pass(m.streams[5], now.Add(patience))
		<-m.call.frames
	}
}

func BenchmarkSpeakers(b *testing.B) {
	for b.Loop() {
		m, packet := newPlainMedia(b)
		before := Heap()
		now := time.Unix(1000, 0)
		const speakers = 1000
		for ssrc := range uint32(speakers) {
			m.take(packet(ssrc, 1), now)
			m.introduce(uint64(ssrc)+1, ssrc, now)
			for n := range uint16(10) {
				m.take(packet(ssrc, 2+n), now)
			}
			m.pass(m.streams[ssrc], now.Add(patience))
		}
		for len(m.call.frames) > 0 {
			<-m.call.frames
		}
		b.ReportMetric(float64(Heap()-before)/speakers, "B/speaker")
		clear(m.streams)
	}
}
