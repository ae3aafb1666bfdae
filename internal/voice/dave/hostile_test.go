package dave

import (
	"bytes"
	"math/rand/v2"
	"runtime/metrics"
	"slices"
	"testing"

	"github.com/thomas-vilte/mls-go/ciphersuite"
	"github.com/thomas-vilte/mls-go/framing"
	"github.com/thomas-vilte/mls-go/group"
	"github.com/thomas-vilte/mls-go/keypackages"

	"discoclaw/internal/voice/dave/davetest"
	"discoclaw/internal/voice/dave/wire"
)

// hostile is a call at the time of its messages: what others send is altered, and must not be accepted, nor cost much.
type hostile struct {
	founder  *Identity
	joining  session // of a client to whom the welcome is
	member   session // of a member that knows of the proposals, for the commit
	idle     session // of a member that does not, for the proposals
	messages map[int][]byte

	joiner, secret, info []byte // what is in the welcome
}

func newHostile(t testing.TB) *hostile {
	t.Helper()
	c := newCall(t)
	c.joinOurs(1, 2)
	one, two := c.ours(1), c.ours(2)
	h := &hostile{founder: one.session.id, joining: two.session}
	payloads := c.group.ProposeFounding(c.waiting...)
	commit, welcome, err := c.group.Accept(1, one.propose(payloads[1]))
	if err != nil || one.commit(1, commit) != nil || two.welcome(1, welcome) != nil {
		t.Fatal(err)
	}
	c.waiting = nil
	c.joinOurs(3, 4)
	h.idle = two.session
	proposals := c.group.Propose(nil, c.waiting...)
	two.propose(proposals)
	h.member = two.session
	second, _, err := c.group.Accept(1, one.propose(proposals))
	if err != nil {
		t.Fatal(err)
	}
	h.messages = map[int][]byte{
		OpExternalSender: c.sender.Package(), OpProposals: proposals, OpCommit: withTransition(2, second), OpWelcome: withTransition(1, welcome),
	}
	h.openWelcome(t, welcome)
	return h
}

func (h *hostile) openWelcome(t testing.TB, raw []byte) {
	t.Helper()
	w, err := wire.ReadWelcome(raw)
	if err != nil {
		t.Fatal(err)
	}
	sealed := ciphersuite.HPKECiphertext{KEMOutput: w.Secrets[0].KEMOutput, Ciphertext: w.Secrets[0].Ciphertext}
	if h.secret, err = ciphersuite.DecryptWithLabel(h.joining.own.private.InitKey.Bytes(), "Welcome", w.Info, &sealed, suite); err != nil {
		t.Fatal(err)
	}
	if h.joiner, err = wire.ReadJoinerSecret(h.secret); err != nil {
		t.Fatal(err)
	}
	key, nonce := welcomeKey(h.joiner)
	if h.info, err = ciphersuite.DecryptWithCipherSuite(key, nonce, w.Info, nil, suite); err != nil {
		t.Fatal(err)
	}
}

// seal makes a welcome of what is in one.
func (h *hostile) seal(t testing.TB, secret, info []byte) []byte {
	t.Helper()
	joiner := h.joiner
	if read, err := wire.ReadJoinerSecret(secret); err == nil {
		joiner = read
	}
	key, nonce := welcomeKey(joiner)
	sealedInfo, err := ciphersuite.EncryptWithCipherSuite(key, nonce, info, nil, suite)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := ciphersuite.EncryptWithLabel(h.joining.own.public.InitKey, "Welcome", sealedInfo, secret, suite)
	if err != nil {
		t.Fatal(err)
	}
	w := group.Welcome{Version: 1, CipherSuite: suite, EncryptedGroupInfo: sealedInfo}
	w.Secrets = []group.EncryptedGroupSecrets{{NewMember: wire.KeyPackage{Raw: h.joining.own.raw}.Ref(), EncryptedGroupSecrets: *sealed}}
	return w.Marshal()
}

// signed has the founder sign a description that was altered.
func (h *hostile) signed(t testing.TB, unsigned []byte) []byte {
	t.Helper()
	info, err := h.founder.appendSignature(bytes.Clone(unsigned), "GroupInfoTBS")
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// unsigned is the description without its signature.
func (h *hostile) unsigned() []byte {
	for n := 70; n <= 76; n++ {
		at := len(h.info) - n
		if v := wire.AppendVector(nil, h.info[min(at+2, len(h.info)):]); bytes.Equal(v, h.info[at:]) && h.info[at+2] == 0x30 {
			return h.info[:at]
		}
	}
	panic("the signature is of another length")
}

// tell has a client get a message, and reports whether it has accepted it.
func (h *hostile) tell(t testing.TB, op int, payload []byte) bool {
	t.Helper()
	c := New(2, testChannel, h.joining.id)
	c.Connected(1, 3, 4)
	switch op {
	case OpProposals:
		c.session = h.idle
	case OpCommit:
		c.session = h.member
	default:
		c.session = h.joining
	}
	before := allocated()
	answers := c.HandleBinary(op, payload)
	if spent := allocated() - before; spent > 16<<20 {
		t.Errorf("op %d with %x takes %d MB", op, payload, spent>>20)
	}
	return slices.ContainsFunc(answers, func(m Message) bool { return m.Op == OpTransitionReady || m.Op == OpCommitWelcome })
}

func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// alter changes bytes somewhere: lengths most of all, since they are what is trusted.
func alter(random *rand.Rand, message []byte) []byte {
	altered := bytes.Clone(message)
	for range 1 + random.IntN(3) {
		at := random.IntN(len(altered))
		switch random.IntN(6) {
		case 0:
			altered[at] ^= 1 << random.IntN(8)
		case 1:
			altered[at] = []byte{0, 0x3f, 0x40, 0x7f, 0x80, 0xbf, 0xc0, 0xff}[random.IntN(8)]
		case 2:
			altered = append(altered[:at:at], altered[at+random.IntN(min(40, len(altered)-at)):]...)
		case 3:
			altered = slices.Insert(altered, at, altered[at:at+random.IntN(min(200, len(altered)-at))]...)
		case 4:
			altered = slices.Insert(altered, at, byte(random.Uint32()))
		case 5:
			copy(altered[at:], []byte{0xbf, 0xff, 0xff, 0xff})
		}
		if len(altered) == 0 {
			return []byte{0}
		}
	}
	return altered
}

func TestMessagesAreAcceptedOnlyAsTheyWere(t *testing.T) {
	h := newHostile(t)
	random := rand.New(rand.NewPCG(1, 4))
	for op, payload := range h.messages {
		if op != OpExternalSender && !h.tell(t, op, payload) {
			t.Fatalf("op %d is refused as it was", op)
		}
		for range 300 {
			if altered := alter(random, payload); h.tell(t, op, altered) && !bytes.Equal(altered[2:], payload[2:]) {
				t.Errorf("op %d is accepted as %x, was %x", op, altered, payload)
			}
		}
	}
}

func TestWelcomesAreAcceptedOnlyAsTheyWere(t *testing.T) {
	h := newHostile(t)
	random := rand.New(rand.NewPCG(1, 5))
	tell := func(secret, info []byte) bool {
		return h.tell(t, OpWelcome, withTransition(1, h.seal(t, secret, info)))
	}
	if !tell(h.secret, h.info) || !tell(h.secret, h.signed(t, h.unsigned())) {
		t.Fatal("the welcome is refused as it was")
	}
	for range 200 {
		if info := alter(random, h.info); tell(h.secret, info) && !bytes.Equal(info, h.info) {
			t.Errorf("the description is accepted as %x", info)
		}
		if secret := alter(random, h.secret); tell(secret, h.info) && !bytes.Equal(secret, h.secret) {
			t.Errorf("the secret is accepted as %x", secret)
		}
		if unsigned := alter(random, h.unsigned()); tell(h.secret, h.signed(t, unsigned)) && !bytes.Equal(unsigned, h.unsigned()) {
			t.Errorf("what the founder has signed is accepted as %x", unsigned)
		}
	}
}

// The library falls back to another format for a tree that it cannot read, and trusts the number of leaves there.
func TestATreeOfBillionsIsRefused(t *testing.T) {
	h := newHostile(t)
	info := h.unsigned()
	for _, tree := range [][]byte{{0x7f, 0xff, 0xff, 0xff}, {0x3f, 0xff, 0xff, 0xff}, {}} {
		body := append([]byte{0, 2}, wire.AppendVector(nil, tree)...)
		context := info[:contextLength(info)]
		altered := append(bytes.Clone(context), wire.AppendVector(nil, body)...)
		altered = append(altered, info[len(info)-37:]...)
		if h.tell(t, OpWelcome, withTransition(1, h.seal(t, h.secret, h.signed(t, altered)))) {
			t.Errorf("a tree %x is accepted", tree)
		}
	}
}

// contextLength is of the group's context at the front of a description.
func contextLength(info []byte) int {
	g, err := group.UnmarshalGroupInfo(append(bytes.Clone(info), 0))
	if err != nil {
		panic(err)
	}
	return len(g.GroupContext.Marshal())
}

// A member that commits could say to be somebody else, and speak as them.
func TestNobodyBecomesSomebodyElse(t *testing.T) {
	c, one, two := duo(t)
	for _, third := range []uint64{1, 3} {
		one.known(3)
		two.known(3)
		payload := c.group.Propose(nil, davetest.Joiner{User: 3, KeyPackage: newOurPeer(t, 3).join(c.sender.Package())})
		one.propose(payload)
		two.propose(payload)
		g, err := one.session.withQueue(one.session.queue)
		if err != nil {
			t.Fatal(err)
		}
		self, _ := g.GetMember(g.OwnLeafIndex())
		self.Credential.Identity[7] = byte(third)
		staged, err := g.Commit(one.session.id.signer, one.session.id.signer.PublicKey(), nil)
		if err != nil {
			t.Fatal(err)
		}
		content := staged.AuthenticatedContent()
		message := framing.PublicMessage{Content: content.Content, Auth: content.Auth, MembershipTag: staged.MembershipTag()}
		commit := framing.NewMLSMessagePublic(&message).Marshal()
		if read, err := wire.ReadCommit(commit); err != nil || read.User != third {
			t.Fatalf("the commit is of user %d, %v", read.User, err)
		}
		before := two.session
		if err := two.session.accept(commit); (err == nil) != (third == 1) {
			t.Errorf("user 1 commits as %d: %v", third, err)
		}
		two.session = before
		wantOps(t, "revoked", one.HandleBinary(OpProposals, c.group.Revoke(3)))
		two.session.queue = nil
	}
}

func FuzzMessages(f *testing.F) {
	h := newHostile(f)
	for op, payload := range h.messages {
		f.Add(op, payload)
	}
	f.Fuzz(func(t *testing.T, op int, payload []byte) {
		want := h.messages[op]
		if h.tell(t, op, payload) && (len(payload) != len(want) || !bytes.Equal(payload[2:], want[2:])) {
			t.Errorf("op %d is accepted as %x, was %x", op, payload, want)
		}
	})
}

func FuzzWelcomes(f *testing.F) {
	h := newHostile(f)
	f.Add(h.secret, h.unsigned())
	f.Fuzz(func(t *testing.T, secret, unsigned []byte) {
		payload := withTransition(1, h.seal(t, secret, h.signed(t, unsigned)))
		if h.tell(t, OpWelcome, payload) && !(bytes.Equal(secret, h.secret) && bytes.Equal(unsigned, h.unsigned())) {
			t.Errorf("a welcome is accepted with secret %x and description %x", secret, unsigned)
		}
	})
}

// The library copies the group's extension into the description of the group, where davey refuses it. Once this fails, it does so no more,
// and session.welcome may let it make the welcome: see there.
func TestTheWelcomeOfTheLibraryStillNeedsMending(t *testing.T) {
	c := newCall(t)
	c.joinOurs(1, 2)
	one := c.ours(1).session
	payload := c.group.ProposeFounding(c.waiting...)[1]
	p, err := readProposals(payload)
	if err != nil {
		t.Fatal(err)
	}
	g, err := one.withQueue(p.add)
	if err != nil {
		t.Fatal(err)
	}
	staged, err := g.Commit(one.id.signer, one.id.signer.PublicKey(), nil)
	if err != nil {
		t.Fatal(err)
	}
	joiner := staged.JoinerSecret().Clone()
	if err := g.MergeCommit(staged); err != nil {
		t.Fatal(err)
	}
	added, err := keypackages.UnmarshalKeyPackage(p.add[0].Add.Raw)
	if err != nil {
		t.Fatal(err)
	}
	w, err := g.CreateWelcomeWithOpts([]*keypackages.KeyPackage{added}, one.id.signer, group.WithJoinerSecret(joiner), group.WithStagedCommit(staged))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(w.GroupInfo.Extensions, func(e group.Extension) bool { return e.Type == 5 }) {
		t.Error("the library's welcome is good: delete the detour in session.welcome")
	}
}

// The library takes somebody who is removed and added with the same key for a duplicate. Once this fails, allowAgain may go.
func TestTheLibraryStillRefusesWhoComesBack(t *testing.T) {
	c, one, two := duo(t)
	key := two.text(OpPrepareEpoch, `{"epoch":1}`)[0].Binary
	p, err := readProposals(c.group.Propose([]uint64{2}, davetest.Joiner{User: 2, KeyPackage: key}))
	if err != nil {
		t.Fatal(err)
	}
	g, err := clone(one.session.group)
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range p.add {
		if err := process(g, each.Raw); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.Commit(one.session.id.signer, one.session.id.signer.PublicKey(), nil); err == nil {
		t.Error("the library accepts who comes back: delete allowAgain")
	}
}
