package dave

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/voice/dave/davetest"
)

var speech = []byte("something that is said")

// duo is a call of users 1 and 2, both ours. 1 has founded it.
func duo(t *testing.T) (c *call, one, two *ourPeer) {
	t.Helper()
	c = newCall(t)
	c.joinOurs(1, 2)
	c.advance(nil, firstOf)
	return c, c.ours(1), c.ours(2)
}

// opsOf are the opcodes of answers.
func opsOf(answers []Message) []int {
	ops := []int{}
	for _, m := range answers {
		ops = append(ops, m.Op)
	}
	return ops
}

func wantOps(t *testing.T, what string, answers []Message, want ...int) {
	t.Helper()
	if got := opsOf(answers); !slices.Equal(got, want) {
		t.Errorf("%s: answered with ops %v, want %v", what, got, want)
	}
}

// hears reports whether what one says reaches the other.
func hears(t *testing.T, from, to *ourPeer) bool {
	t.Helper()
	frame, err := from.Seal(nil, speech)
	if err != nil {
		t.Fatal(err)
	}
	got, err := to.Open(from.session.self, frame)
	return err == nil && bytes.Equal(got, speech)
}

func TestTheExternalSenderMayComeLate(t *testing.T) {
	c := newCall(t)
	late := newOurPeer(t, 1)
	key := late.only(late.Describe(1), OpKeyPackage).Binary
	c.peers[1], c.waiting = late, append(c.waiting, davetest.Joiner{User: 1, KeyPackage: key})
	c.join(2, newOurPeer(t, 2))
	late.known(2)
	wantOps(t, "external sender", late.HandleBinary(OpExternalSender, c.sender.Package()))
	c.advance(nil, always(1))
	c.check(rand.New(rand.NewPCG(1, 0)))
}

func TestNobodyIsAddedBeforeTheyAreThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, one, _ := duo(t)
		third := newOurPeer(t, 3)
		payload := c.group.Propose(nil, davetest.Joiner{User: 3, KeyPackage: third.join(c.sender.Package())})
		wantOps(t, "a stranger", one.HandleBinary(OpProposals, payload))
		if due := one.Due(); time.Until(due) != 2*time.Second {
			t.Errorf("proposals about a stranger wait until %v", due)
		}
		time.Sleep(time.Second)
		wantOps(t, "no stranger any more", one.Connected(3), OpCommitWelcome)

		one.Gone(3)
		wantOps(t, "somebody who has left", one.HandleBinary(OpProposals, payload))
		time.Sleep(2 * time.Second)
		wantOps(t, "after the wait", one.Expire(time.Now()))
		if !one.Due().IsZero() {
			t.Errorf("something is due at %v", one.Due())
		}
		wantOps(t, "too late", one.Connected(3))
	})
}

// Once others have committed what we have not taken, they are ahead.
func TestACommitOfStrangersIsRecoveredFrom(t *testing.T) {
	for _, wait := range []time.Duration{0, strangers} {
		synctest.Test(t, func(t *testing.T) {
			c, one, two := duo(t)
			third := newOurPeer(t, 3)
			payload := c.group.Propose(nil, davetest.Joiner{User: 3, KeyPackage: third.join(c.sender.Package())})
			two.known(3)
			commit, _, err := c.group.Accept(2, two.propose(payload))
			if err != nil {
				t.Fatal(err)
			}
			wantOps(t, "proposals", one.HandleBinary(OpProposals, payload))
			time.Sleep(wait)
			wantOps(t, "waiting", one.Expire(time.Now()))
			wantOps(t, "commit", one.HandleBinary(OpCommit, withTransition(7, commit)), OpInvalid, OpKeyPackage)
		})
	}
}

func TestProposalsAreTakenTogetherOrNotAtAll(t *testing.T) {
	c, one, _ := duo(t)
	one.known(3)
	third := newOurPeer(t, 3)
	good := c.group.Propose(nil, davetest.Joiner{User: 3, KeyPackage: third.join(c.sender.Package())})
	twice := c.group.Propose([]uint64{2}, davetest.Joiner{User: 3, KeyPackage: third.session.own.raw})
	wantOps(t, "one to add", one.HandleBinary(OpProposals, good), OpCommitWelcome)
	wantOps(t, "one to remove, and one that is there", one.HandleBinary(OpProposals, twice))
	wantOps(t, "revoked, though unknown", one.HandleBinary(OpProposals, append([]byte{1, 33, 32}, make([]byte, 32)...)))
	if len(one.session.queue) != 1 || one.session.ours == nil {
		t.Errorf("%d proposals are left", len(one.session.queue))
	}
	wantOps(t, "all revoked", one.HandleBinary(OpProposals, c.group.Revoke(3)))
	wantOps(t, "of another epoch", one.HandleBinary(OpProposals, davetest.NewGroup(c.sender, testChannel).Propose(nil,
		davetest.Joiner{User: 3, KeyPackage: third.session.own.raw})))
}

func TestUnknownAndRepeatedMessagesChangeNothing(t *testing.T) {
	c := newCall(t)
	c.joinOurs(1, 2)
	var first []byte
	c.advance(nil, func(from []uint64) uint64 {
		first = c.ours(from[0]).session.ours.commit
		return from[0]
	})
	one, two := c.ours(1), c.ours(2)
	before := one.State()
	for what, answers := range map[string][]Message{
		"an unknown transition":      one.text(OpExecuteTransition, `{"transition_id":99}`),
		"one that is over":           one.text(OpExecuteTransition, `{"transition_id":1}`),
		"another opcode":             one.text(12, `{}`),
		"another binary opcode":      one.HandleBinary(12, []byte{1}),
		"the same external sender":   one.HandleBinary(OpExternalSender, c.sender.Package()),
		"no external sender":         one.HandleBinary(OpExternalSender, []byte{1, 2, 3}),
		"a commit that is over":      one.HandleBinary(OpCommit, withTransition(5, first)),
		"a later epoch":              one.text(OpPrepareEpoch, `{"protocol_version":1,"epoch":2}`),
		"a commit without proposals": one.HandleBinary(OpCommit, []byte{0, 5, 1, 2, 3}),
		"a welcome to a member":      one.HandleBinary(OpWelcome, []byte{0, 5, 1, 2, 3}),
		"a short commit":             one.HandleBinary(OpCommit, []byte{0}),
		"no proposals":               one.HandleBinary(OpProposals, nil),
		"too much":                   one.HandleBinary(OpProposals, make([]byte, largest+1)),
	} {
		wantOps(t, what, answers)
	}
	if after := one.State(); after.Epoch != before.Epoch || after.PrivacyCode != before.PrivacyCode || !hears(t, one, two) || !hears(t, two, one) {
		t.Errorf("the call is another: %+v, was %+v", after, before)
	}
	for _, op := range []int{OpPrepareTransition, OpExecuteTransition, OpPrepareEpoch} {
		for _, data := range []string{`{"protocol_version":0,"transition_id":70000}`, `{"protocol_version":0,"transition_id":-1}`, `[`, `{}`, `{"epoch":true}`} {
			if answers, err := one.HandleText(op, []byte(data)); err == nil || answers != nil {
				t.Errorf("op %d, %s: answered %v, %v", op, data, answers, err)
			}
		}
	}
}

// The epoch that begins last is the one to speak in, in whatever order transitions are executed.
func TestSeveralTransitionsMayBePending(t *testing.T) {
	c, one, two := duo(t)
	var ready []uint16
	for _, third := range []uint64{3, 4} {
		peer := newOurPeer(t, third)
		one.known(third)
		two.known(third)
		payload := c.group.Propose(nil, davetest.Joiner{User: third, KeyPackage: peer.join(c.sender.Package())})
		two.propose(payload)
		commit, _, err := c.group.Accept(1, one.propose(payload))
		if err != nil {
			t.Fatal(err)
		}
		c.last++
		ready = append(ready, c.last)
		for _, p := range []*ourPeer{one, two} {
			if err := p.commit(c.last, commit); err != nil {
				t.Fatal(err)
			}
		}
	}
	one.execute(ready[1])
	one.execute(ready[0])
	if n := one.media.send.number; n != 3 {
		t.Errorf("speaks with the keys of epoch %d of this call, want 3", n)
	}
	if !hears(t, one, two) || !hears(t, two, one) {
		t.Error("who is ahead does not hear the others, or they do not")
	}
}

// Transition 0 is executed at once, and nobody waits for us.
func TestTransition0(t *testing.T) {
	c := newCall(t)
	c.joinOurs(1, 2)
	payloads := c.group.ProposeFounding(c.waiting...)
	one, two := c.ours(1), c.ours(2)
	commit, welcome, err := c.group.Accept(1, one.propose(payloads[1]))
	if err != nil {
		t.Fatal(err)
	}
	wantOps(t, "commit", one.HandleBinary(OpCommit, withTransition(0, commit)))
	wantOps(t, "welcome", two.HandleBinary(OpWelcome, withTransition(0, welcome)))
	if !one.CanSend() || !hears(t, one, two) {
		t.Error("nobody can say anything")
	}
	wantOps(t, "the last one", one.text(OpPrepareEpoch, `{"protocol_version":1,"epoch":"1"}`), OpKeyPackage)
	wantOps(t, "no transition", one.text(OpPrepareTransition, `{"protocol_version":1,"transition_id":0}`))
	if !one.CanSend() || one.State().Epoch != 0 {
		t.Error("the last one has lost the key, or kept the group")
	}
	wantOps(t, "no encryption", one.text(OpPrepareTransition, `{"protocol_version":0,"transition_id":0}`))
	if frame, err := one.Seal(nil, speech); err != nil || !bytes.Equal(frame, speech) {
		t.Errorf("says %x, %v", frame, err)
	}
}

func TestNothingIsSaidBeforeItCanBeEncrypted(t *testing.T) {
	c := newCall(t)
	one := newOurPeer(t, 1)
	for _, when := range []string{"before the description", "alone"} {
		if _, err := one.Seal(nil, speech); !errors.Is(err, ErrNotReady) || one.CanSend() {
			t.Errorf("%s: %v", when, err)
		}
		if frame, err := one.Seal([]byte{1}, Silence); err != nil || !bytes.Equal(frame[1:], Silence) {
			t.Errorf("%s: silence is %x, %v", when, frame, err)
		}
		if _, err := one.Open(2, speech); !errors.Is(err, ErrPlain) {
			t.Errorf("%s: hears what is not encrypted: %v", when, err)
		}
		if got, err := one.Open(2, Silence); err != nil || !bytes.Equal(got, Silence) {
			t.Errorf("%s: hears of silence %x, %v", when, got, err)
		}
		c.join(1, one)
	}
	c.joinOurs(2)
	payloads := c.group.ProposeFounding(c.waiting...)
	commit, _, err := c.group.Accept(1, one.propose(payloads[1]))
	if err != nil || one.commit(1, commit) != nil {
		t.Fatal(err)
	}
	if one.CanSend() {
		t.Error("speaks before all are ready")
	}
	one.execute(1)
	if !one.CanSend() {
		t.Error("does not speak")
	}
}

// Others use new keys as soon as they have them, and old ones a while longer.
func TestOldKeysAreKeptForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, one, two := duo(t)
		old := slices.Repeat([]byte{'x'}, 3)
		var late [][]byte
		for range 2 {
			frame, err := two.Seal(nil, old)
			if err != nil {
				t.Fatal(err)
			}
			late = append(late, frame)
		}
		c.joinOurs(3)
		c.advance(nil, firstOf)
		time.Sleep(10*time.Second - time.Nanosecond)
		if got, err := one.Open(2, late[0]); err != nil || !bytes.Equal(got, old) {
			t.Errorf("a late frame opens as %x, %v", got, err)
		}
		time.Sleep(time.Nanosecond)
		if _, err := one.Open(2, late[1]); !errors.Is(err, ErrUndecryptable) {
			t.Errorf("a very late frame: %v", err)
		}
		if !hears(t, two, one) {
			t.Error("does not hear the new keys")
		}
	})
}

func TestACallWithoutEncryption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, one, two := duo(t)
		plain := func(want bool, when string) {
			t.Helper()
			if _, err := one.Open(2, speech); (err == nil) != want {
				t.Errorf("%s: what is not encrypted: %v", when, err)
			}
		}
		plain(false, "encrypted")
		wantOps(t, "downgrade", one.text(OpPrepareTransition, `{"protocol_version":0,"transition_id":9}`), OpTransitionReady)
		plain(true, "before the downgrade is executed")
		if frame, err := one.Seal(nil, speech); err != nil || bytes.Equal(frame, speech) {
			t.Errorf("says %x before the downgrade is executed, %v", frame, err)
		}
		one.execute(9)
		plain(true, "after the downgrade")
		if frame, err := one.Seal(nil, speech); err != nil || !bytes.Equal(frame, speech) || one.State().Epoch != 0 || one.State().Version != 0 {
			t.Errorf("says %x after the downgrade, %v: %+v", frame, err, one.State())
		}
		time.Sleep(time.Hour)
		plain(true, "long after the downgrade")

		c.group, c.waiting = davetest.NewGroup(c.sender, testChannel), nil
		for _, p := range []*ourPeer{one, two} {
			key := p.only(p.text(OpPrepareEpoch, `{"protocol_version":1,"epoch":1}`), OpKeyPackage).Binary
			c.waiting = append(c.waiting, davetest.Joiner{User: p.session.self, KeyPackage: key})
		}
		c.advance(nil, always(2))
		if !hears(t, one, two) || !hears(t, two, one) || one.State().Version != 1 {
			t.Error("the upgrade has failed")
		}
		time.Sleep(10*time.Second - time.Nanosecond)
		plain(true, "just after the upgrade")
		time.Sleep(time.Nanosecond)
		plain(false, "after the upgrade")
	})
}

func TestAVoiceServerWithoutEncryption(t *testing.T) {
	one := newOurPeer(t, 1)
	wantOps(t, "description", one.Describe(0))
	if frame, err := one.Seal(nil, speech); err != nil || !bytes.Equal(frame, speech) || !one.CanSend() {
		t.Errorf("says %x, %v", frame, err)
	}
	if got, err := one.Open(2, speech); err != nil || !bytes.Equal(got, speech) {
		t.Errorf("hears %x, %v", got, err)
	}
}

// Who loses the founding is welcomed soon, or asks again.
func TestWhoIsNotWelcomedAsksAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCall(t)
		c.joinOurs(1, 2)
		payloads := c.group.ProposeFounding(c.waiting...)
		one, two := c.ours(1), c.ours(2)
		two.propose(payloads[2])
		commit, welcome, err := c.group.Accept(1, one.propose(payloads[1]))
		if err != nil {
			t.Fatal(err)
		}
		wantOps(t, "another's commit", two.HandleBinary(OpCommit, withTransition(4, commit)))
		if wait := time.Until(two.Due()); wait != 5*time.Second {
			t.Errorf("waits %v for the welcome", wait)
		}
		time.Sleep(5*time.Second - time.Nanosecond)
		wantOps(t, "waiting", two.Expire(time.Now()))
		time.Sleep(time.Nanosecond)
		answers := two.Expire(time.Now())
		wantOps(t, "after the wait", answers, OpInvalid, OpKeyPackage)
		if answers[0].Text != (transitionID{4}) {
			t.Errorf("names transition %v", answers[0].Text)
		}
		wantOps(t, "a welcome for the old key", two.HandleBinary(OpWelcome, withTransition(4, welcome)), OpInvalid, OpKeyPackage)
	})
}

// Somebody whose messages cannot be used asks to be added anew, and keeps speaking with the old keys. The others remove and add them in
// one commit. If that does not help, the call is left.
func TestRecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, one, two := duo(t)
		for i := range 3 {
			two.propose(c.group.Propose([]uint64{1}))
			answers := two.HandleBinary(OpCommit, withTransition(6, []byte("no commit")))
			wantOps(t, "a commit that cannot be read", answers, OpInvalid, OpKeyPackage)
			c.group.Revoke(1)
			if !hears(t, two, one) || two.State().Recoveries != i+1 || two.Err() != nil {
				t.Fatalf("after recovery %d: %+v, %v", i, two.State(), two.Err())
			}
			c.waiting = []davetest.Joiner{{User: 2, KeyPackage: answers[1].Binary}}
			c.advance([]uint64{2}, always(1))
			c.check(rand.New(rand.NewPCG(3, 0)))
		}
		time.Sleep(time.Minute - time.Nanosecond)
		two.propose(c.group.Propose([]uint64{1}))
		wantOps(t, "too often", two.HandleBinary(OpCommit, withTransition(6, []byte("no commit"))))
		if two.Err() == nil {
			t.Error("does not give up")
		}
	})
}

func TestFramesThatDoNotOpenAreRecoveredFrom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, one, two := duo(t)
		spoil := func(n int) (woken bool) {
			for range n {
				frame, err := one.Seal(nil, speech)
				if err != nil {
					t.Fatal(err)
				}
				frame[0] ^= 1
				if _, err := two.Open(1, frame); !errors.Is(err, ErrUndecryptable) {
					t.Fatal(err)
				}
			}
			select {
			case <-two.Woken():
				return true
			default:
				return false
			}
		}
		if spoil(49) || !hears(t, one, two) || spoil(49) {
			t.Error("is woken by fewer than 50 frames in a row")
		}
		if !spoil(1) {
			t.Fatal("is not woken by 50 frames")
		}
		answers := two.Expire(time.Now())
		wantOps(t, "50 frames", answers, OpInvalid, OpKeyPackage)
		if answers[0].Text != (transitionID{c.last}) {
			t.Errorf("names transition %v, want %d", answers[0].Text, c.last)
		}
		for range 10 { // what one person sends must not drive us out
			c.waiting = []davetest.Joiner{{User: 2, KeyPackage: two.only(answers[len(answers)-1:], OpKeyPackage).Binary}}
			c.advance([]uint64{2}, always(1))
			spoil(60)
			wantOps(t, "again too early", two.Expire(time.Now()))
			time.Sleep(time.Minute)
			spoil(60)
			answers = two.Expire(time.Now())
			wantOps(t, "a minute later", answers, OpInvalid, OpKeyPackage)
		}
		if two.Err() != nil {
			t.Error(two.Err())
		}
	})
}

// A voice gateway that lost its state begins anew, with another key.
func TestAReconnectedCallBeginsAnew(t *testing.T) {
	c, one, two := duo(t)
	again := newCall(t)
	again.join(1, one)
	again.join(2, two)
	if !one.CanSend() {
		t.Error("nothing can be said meanwhile")
	}
	again.advance(nil, always(2))
	again.check(rand.New(rand.NewPCG(1, 0)))
	if c.group.Epoch() != again.group.Epoch() {
		t.Error("the epochs are not those of a new group")
	}
}

// The error of a bad commit must not reach a log: in the library's there are secrets.
func TestErrorsHaveNoSecrets(t *testing.T) {
	c, one, two := duo(t)
	payload := c.group.Propose([]uint64{2})
	one.propose(payload)
	commit := bytes.Clone(one.session.ours.commit)
	two.session.queue = one.session.queue
	commit[len(commit)-40] ^= 1
	err := two.session.accept(commit)
	if err == nil || len(err.Error()) > 60 {
		t.Errorf("refused with %q", err)
	}
	if secret := hex.EncodeToString(two.session.group.EpochSecrets().InitSecret.AsSlice()); bytes.Contains([]byte(err.Error()), []byte(secret)) {
		t.Error("the error has a secret")
	}
}
