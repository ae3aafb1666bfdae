package dave

import (
	"fmt"
	"testing"
	"time"

	"discoclaw/internal/voice/dave/davetest"
)

func BenchmarkFrames(b *testing.B) {
	for _, size := range []int{40, 160, 400} {
		opus := make([]byte, size)
		b.Run(fmt.Sprintf("seal/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			s := newSealer(testBase)
			var frame []byte
			for b.Loop() {
				frame, _ = s.seal(frame[:0], opus)
			}
		})
		b.Run(fmt.Sprintf("open/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			frame, _ := newSealer(testBase).seal(nil, opus)
			o := newOpener(testBase, time.Now())
			for b.Loop() {
				s, _ := parseFrame(frame)
				if _, ok := s.open(o.key); !ok {
					b.Fatal("the frame does not open")
				}
			}
		})
	}
}

// A handshake is one more member: the commit of one, as another member gets it, and the welcome.
func BenchmarkHandshake(b *testing.B) {
	for _, members := range []int{2, 25, 100} {
		c := newCall(b)
		for user := range members {
			c.joinOurs(uint64(1 + user))
		}
		c.founded(1)
		newcomer := newOurPeer(b, 1000)
		joiner := davetest.Joiner{User: 1000, KeyPackage: newcomer.join(c.sender.Package())}
		one, two := c.ours(1), c.ours(2)
		one.known(1000)
		two.known(1000)
		payload := c.group.Propose(nil, joiner)
		b.Run(fmt.Sprintf("propose/%d", members), func(b *testing.B) {
			for b.Loop() {
				one.session.queue = nil
				one.propose(payload)
			}
		})
		two.propose(payload)
		one.session.queue = nil
		commit, welcome, err := c.group.Accept(1, one.propose(payload))
		if err != nil {
			b.Fatal(err)
		}
		before, joining := two.session, newcomer.session
		b.Run(fmt.Sprintf("commit/%d", members), func(b *testing.B) {
			for b.Loop() {
				two.session = before
				if err := two.session.accept(commit); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("welcome/%d", members), func(b *testing.B) {
			for b.Loop() {
				newcomer.session = joining
				if err := newcomer.session.join(welcome); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// founded has one client add all others, of whom two join.
func (c *call) founded(founder uint64) {
	c.t.Helper()
	payload := c.group.ProposeFounding(c.waiting...)[founder]
	commit, welcome, err := c.group.Accept(founder, c.ours(founder).propose(payload))
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.ours(founder).commit(1, commit); err != nil {
		c.t.Fatal(err)
	}
	if err := c.ours(2).welcome(1, welcome); err != nil {
		c.t.Fatal(err)
	}
	c.waiting = nil
}
