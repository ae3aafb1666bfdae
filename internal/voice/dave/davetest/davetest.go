// Package davetest is the voice gateway's part in end-to-end encryption, for tests and fake voice servers: it proposes who joins and leaves a
// group, and reads what members commit.
package davetest

import "errors"

// A Sender is the key by which a voice gateway signs proposals.
type Sender struct{}

// NewSender returns one with a new key.
func NewSender() *Sender { return &Sender{} }

// Package is the payload of op 25.
func (s *Sender) Package() []byte { return nil }

// A Group is what a voice gateway knows of one group: whom it has proposed to add and remove, and who is a member.
type Group struct{}

// NewGroup returns a group without members, as a channel has at first, and after op 24 with epoch 1.
func NewGroup(s *Sender, channel uint64) *Group { return &Group{} }

// Epoch is 0 until a first commit was accepted.
func (g *Group) Epoch() uint64 { return 0 }

// Members are the members in the order of their leaves.
func (g *Group) Members() []uint64 { return nil }

// A Joiner is somebody to be added, with the payload of their op 26.
type Joiner struct {
	User       uint64
	KeyPackage []byte
}

// Propose returns the payload of an op 27 that removes and adds, and keeps its proposals for Accept. As long as there are no members,
// each client is sent its own op 27, which adds the others, by ProposeFounding.
func (g *Group) Propose(remove []uint64, add ...Joiner) []byte { return nil }

// ProposeFounding returns the payload of the op 27 for one of those who found a group: it adds all the others.
func (g *Group) ProposeFounding(to uint64, all ...Joiner) []byte { return nil }

// Revoke returns the payload of an op 27 that takes back the proposals about a user, and forgets them.
func (g *Group) Revoke(user uint64) []byte { return nil }

// Accept checks the payload of an op 28, advances the group, and returns the payloads of op 29 and op 30 without their transition ids.
// welcome is nil if nobody was added. A commit that is late, or does not commit all proposals, is refused.
func (g *Group) Accept(from uint64, payload []byte) (commit, welcome []byte, err error) {
	return nil, nil, errors.New("not yet")
}
