package dave

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"testing"

	"discoclaw/internal/test/skip"
)

// davey is a program with sessions of davey, an implementation of other people's.
type davey struct {
	t   testing.TB
	in  io.Writer
	out *bufio.Scanner
}

func startDavey(t testing.TB) *davey {
	t.Helper()
	dir := skip.WithoutNode(t, "davey")
	cmd := exec.Command("node", "testdata/davey/run.cjs", dir)
	var said bytes.Buffer
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmp.Or(in.Close(), cmd.Wait()); err != nil {
			t.Errorf("the program ended with %v\n%s", err, &said)
		}
	})
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<24)
	return &davey{t, in, lines}
}

type daveyRequest struct {
	Do      string   `json:"do"`
	User    string   `json:"user"`
	Channel string   `json:"channel,omitempty"`
	From    string   `json:"from,omitempty"`
	Data    string   `json:"data,omitempty"`
	Known   []string `json:"known,omitempty"`
	On      bool     `json:"on,omitempty"`
}

type daveyAnswer struct{ Data, Text, Error string }

func (d *davey) ask(request daveyRequest) (daveyAnswer, error) {
	d.t.Helper()
	line, err := json.Marshal(request)
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := d.in.Write(append(line, '\n')); err != nil || !d.out.Scan() {
		d.t.Fatalf("the program has ended: %v, %v", err, d.out.Err())
	}
	var answer daveyAnswer
	if err := json.Unmarshal(d.out.Bytes(), &answer); err != nil {
		d.t.Fatalf("the program says %s", d.out.Bytes())
	}
	if answer.Error != "" {
		return answer, errors.New(answer.Error)
	}
	return answer, nil
}

// daveyPeer is one of davey's sessions.
type daveyPeer struct {
	*davey
	user   uint64
	joined bool
	people []string
}

func (d *davey) peer(user uint64) *daveyPeer { return &daveyPeer{davey: d, user: user} }

func (p *daveyPeer) do(what string, data []byte) (daveyAnswer, error) {
	return p.ask(daveyRequest{Do: what, User: id(p.user), Data: hex.EncodeToString(data)})
}

// must is for what has to be done.
func (p *daveyPeer) must(what string, request daveyRequest) []byte {
	p.t.Helper()
	request.Do, request.User = what, id(p.user)
	answer, err := p.ask(request)
	if err != nil {
		p.t.Fatalf("davey cannot %s: %v", what, err)
	}
	data, err := hex.DecodeString(answer.Data)
	if err != nil {
		p.t.Fatal(err)
	}
	return data
}

func (p *daveyPeer) join(sender []byte) []byte {
	how := "join"
	if p.joined {
		how = "rejoin"
	}
	p.joined = true
	return p.must(how, daveyRequest{Channel: id(testChannel), Data: hex.EncodeToString(sender)})
}

func (p *daveyPeer) known(users ...uint64) {
	for _, user := range users {
		p.people = append(p.people, id(user))
	}
}

func (p *daveyPeer) propose(payload []byte) []byte {
	answer, err := p.ask(daveyRequest{Do: "proposals", User: id(p.user), Data: hex.EncodeToString(payload), Known: p.people})
	if err != nil || answer.Data == "" {
		return nil // it is to be added itself
	}
	data, _ := hex.DecodeString(answer.Data)
	return data
}

func (p *daveyPeer) commit(_ uint16, commit []byte) error {
	_, err := p.do("commit", commit)
	return err
}

func (p *daveyPeer) welcome(_ uint16, welcome []byte) error {
	_, err := p.do("welcome", welcome)
	return err
}

func (p *daveyPeer) execute(uint16) {} // it sends with new keys as soon as it has them

func (p *daveyPeer) seal(opus []byte) ([]byte, error) {
	return p.must("seal", daveyRequest{Data: hex.EncodeToString(opus)}), nil
}

func (p *daveyPeer) open(from uint64, frame []byte) ([]byte, error) {
	answer, err := p.ask(daveyRequest{Do: "open", User: id(p.user), From: id(from), Data: hex.EncodeToString(frame)})
	data, _ := hex.DecodeString(answer.Data)
	return data, err
}

func (p *daveyPeer) code() string {
	answer, _ := p.do("code", nil)
	return answer.Text
}

func id(user uint64) string { return strconv.FormatUint(user, 10) }

// mixed has every other client be davey's.
func mixed(t testing.TB, d *davey) func(user uint64) peer {
	return func(user uint64) peer {
		if user%2 == 0 {
			return d.peer(user)
		}
		return newOurPeer(t, user)
	}
}

func TestAnybodyMayComeAndGoWithDavey(t *testing.T) {
	d := startDavey(t)
	skip.UnderRace(t, "TestAnybodyMayComeAndGo has the same of our code")
	for seed := range uint64(10) {
		most := 5
		if seed%5 == 0 {
			most = 13
		}
		randomMembership(t, seed, 52, most, mixed(t, d))
	}
}

// Whoever commits first wins: each founding, a third member with each winner, somebody who leaves, and one removed and added at once.
func TestCallsWithDavey(t *testing.T) {
	d := startDavey(t)
	random := rand.New(rand.NewPCG(1, 1))
	for _, founder := range []uint64{1, 2} {
		for _, winner := range []uint64{1, 2} {
			for _, third := range []peer{newOurPeer(t, 3), d.peer(3)} {
				c := newCall(t)
				c.join(1, newOurPeer(t, 1))
				c.join(2, d.peer(2))
				c.advance(nil, always(founder))
				c.check(random)
				c.join(3, third)
				c.advance(nil, always(winner))
				c.check(random)
				c.waiting = append(c.waiting, c.again(2))
				c.advance([]uint64{2}, always(1))
				c.check(random)
				c.leave(3)
				c.advance([]uint64{3}, always(winner))
				c.check(random)
			}
		}
	}
}

func always(user uint64) func([]uint64) uint64 { return func([]uint64) uint64 { return user } }

// davey makes no welcome if an addition is left after something was revoked, so ours wins.
func TestRevokedWithDavey(t *testing.T) {
	d := startDavey(t)
	c := newCall(t)
	c.join(1, newOurPeer(t, 1))
	c.join(2, d.peer(2))
	c.advance(nil, always(2))
	c.join(3, newOurPeer(t, 3))
	c.join(4, d.peer(4))
	payload := c.group.Propose(nil, c.waiting...)
	revoked := c.group.Revoke(4)
	c.waiting = c.waiting[:1]
	commits := map[uint64][]byte{}
	for _, user := range c.group.Members() {
		c.peers[user].propose(payload)
		commits[user] = c.peers[user].propose(revoked)
	}
	c.leave(4)
	c.deliver(1, commits)
	c.check(rand.New(rand.NewPCG(1, 2)))
	if slices.Contains(c.group.Members(), 4) {
		t.Error("who was revoked is a member")
	}
}

func TestPairwiseCodeWithDavey(t *testing.T) {
	d := startDavey(t)
	c := newCall(t)
	c.join(1, newOurPeer(t, 1))
	c.join(2, d.peer(2))
	c.advance(nil, always(1))
	members := c.ours(1).State().Members
	got, err := PairwiseCode(members[0], members[1])
	theirs, _ := d.ask(daveyRequest{Do: "pairwise", User: "2", From: "1"})
	if err != nil || got != theirs.Text {
		t.Errorf("code = %s, %v, want davey's %s", got, err, theirs.Text)
	}
}

// Frames of all sizes, altered, in the wrong order, and twice. davey takes none from before the first one that it has opened.
func TestFramesWithDavey(t *testing.T) {
	d := startDavey(t)
	c := newCall(t)
	c.join(1, newOurPeer(t, 1))
	c.join(2, d.peer(2))
	c.advance(nil, always(1))
	for _, from := range []uint64{1, 2} {
		to := 3 - from
		var frames, plain [][]byte
		for size := 0; size <= 1275; size += 15 {
			opus := bytes.Repeat([]byte{byte(size), 0xfa}, size)[:size]
			frame, err := c.peers[from].seal(opus)
			if err != nil {
				t.Fatal(err)
			}
			frames, plain = append(frames, frame), append(plain, opus)
		}
		for bit := range len(frames[1]) * 8 {
			altered := bytes.Clone(frames[1])
			altered[bit/8] ^= 1 << (bit % 8)
			if got, err := c.peers[to].open(from, altered); err == nil {
				t.Errorf("from %d: bit %d may be flipped: %x", from, bit, got)
			}
		}
		order := rand.New(rand.NewPCG(from, 3)).Perm(len(frames) - 1)
		for _, at := range slices.Insert(order, 0, len(order)) {
			at = (at + 1) % len(frames)
			got, err := c.peers[to].open(from, frames[at])
			if err != nil || !bytes.Equal(got, plain[at]) {
				t.Errorf("from %d: frame %d opens as %d bytes: %v", from, at, len(got), err)
			}
			if _, err := c.peers[to].open(from, frames[at]); err == nil {
				t.Errorf("from %d: frame %d opens twice", from, at)
			}
		}
	}
}

// Each opens late frames of the other's last epoch, lets plain ones through in a call without encryption alone, and refuses what was altered.
func TestChangesWithDavey(t *testing.T) {
	d := startDavey(t)
	c := newCall(t)
	theirs := d.peer(2)
	c.join(1, newOurPeer(t, 1))
	c.join(2, theirs)
	c.advance(nil, always(1))
	c.check(rand.New(rand.NewPCG(1, 7)))
	late := map[uint64][]byte{}
	for from, p := range c.peers {
		frame, err := p.seal(speech)
		if err != nil {
			t.Fatal(err)
		}
		late[from] = frame
	}
	c.join(3, newOurPeer(t, 3))
	payload := c.group.Propose(nil, c.waiting...)
	commits := map[uint64][]byte{1: c.ours(1).propose(payload), 2: theirs.propose(payload)}
	altered := bytes.Clone(commits[1])
	altered[len(altered)/8] ^= 1
	if _, err := theirs.do("commit", altered); err == nil {
		t.Error("davey takes a commit that was altered")
	}
	c.deliver(1, commits)
	for from, frame := range late {
		if got, err := c.peers[3-from].open(from, frame); err != nil || !bytes.Equal(got, speech) {
			t.Errorf("a late frame of %d opens as %x, %v", from, got, err)
		}
	}
	for _, on := range []bool{false, true} {
		if on {
			theirs.must("passthrough", daveyRequest{On: true})
			c.ours(1).text(OpPrepareTransition, `{"protocol_version":0,"transition_id":50}`)
		}
		for from := range late {
			if got, err := c.peers[3-from].open(from, speech); (err == nil) != on || on && !bytes.Equal(got, speech) {
				t.Errorf("without encryption %v: a plain frame of %d is %x, %v", on, from, got, err)
			}
		}
	}
}
