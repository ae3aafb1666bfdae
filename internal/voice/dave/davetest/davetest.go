// Package davetest is the voice gateway's part in end-to-end encryption, for tests and fake voice servers: it proposes who joins and leaves a
// group, and reads what members commit.
package davetest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"discoclaw/internal/voice/dave/wire"
)

// A Sender is the key by which a voice gateway signs proposals.
type Sender struct{ key *ecdsa.PrivateKey }

// NewSender returns one with a new key.
func NewSender() *Sender {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // there is no randomness
	}
	return &Sender{key: key}
}

// Package is the payload of op 25.
func (s *Sender) Package() []byte {
	public, err := s.key.PublicKey.Bytes()
	if err != nil {
		panic(err) // the curve has an encoding
	}
	return append(wire.AppendVector(nil, public), 0, 1, 1, 0) // a basic credential: one zero byte, as Discord has it
}

// A Group is what a voice gateway knows of one group: whom it has proposed to add and remove, and who is a member.
type Group struct {
	sender  *Sender
	channel uint64
	epoch   uint64
	leaves  []uint64 // users; 0 is a blank leaf
	pending []pending
}

type pending struct {
	ref  []byte
	user uint64
	leaf uint32
	add  bool
}

// NewGroup returns a group without members, as a channel has at first, and after op 24 with epoch 1.
func NewGroup(s *Sender, channel uint64) *Group { return &Group{sender: s, channel: channel} }

// Epoch is 0 until a first commit was accepted.
func (g *Group) Epoch() uint64 { return g.epoch }

// Members are the members in the order of their leaves.
func (g *Group) Members() []uint64 {
	return slices.DeleteFunc(slices.Clone(g.leaves), func(user uint64) bool { return user == 0 })
}

// Pending reports whether anything was proposed that no commit has been accepted for.
func (g *Group) Pending() bool { return len(g.pending) > 0 }

// A Joiner is somebody to be added, with the payload of their op 26.
type Joiner struct {
	User       uint64
	KeyPackage []byte
}

// Propose returns the payload of an op 27 for all members, which removes and adds, and keeps its proposals for Accept. For a group without
// members there is ProposeFounding.
func (g *Group) Propose(remove []uint64, add ...Joiner) []byte {
	var messages []byte
	for _, user := range remove {
		leaf := slices.Index(g.leaves, user)
		if leaf < 0 {
			panic(fmt.Sprintf("user %d is no member", user))
		}
		messages = append(messages, g.propose(pending{user: user, leaf: uint32(leaf)}, binary.BigEndian.AppendUint32([]byte{0, 3}, uint32(leaf)))...)
	}
	for _, joiner := range add {
		messages = append(messages, g.propose(pending{user: joiner.User, add: true}, append([]byte{0, 1}, joiner.KeyPackage...))...)
	}
	return wire.AppendVector([]byte{0}, messages)
}

// ProposeFounding returns for each of those who found a group the payload of their op 27: it adds all the others. Whoever's commit is
// accepted first is the founder.
func (g *Group) ProposeFounding(all ...Joiner) map[uint64][]byte {
	payloads := map[uint64][]byte{}
	messages := map[uint64][]byte{}
	for _, joiner := range all {
		messages[joiner.User] = g.propose(pending{user: joiner.User, add: true}, append([]byte{0, 1}, joiner.KeyPackage...))
	}
	for _, to := range all {
		var others []byte
		for _, joiner := range all {
			if joiner.User != to.User {
				others = append(others, messages[joiner.User]...)
			}
		}
		payloads[to.User] = wire.AppendVector([]byte{0}, others)
	}
	return payloads
}

// Revoke returns the payload of an op 27 that takes back the proposals about a user, and forgets them.
func (g *Group) Revoke(user uint64) []byte {
	var refs []byte
	g.pending = slices.DeleteFunc(g.pending, func(p pending) bool {
		if p.user != user {
			return false
		}
		refs = wire.AppendVector(refs, p.ref)
		return true
	})
	return wire.AppendVector([]byte{1}, refs)
}

// propose returns a signed proposal, and keeps it.
func (g *Group) propose(p pending, body []byte) []byte {
	content := binary.BigEndian.AppendUint64(wire.AppendVector([]byte{0, 1, 0, 1}, g.id()), g.epoch)
	content = append(content, 2, 0, 0, 0, 0, 0, 2) // the first external sender, no authenticated data, a proposal
	content = append(content, body...)
	message := wire.AppendVector(content, g.sender.sign("FramedContentTBS", content))
	p.ref = wire.Proposal{Raw: message}.Ref()
	g.pending = append(g.pending, p)
	return message
}

func (g *Group) id() []byte { return binary.BigEndian.AppendUint64(nil, g.channel) }

func (s *Sender) sign(label string, content []byte) []byte {
	sum := sha256.Sum256(wire.AppendVector(wire.AppendVector(nil, []byte("MLS 1.0 "+label)), content))
	signature, err := ecdsa.SignASN1(rand.Reader, s.key, sum[:])
	if err != nil {
		panic(err) // the key is ours
	}
	return signature
}

// ErrLate is a commit that came after another one of the same epoch: all members try, and the first has it.
var ErrLate = errors.New("the commit is not of this epoch")

// Accept checks the payload of an op 28, advances the group, and returns the payloads of op 29 and op 30 without their transition IDs.
// welcome is nil if nobody was added. A commit has to have all proposals that are pending, except the founder's own addition.
func (g *Group) Accept(from uint64, payload []byte) (commit, welcome []byte, err error) {
	c, welcome, err := wire.ReadCommitWelcome(payload)
	switch {
	case err != nil:
		return nil, nil, err
	case !bytes.Equal(c.Group, g.id()) || c.Epoch != g.epoch:
		return nil, nil, ErrLate
	}
	all := g.pending
	leaves := slices.Clone(g.leaves)
	if g.epoch == 0 {
		leaves = []uint64{from}
		all = slices.DeleteFunc(slices.Clone(all), func(p pending) bool { return p.user == from })
	}
	added := slices.ContainsFunc(all, func(p pending) bool { return p.add })
	switch {
	case uint64(c.Leaf) >= uint64(len(leaves)) || leaves[c.Leaf] != from:
		return nil, nil, errors.New("the commit is another member's")
	case len(all) == 0 || len(c.Refs) != len(all):
		return nil, nil, fmt.Errorf("the commit has %d proposals of %d", len(c.Refs), len(all))
	case added != (welcome != nil):
		return nil, nil, errors.New("a welcome goes with commits that add somebody")
	}
	for _, ref := range c.Refs {
		if !slices.ContainsFunc(all, func(p pending) bool { return bytes.Equal(p.ref, ref) }) {
			return nil, nil, errors.New("the commit has a proposal that is not pending")
		}
	}
	g.leaves, g.pending = apply(leaves, c.Refs, all), nil
	g.epoch++
	return c.Raw, welcome, nil
}

// apply removes first, then adds in the order of the commit, each at the leftmost blank leaf.
func apply(leaves []uint64, refs [][]byte, all []pending) []uint64 {
	for _, p := range all {
		if !p.add {
			leaves[p.leaf] = 0
		}
	}
	for _, ref := range refs {
		p := all[slices.IndexFunc(all, func(p pending) bool { return bytes.Equal(p.ref, ref) })]
		if !p.add {
			continue
		}
		if blank := slices.Index(leaves, 0); blank >= 0 {
			leaves[blank] = p.user
		} else {
			leaves = append(leaves, p.user)
		}
	}
	for len(leaves) > 0 && leaves[len(leaves)-1] == 0 {
		leaves = leaves[:len(leaves)-1]
	}
	return leaves
}
