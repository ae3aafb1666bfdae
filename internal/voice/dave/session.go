package dave

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/thomas-vilte/mls-go/extensions"
	"github.com/thomas-vilte/mls-go/framing"
	"github.com/thomas-vilte/mls-go/group"
	"github.com/thomas-vilte/mls-go/treesync"

	"discoclaw/internal/voice/dave/wire"
)

// A session is our part of the MLS group of a call. Whatever fails leaves it as it was. What came from others is read by wire first; errors
// of the library stay here, since some of them have secrets in their text.
type session struct {
	self    uint64
	id      *Identity
	groupID []byte

	sender []byte          // the payload of op 25; nil until it is known
	own    *keyPackage     // that others may add us with; nil once it is used up
	group  *group.Group    // of ourselves alone, in epoch 0, until we join one or others join us; nil without a key package or a sender
	queue  []wire.Proposal // of this epoch
	ours   *outcome        // of committing the whole queue
}

// An outcome is a commit of our own that may be accepted, and the group after it.
type outcome struct {
	commit []byte
	group  *group.Group
}

var (
	errNoUse  = errors.New("the message is for no group of ours")
	errRefuse = errors.New("the message cannot be accepted")
	// errFounded is that others have founded the group: a welcome follows.
	errFounded = errors.New("another member's commit came first")
)

// mostQueued is more than a call has members: some are removed and added.
const mostQueued = 2048

func (s *session) established() bool { return s.group != nil && s.group.Epoch() > 0 }

// reset forgets the group. The external sender and the signature key stay.
func (s *session) reset() { s.own, s.group, s.queue, s.ours = nil, nil, nil, nil }

// setSender takes the payload of op 25.
func (s *session) setSender(payload []byte) error {
	if bytes.Equal(payload, s.sender) {
		return nil
	}
	if err := wire.CheckExternalSender(payload); err != nil {
		return err
	}
	s.sender = payload
	if s.established() {
		return nil
	}
	return s.found()
}

// keyPackage makes a new one to be added with, and a group of ourselves to add others to.
func (s *session) keyPackage() ([]byte, error) {
	own, err := s.id.keyPackage(s.self)
	if err != nil {
		return nil, err
	}
	s.own = own
	if err := s.found(); err != nil {
		return nil, err
	}
	return own.raw, nil
}

func (s *session) found() error {
	s.group, s.queue, s.ours = nil, nil, nil
	if s.own == nil || s.sender == nil {
		return nil
	}
	senders := group.WithExtensions([]group.Extension{{Type: extensions.ExtensionTypeExternalSenders, Data: wire.ExternalSenders(s.sender)}})
	g, err := group.NewGroup(group.NewGroupID(s.groupID), suite, s.own.public, s.own.private, senders)
	if err != nil {
		return err
	}
	s.group = g
	return nil
}

// propose takes proposals or revokes some, and returns the payload of op 28 to commit all that are there then; nil if there are none, or if
// it is us who are removed.
func (s *session) propose(add []wire.Proposal, revoke [][]byte) (payload []byte, err error) {
	if s.group == nil {
		return nil, errNoUse
	}
	queue := slices.Clone(s.queue)
	for _, ref := range revoke {
		i := slices.IndexFunc(queue, func(p wire.Proposal) bool { return bytes.Equal(p.Ref(), ref) })
		if i < 0 {
			return nil, errRefuse
		}
		queue = slices.Delete(queue, i, i+1)
	}
	for _, p := range add {
		if !bytes.Equal(p.Group, s.groupID) || p.Epoch != uint64(s.group.Epoch()) {
			return nil, errRefuse
		}
		queue = append(queue, p)
	}
	if len(queue) > mostQueued {
		return nil, errRefuse
	}
	defer refusePanic(&err)
	ours, welcome, err := s.commit(queue)
	if err != nil {
		return nil, err
	}
	s.queue, s.ours = queue, ours
	if ours == nil {
		return nil, nil
	}
	return append(bytes.Clone(ours.commit), welcome...), nil
}

// commit commits a queue on a copy of the group.
func (s *session) commit(queue []wire.Proposal) (*outcome, []byte, error) {
	g, err := s.withQueue(queue)
	if err != nil {
		return nil, nil, err
	}
	leaf := uint32(g.OwnLeafIndex())
	if len(queue) == 0 || slices.ContainsFunc(queue, func(p wire.Proposal) bool { return p.Add == nil && p.Remove == leaf }) {
		return nil, nil, nil
	}
	staged, err := g.Commit(s.id.signer, s.id.signer.PublicKey(), nil)
	if err != nil {
		return nil, nil, errRefuse
	}
	content := staged.AuthenticatedContent()
	message := framing.PublicMessage{Content: content.Content, Auth: content.Auth, MembershipTag: staged.MembershipTag()}
	raw := framing.NewMLSMessagePublic(&message).Marshal()
	joiner := staged.JoinerSecret().Clone()
	if err := g.MergeCommit(staged); err != nil || !oncePerUser(g) {
		return nil, nil, errRefuse
	}
	welcome, err := s.welcome(g, staged, joiner, queue)
	return &outcome{commit: raw, group: g}, welcome, err
}

// withQueue returns a copy of the group that knows the proposals.
func (s *session) withQueue(queue []wire.Proposal) (*group.Group, error) {
	g, err := clone(s.group)
	if err != nil {
		return nil, err
	}
	for _, p := range queue {
		if err := process(g, p.Raw); err != nil {
			return nil, err
		}
		if p.Add == nil {
			allowAgain(g.GetTreeLeaf(group.LeafNodeIndex(p.Remove)))
		}
	}
	return g, nil
}

// allowAgain lets somebody be removed and added with the same signature key in one commit, as happens when they have lost the group. The
// library compares this copy of the key alone, and counts those who are removed.
func allowAgain(removed *treesync.Node) {
	if removed != nil && removed.LeafData != nil && removed.LeafData.SignatureKey != nil {
		removed.LeafData.SignatureKeyRaw = nil
	}
}

// accept takes a commit that the voice gateway has chosen. errNoUse and errFounded are ones that are not for us.
func (s *session) accept(raw []byte) (err error) {
	if s.group == nil {
		return errNoUse
	}
	c, err := wire.ReadCommit(raw)
	epoch := uint64(s.group.Epoch())
	switch {
	case err != nil && len(s.queue) > 0:
		return err
	case err != nil || !bytes.Equal(c.Group, s.groupID) || c.Epoch < epoch:
		return errNoUse
	case s.ours != nil && bytes.Equal(raw, s.ours.commit):
		s.adopt(s.ours.group)
		return nil
	case epoch == 0 && (c.Epoch > 0 || len(s.queue) == 0):
		return errNoUse // of a group that others have
	case epoch == 0:
		return errFounded
	case c.User != 0 && c.User != userAt(s.group, c.Leaf):
		return errRefuse // nobody becomes somebody else
	}
	defer refusePanic(&err)
	g, err := s.withQueue(s.queue)
	if err != nil {
		return err
	}
	if err := process(g, raw); err != nil {
		return err
	}
	if !oncePerUser(g) {
		return errRefuse
	}
	s.adopt(g)
	return nil
}

func (s *session) adopt(g *group.Group) {
	s.group, s.own, s.queue, s.ours = g, nil, nil, nil
}

// keys derives what each member encrypts with in this epoch.
func (s *session) keys() (map[uint64][]byte, error) {
	all := map[uint64][]byte{}
	for _, m := range s.members() {
		key, err := s.group.Export("Discord Secure Frames v0", binary.LittleEndian.AppendUint64(nil, m.User), 16)
		if err != nil {
			return nil, fmt.Errorf("derive the keys of a call: %w", err)
		}
		all[m.User] = key
	}
	return all, nil
}

// members are those of an established group, in the order of its leaves.
func (s *session) members() []Member {
	if !s.established() {
		return nil
	}
	return membersOf(s.group)
}

func membersOf(g *group.Group) []Member {
	var leaves []group.LeafNodeIndex
	g.IterateMembers(func(leaf group.LeafNodeIndex, m *group.Member) {
		if m.Active {
			leaves = append(leaves, leaf)
		}
	})
	slices.Sort(leaves)
	all := make([]Member, len(leaves))
	for i, leaf := range leaves {
		m, _ := g.GetMember(leaf)
		all[i] = Member{User: userOf(m), Key: g.MemberSigningKey(leaf)}
	}
	return all
}

func userAt(g *group.Group, leaf uint32) uint64 {
	if m, ok := g.GetMember(group.LeafNodeIndex(leaf)); ok && m.Active {
		return userOf(m)
	}
	return 0
}

func userOf(m *group.Member) uint64 { return binary.BigEndian.Uint64(m.Credential.Identity) }

// oncePerUser reports whether no user is in the group twice, which the library allows and others do not.
func oncePerUser(g *group.Group) bool {
	users := map[uint64]bool{}
	for _, m := range membersOf(g) {
		if users[m.User] {
			return false
		}
		users[m.User] = true
	}
	return true
}

// process has the library read a proposal or a commit that wire has read.
func process(g *group.Group, raw []byte) error {
	message, err := framing.UnmarshalMLSMessage(raw)
	if err != nil {
		return errRefuse
	}
	public, ok := message.AsPublic()
	if !ok || g.ProcessPublicMessage(public) != nil {
		return errRefuse
	}
	return nil
}

// clone copies a group, as the library changes it even where it fails.
func clone(g *group.Group) (*group.Group, error) {
	state, err := g.MarshalState()
	if err != nil {
		return nil, errRefuse
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(state, &fields); err != nil {
		return nil, errRefuse
	}
	delete(fields, "cached_psks") // one more for each epoch, and of no use here
	if state, err = json.Marshal(fields); err != nil {
		return nil, errRefuse
	}
	copied, err := group.UnmarshalGroupState(state)
	if err != nil {
		return nil, errRefuse
	}
	return copied, nil
}

// refusePanic is a second fence, behind wire: the library panics at some of what others could send.
func refusePanic(err *error) {
	if recover() != nil {
		*err = errRefuse
	}
}
