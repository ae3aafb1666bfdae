package dave

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"discoclaw/internal/voice/dave/davetest"
)

func newTestIdentity(t testing.TB) *Identity {
	t.Helper()
	id, err := NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

const testChannel = 2000000000000000001

// A peer is a client in a call: ours, or somebody else's.
type peer interface {
	join(sender []byte) (keyPackage []byte)          // ops 25 and 4
	known(users ...uint64)                           // op 11
	propose(payload []byte) (answer []byte)          // op 27; op 28, or nil
	commit(transition uint16, commit []byte) error   // op 29
	welcome(transition uint16, welcome []byte) error // op 30
	execute(transition uint16)                       // op 22
	seal(opus []byte) ([]byte, error)
	open(from uint64, frame []byte) ([]byte, error)
	code() string
}

// ourPeer is a Controller.
type ourPeer struct {
	*Controller
	t testing.TB
}

func newOurPeer(t testing.TB, user uint64) *ourPeer {
	return &ourPeer{New(user, testChannel, newTestIdentity(t)), t}
}

func (p *ourPeer) known(users ...uint64) { p.Connected(users...) }

func (p *ourPeer) join(sender []byte) []byte {
	p.HandleBinary(OpExternalSender, sender)
	return p.only(p.Describe(1), OpKeyPackage).Binary
}

func (p *ourPeer) only(answers []Message, op int) Message {
	p.t.Helper()
	if len(answers) != 1 || answers[0].Op != op {
		p.t.Fatalf("answered %+v, want op %d", answers, op)
	}
	return answers[0]
}

func (p *ourPeer) propose(payload []byte) []byte {
	if answers := p.HandleBinary(OpProposals, payload); len(answers) > 0 {
		return p.only(answers, OpCommitWelcome).Binary
	}
	return nil
}

func (p *ourPeer) commit(transition uint16, commit []byte) error {
	return p.ready(transition, p.HandleBinary(OpCommit, withTransition(transition, commit)))
}

func (p *ourPeer) welcome(transition uint16, welcome []byte) error {
	return p.ready(transition, p.HandleBinary(OpWelcome, withTransition(transition, welcome)))
}

func (p *ourPeer) ready(transition uint16, answers []Message) error {
	if len(answers) != 1 || answers[0].Op != OpTransitionReady || answers[0].Text != (transitionID{transition}) {
		return fmt.Errorf("answered %+v", answers)
	}
	return nil
}

func (p *ourPeer) execute(transition uint16) {
	p.text(OpExecuteTransition, `{"transition_id":%d}`, transition)
}

func (p *ourPeer) text(op int, format string, args ...any) []Message {
	p.t.Helper()
	answers, err := p.HandleText(op, fmt.Appendf(nil, format, args...))
	if err != nil {
		p.t.Fatal(err)
	}
	return answers
}

func (p *ourPeer) seal(opus []byte) ([]byte, error)               { return p.Seal(nil, opus) }
func (p *ourPeer) open(from uint64, frame []byte) ([]byte, error) { return p.Open(from, frame) }
func (p *ourPeer) code() string                                   { return p.State().PrivacyCode }

func withTransition(id uint16, message []byte) []byte {
	return append(binary.BigEndian.AppendUint16(nil, id), message...)
}

// A call is a voice gateway with clients.
type call struct {
	t       testing.TB
	sender  *davetest.Sender
	group   *davetest.Group
	peers   map[uint64]peer
	waiting []davetest.Joiner // those whom nobody has proposed yet
	last    uint16            // transition
}

func newCall(t testing.TB) *call {
	sender := davetest.NewSender()
	return &call{t: t, sender: sender, group: davetest.NewGroup(sender, testChannel), peers: map[uint64]peer{}}
}

// join has a client connect.
func (c *call) join(user uint64, p peer) {
	for other, q := range c.peers {
		q.known(user)
		p.known(other)
	}
	p.known(user)
	c.peers[user] = p
	c.waiting = append(c.waiting, davetest.Joiner{User: user, KeyPackage: p.join(c.sender.Package())})
}

// joinOurs has clients of ours connect.
func (c *call) joinOurs(users ...uint64) {
	for _, user := range users {
		c.join(user, newOurPeer(c.t, user))
	}
}

func (c *call) ours(user uint64) *ourPeer { return c.peers[user].(*ourPeer) }

// advance proposes to remove some and to add all who wait, and lets the commit of one member win, by its place among those who made one.
func (c *call) advance(remove []uint64, winner func(from []uint64) uint64) {
	c.t.Helper()
	payloads := map[uint64][]byte{}
	if c.group.Epoch() == 0 {
		payloads = c.group.ProposeFounding(c.waiting...)
	} else {
		payload := c.group.Propose(remove, c.waiting...)
		for _, user := range c.group.Members() {
			payloads[user] = payload
		}
	}
	c.settle(payloads, winner)
}

// settle sends everybody their proposals, and has one commit win.
func (c *call) settle(payloads map[uint64][]byte, winner func(from []uint64) uint64) {
	c.t.Helper()
	commits := map[uint64][]byte{}
	var from []uint64
	for _, user := range sorted(payloads) {
		if p := c.peers[user]; p != nil {
			if answer := p.propose(payloads[user]); answer != nil {
				commits[user] = answer
				from = append(from, user)
			}
		}
	}
	if len(from) == 0 {
		c.t.Fatal("nobody has made a commit")
	}
	c.deliver(winner(from), commits)
}

// deliver has one commit win.
func (c *call) deliver(from uint64, commits map[uint64][]byte) {
	c.t.Helper()
	before := c.group.Members()
	commit, welcome, err := c.group.Accept(from, commits[from])
	if err != nil {
		c.t.Fatalf("the commit of %d: %v", from, err)
	}
	if len(before) == 0 {
		before = []uint64{from}
	}
	c.last++
	for _, user := range c.group.Members() {
		added := slices.ContainsFunc(c.waiting, func(j davetest.Joiner) bool { return j.User == user })
		switch {
		case slices.Contains(before, user) && !(added && c.group.Epoch() > 1):
			err = c.peers[user].commit(c.last, commit)
		default:
			err = c.peers[user].welcome(c.last, welcome)
		}
		if err != nil {
			c.t.Fatalf("user %d in epoch %d, by a commit of %d: %v", user, c.group.Epoch(), from, err)
		}
	}
	c.waiting = nil
	for _, user := range c.group.Members() {
		c.peers[user].execute(c.last)
	}
}

// leave has clients go.
func (c *call) leave(users ...uint64) {
	for _, user := range users {
		delete(c.peers, user)
		for _, p := range c.peers {
			if ours, ok := p.(*ourPeer); ok {
				ours.Gone(user)
			}
		}
	}
}

func firstOf(from []uint64) uint64 { return from[0] }

func sorted[V any](of map[uint64]V) []uint64 {
	var keys []uint64
	for key := range of {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// check has everybody say something, which all others must hear, and compares codes.
func (c *call) check(random *rand.Rand) {
	c.t.Helper()
	members := c.group.Members()
	code := c.peers[members[0]].code()
	for _, from := range members {
		if other := c.peers[from].code(); other != code || len(code) != 30 {
			c.t.Fatalf("epoch %d: the code of %d is %s, that of %d %s", c.group.Epoch(), from, other, members[0], code)
		}
		opus := make([]byte, 1+random.IntN(300))
		for i := range opus {
			opus[i] = byte(random.Uint32())
		}
		frame, err := c.peers[from].seal(opus)
		if err != nil {
			c.t.Fatalf("epoch %d: %d cannot say anything: %v", c.group.Epoch(), from, err)
		}
		for _, to := range members {
			if to == from {
				continue
			}
			if got, err := c.peers[to].open(from, frame); err != nil || !bytes.Equal(got, opus) {
				c.t.Fatalf("epoch %d: %d hears of %d %x, %v, want %x", c.group.Epoch(), to, from, got, err, opus)
			}
		}
	}
}
