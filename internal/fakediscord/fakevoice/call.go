package fakevoice

import (
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"time"

	"discoclaw/internal/voice/dave"
	"discoclaw/internal/voice/dave/davetest"
)

// readyWithin is how long a transition waits for clients; then it is executed without them.
const readyWithin = 5 * time.Second

// A call has those who are in a channel, and their encryption. The Server's mutex guards it.
type call struct {
	server    *Server
	channel   uint64
	version   int        // that newcomers are told, and that pending transitions lead to
	sessions  []*session // in the order in which they came
	encrypted time.Time  // since when what is said has to be encrypted; zero if it need not be

	group      *davetest.Group
	asked      map[uint64]bool // users about whom something is proposed; true for those to be added
	lost       map[uint64]bool // members who could not use a commit or welcome, and have to be added anew
	proposed   time.Time
	transition uint16 // the last one
	pending    []*transition

	preferred uint64
	immediate bool
}

// A transition was announced and waits for clients to be ready.
type transition struct {
	id      uint16
	version int
	waiting []*session
	timer   *time.Timer
}

func (s *Server) call(channel uint64) *call {
	if s.calls[channel] == nil {
		c := &call{server: s, channel: channel, version: 1}
		if s.o.Plain {
			c.version = 0
		}
		c.forget()
		s.calls[channel] = c
	}
	return s.calls[channel]
}

// describe sends a session its description, and lets it and the others know of each other.
func (c *call) describe(x *session, first bool, description any) {
	if c.server.o.SenderFirst {
		c.sendSender(x)
	}
	x.tell(opDescription, description)
	if !first {
		return
	}
	var users []string
	for _, other := range c.sessions {
		if other != x && other.aead != nil {
			users = append(users, strconv.FormatUint(other.User, 10))
			other.tell(opConnect, map[string]any{"user_ids": []string{strconv.FormatUint(x.User, 10)}})
		}
	}
	if len(users) > 0 {
		x.tell(opConnect, map[string]any{"user_ids": users})
	}
	for _, other := range c.sessions {
		if other != x && other.speaking >= 0 {
			x.tell(opSpeaking, other.speech())
		}
	}
	c.sendSender(x)
}

// sendSender sends the external sender where there is encryption, once.
func (c *call) sendSender(x *session) {
	if c.version > 0 && !x.knowsSender {
		x.knowsSender = true
		x.tellBinary(dave.OpExternalSender, c.server.sender.Package())
	}
}

// offer takes a key package: whose it is will be added to the group, or removed and added anew.
func (c *call) offer(x *session, keyPackage []byte) {
	if c.version == 0 {
		return // it crossed the end of the encryption
	}
	x.keyPackage = slices.Clone(keyPackage)
	if len(c.group.Members()) == 0 && !c.group.Pending() {
		c.found()
		return
	}
	if _, again := c.asked[x.User]; again {
		c.propose(x, c.group.Revoke(x.User))
	}
	var remove []uint64
	if slices.Contains(c.group.Members(), x.User) {
		c.lost[x.User], remove = true, []uint64{x.User}
	}
	if len(c.committers()) == 0 {
		c.begin()
		return
	}
	c.asked[x.User] = true
	c.propose(x, c.group.Propose(remove, davetest.Joiner{User: x.User, KeyPackage: x.keyPackage}))
}

// found proposes those who have a key package to each other, once there are two.
func (c *call) found() {
	var all []davetest.Joiner
	for _, other := range c.sessions {
		if other.keyPackage != nil {
			all = append(all, davetest.Joiner{User: other.User, KeyPackage: other.keyPackage})
		}
	}
	if len(all) < 2 {
		return
	}
	payloads := c.group.ProposeFounding(all...)
	for _, other := range c.sessions {
		if payload, founds := payloads[other.User]; founds {
			c.asked[other.User] = true
			other.tellBinary(dave.OpProposals, payload)
		}
	}
	c.proposed = time.Now()
}

// propose sends proposals to all who can commit them, but for the one whom they are about.
func (c *call) propose(about *session, payload []byte) {
	c.proposed = time.Now()
	for _, x := range c.committers() {
		if x != about {
			x.tellBinary(dave.OpProposals, payload)
		}
	}
}

// committers are the members, or, before there are any, those who have a key package.
func (c *call) committers() (all []*session) {
	members := c.group.Members()
	for _, x := range c.sessions {
		if slices.Contains(members, x.User) && !c.lost[x.User] || len(members) == 0 && x.keyPackage != nil {
			all = append(all, x)
		}
	}
	return all
}

// commit takes a commit. The first one counts, or that of the one whose commits are preferred.
func (c *call) commit(x *session, payload []byte) {
	if c.version == 0 {
		return
	}
	able := slices.ContainsFunc(c.committers(), func(x *session) bool { return x.User == c.preferred })
	if c.preferred != x.User && able && c.group.Pending() {
		return
	}
	before := c.group.Members()
	commit, welcome, err := c.group.Accept(x.User, payload)
	if err != nil {
		// One that crossed newer proposals will come again, with all of them.
		if !errors.Is(err, davetest.ErrLate) && time.Since(c.proposed) > slack {
			c.server.complain("user %d: sent a commit that cannot be taken: %v", x.User, err)
		}
		return
	}
	t := c.announce(1, c.immediate)
	id := binary.BigEndian.AppendUint16(nil, t.id)
	for _, other := range c.sessions {
		member := slices.Contains(before, other.User) && !c.asked[other.User]
		switch {
		case !slices.Contains(c.group.Members(), other.User):
			continue
		case other == x || member:
			other.tellBinary(dave.OpCommit, slices.Concat(id, commit))
		default:
			other.tellBinary(dave.OpWelcome, slices.Concat(id, welcome))
			delete(c.lost, other.User)
		}
		if !c.lost[other.User] {
			t.waiting = append(t.waiting, other)
		}
		other.keyPackage = nil
	}
	c.asked = map[uint64]bool{}
	if t.id == 0 {
		c.execute(t)
	}
}

// announce begins a transition. One that is in force at once has the number 0.
func (c *call) announce(version int, immediate bool) *transition {
	t := &transition{version: version}
	c.pending = append(c.pending, t)
	if immediate {
		return t
	}
	c.transition = max(1, c.transition+1)
	t.id = c.transition
	t.timer = time.AfterFunc(readyWithin, func() {
		c.server.locked(func() {
			for _, x := range t.waiting {
				if x.conn != nil && slices.Contains(c.pending, t) {
					c.server.complain("user %d: was not ready for the transition %d in time", x.User, t.id)
				}
			}
			c.execute(t)
		})
	})
	return t
}

// ready takes op 23. Once all are ready, the transition is executed.
func (c *call) ready(x *session, id uint16) {
	at := slices.IndexFunc(c.pending, func(t *transition) bool { return t.id == id && slices.Contains(t.waiting, x) })
	if at < 0 {
		c.server.complain("user %d: was ready for the transition %d, which did not wait for it", x.User, id)
		return
	}
	c.settle(c.pending[at], x)
}

// settle has a transition wait for a client no longer.
func (c *call) settle(t *transition, x *session) {
	t.waiting = slices.DeleteFunc(t.waiting, func(other *session) bool { return other == x })
	if len(t.waiting) == 0 {
		c.execute(t)
	}
}

func (c *call) execute(t *transition) {
	at := slices.Index(c.pending, t)
	if at < 0 {
		return
	}
	c.pending = slices.Delete(c.pending, at, at+1)
	if t.id != 0 {
		t.timer.Stop()
		for _, x := range c.sessions {
			if x.aead != nil {
				x.tell(dave.OpExecuteTransition, map[string]any{"transition_id": t.id})
			}
		}
	}
	switch {
	case t.version > 0 && c.encrypted.IsZero():
		c.encrypted = time.Now()
	case t.version == 0:
		c.encrypted = time.Time{}
		if c.version == 0 {
			c.forget()
		}
	}
}

// invalid takes op 31: the client sends a new key package next, and is removed and added anew.
func (c *call) invalid(x *session, id uint16) {
	c.lost[x.User] = true
	for _, t := range slices.Clone(c.pending) {
		if t.id == id {
			c.settle(t, x)
		}
	}
}

// leave takes a session out of the call and out of the group.
func (c *call) leave(x *session) {
	c.sessions = slices.DeleteFunc(c.sessions, func(other *session) bool { return other == x })
	for _, other := range c.sessions {
		if other.aead != nil {
			other.tell(opDisconnect, map[string]any{"user_id": strconv.FormatUint(x.User, 10)})
		}
	}
	for _, t := range slices.Clone(c.pending) {
		if slices.Contains(t.waiting, x) {
			c.settle(t, x)
		}
	}
	if c.version == 0 || c.server.closed {
		return
	}
	if _, asked := c.asked[x.User]; asked {
		delete(c.asked, x.User)
		c.propose(x, c.group.Revoke(x.User))
	}
	member := slices.Contains(c.group.Members(), x.User)
	switch {
	case len(c.sessions) == 0:
		c.forget()
	case !member && len(c.group.Members()) == 0 && len(c.committers()) < 2:
		keyPackages := c.committers()
		c.forget()
		for _, only := range keyPackages {
			c.offer(only, only.keyPackage)
		}
	case member && (len(c.sessions) == 1 || len(c.committers()) == 0):
		c.begin()
	case member:
		c.asked[x.User] = false
		c.propose(x, c.group.Propose([]uint64{x.User}))
	}
}

// begin has everybody begin a new group. Who is alone is told so by a transition that is in force at once.
func (c *call) begin() {
	c.forget()
	for _, x := range c.sessions {
		if x.aead == nil {
			continue
		}
		x.keyPackage = nil
		x.tell(dave.OpPrepareEpoch, map[string]any{"protocol_version": 1, "epoch": 1})
		c.sendSender(x)
		if len(c.sessions) == 1 {
			x.tell(dave.OpPrepareTransition, map[string]any{"protocol_version": 1, "transition_id": 0})
		}
	}
}

// forget drops the group.
func (c *call) forget() {
	c.group = davetest.NewGroup(c.server.sender, c.channel)
	c.asked, c.lost = map[uint64]bool{}, map[uint64]bool{}
}

func (c *call) downgrade() {
	c.version = 0
	t := c.announce(0, false)
	for _, x := range c.sessions {
		if x.aead != nil {
			t.waiting = append(t.waiting, x)
			x.tell(dave.OpPrepareTransition, map[string]any{"protocol_version": 0, "transition_id": t.id})
		}
	}
	if len(t.waiting) == 0 {
		c.execute(t)
	}
}

func (c *call) upgrade() {
	c.version = 1
	c.begin()
}
