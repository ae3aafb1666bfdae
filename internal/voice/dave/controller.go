// Package dave encrypts the voice of a call end to end, as Discord's DAVE protocol has it, version 1, for audio alone. It does no I/O and
// starts no goroutines: what came from the voice gateway goes in, and what to send there comes out. Start with Controller.
package dave

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"discoclaw/internal/voice/dave/wire"
)

// The opcodes of the voice gateway that are about encryption. External sender, proposals, commit and welcome are binary, as are
// the key package and the commit that go out; the others are JSON.
const (
	OpPrepareTransition = 21
	OpExecuteTransition = 22
	OpTransitionReady   = 23 // goes out
	OpPrepareEpoch      = 24
	OpExternalSender    = 25
	OpKeyPackage        = 26 // goes out
	OpProposals         = 27
	OpCommitWelcome     = 28 // goes out
	OpCommit            = 29
	OpWelcome           = 30
	OpInvalid           = 31 // goes out
)

// A Message is one to send to the voice gateway.
type Message struct {
	Op     int
	Text   any    // the "d" of a JSON message; used if Binary is nil
	Binary []byte // what follows the opcode in a binary message
}

const (
	// strangers is how long proposals to add somebody wait for the word that this user is there: the two overtake each other.
	strangers = 2 * time.Second
	// welcomed is how long after the founding of the group by others our welcome may take.
	welcomed = 5 * time.Second
	// A group is joined anew so many times in so long before the call is given up.
	mostRecoveries = 3
	recoveryPeriod = time.Minute
	// Messages of the gateway are smaller. A group of a hundred has a welcome of 60 KB.
	largest = 1 << 20
	// What the gateway may have us keep, which is far more than it does.
	mostPending = 64
	mostHeld    = 8
	mostKnown   = 10_000
)

var errGivenUp = errors.New("the encryption of the call fails again and again")

// A Controller is the encryption of one call: it answers the voice gateway's messages, and has the keys in force. One goroutine at a time
// calls its methods, except Seal, Open, CanSend, Woken and State, which are safe for all.
type Controller struct {
	session session
	media   media

	known    map[uint64]bool // who is in the call
	held     []proposals     // that wait for somebody to be known, and those after them
	joinEnds time.Time       // when to be welcome; zero without a group that others have founded

	pending   map[uint16]transition
	last      uint16 // the transition of the newest group
	epochs    int    // how many there were, over all groups
	recovered []time.Time
	givenUp   error
}

// proposals are those of an op 27.
type proposals struct {
	add    []wire.Proposal
	revoke [][]byte
	ends   time.Time // of waiting
}

// A transition is what comes into force with op 22.
type transition struct {
	version int
	keys    *epochKeys // nil if the version alone changes
}

// New returns the encryption of a call in a channel, as one user. A call in another channel needs another Controller; one that only
// reconnects keeps its own.
func New(self, channel uint64, id *Identity) *Controller {
	c := &Controller{known: map[uint64]bool{self: true}, pending: map[uint16]transition{}}
	c.session = session{self: self, id: id, groupID: binary.BigEndian.AppendUint64(nil, channel)}
	c.media = media{state: State{Version: unknownVersion}, failed: map[uint64]int{}, woken: make(chan struct{}, 1)}
	return c
}

// Describe takes the protocol version of a session description (op 4). 0 is a call without encryption.
func (c *Controller) Describe(version int) []Message {
	c.pending = map[uint16]transition{}
	c.media.enforce(version, nil, time.Now())
	if version == 0 {
		c.reset()
		return nil
	}
	return c.startAnew()
}

// startAnew forgets the group, and asks to be added.
func (c *Controller) startAnew() []Message {
	c.reset()
	key, err := c.session.keyPackage()
	if err != nil {
		c.givenUp = fmt.Errorf("make a key to join the call: %w", err)
		return nil
	}
	return []Message{{Op: OpKeyPackage, Binary: key}}
}

func (c *Controller) reset() {
	c.session.reset()
	c.held, c.joinEnds = nil, time.Time{}
	c.show()
}

// Connected takes who is in the call (op 11): only they may be added to its group.
func (c *Controller) Connected(users ...uint64) []Message {
	for _, user := range users {
		if len(c.known) < mostKnown {
			c.known[user] = true
		}
	}
	return c.retryHeld()
}

// Gone takes that somebody has left the call (op 13).
func (c *Controller) Gone(user uint64) { delete(c.known, user) }

// HandleText takes the "d" of a JSON message. Opcodes other than 21, 22 and 24 do nothing.
func (c *Controller) HandleText(op int, data json.RawMessage) ([]Message, error) {
	var in struct {
		Version    *int        `json:"protocol_version"`
		Transition *uint16     `json:"transition_id"`
		Epoch      json.Number `json:"epoch"` // a number or a string
	}
	if op != OpPrepareTransition && op != OpExecuteTransition && op != OpPrepareEpoch {
		return nil, nil
	}
	err := json.Unmarshal(data, &in)
	switch {
	case err != nil:
	case op == OpPrepareTransition && in.Version != nil && in.Transition != nil:
		if *in.Version == 0 {
			c.media.allowPlain()
		}
		return c.prepare(*in.Transition, transition{version: *in.Version}), nil
	case op == OpExecuteTransition && in.Transition != nil:
		c.execute(*in.Transition)
		return nil, nil
	case op == OpPrepareEpoch && in.Epoch == "1":
		return c.startAnew(), nil
	case op == OpPrepareEpoch && in.Epoch != "":
		return nil, nil // the group goes on
	default:
		err = errors.New("a field is missing")
	}
	return nil, fmt.Errorf("read op %d of the voice gateway: %w", op, err)
}

// prepare keeps what comes into force with a transition, and says that we are ready for it. Transition 0 is executed at once.
func (c *Controller) prepare(id uint16, t transition) []Message {
	if len(c.pending) >= mostPending {
		clear(c.pending)
	}
	if before, ok := c.pending[id]; ok && t.keys == nil && t.version > 0 {
		t.keys = before.keys
	}
	c.pending[id] = t
	if id == 0 {
		c.execute(id)
		return nil
	}
	return []Message{{Op: OpTransitionReady, Text: transitionID{id}}}
}

type transitionID struct {
	ID uint16 `json:"transition_id"`
}

func (c *Controller) execute(id uint16) {
	t, ok := c.pending[id]
	if !ok {
		return
	}
	delete(c.pending, id)
	c.media.enforce(t.version, t.keys, time.Now())
	if t.version == 0 {
		c.reset()
	}
}

// HandleBinary takes what follows the opcode of a binary message. Opcodes other than 25, 27, 29 and 30 do nothing.
func (c *Controller) HandleBinary(op int, payload []byte) []Message {
	if len(payload) > largest {
		return nil
	}
	payload = slices.Clone(payload) // parts of it are kept
	switch op {
	case OpExternalSender:
		// One that cannot be read is as good as none: without it there is no group.
		_ = c.session.setSender(payload)
	case OpProposals:
		p, err := readProposals(payload)
		if err != nil || len(c.held) >= mostHeld {
			return nil // nobody else can read them either, so they will not be committed
		}
		p.ends = time.Now().Add(strangers)
		c.held = append(c.held, p)
		return c.retryHeld()
	case OpCommit, OpWelcome:
		if len(payload) < 2 {
			return nil
		}
		id, message := binary.BigEndian.Uint16(payload), payload[2:]
		if op == OpCommit {
			return c.commit(id, message)
		}
		return c.welcome(id, message)
	}
	return nil
}

// retryHeld takes the proposals that wait, up to the first ones that still have to.
func (c *Controller) retryHeld() []Message {
	var answer []Message
	for len(c.held) > 0 {
		p := c.held[0]
		if c.session.group != nil && slices.ContainsFunc(p.add, c.stranger) {
			break
		}
		c.held = c.held[1:]
		if payload, err := c.session.propose(p.add, p.revoke); err == nil && payload != nil {
			answer = []Message{{Op: OpCommitWelcome, Binary: payload}} // it replaces the one before
		}
	}
	return answer
}

func (c *Controller) stranger(p wire.Proposal) bool { return p.Add != nil && !c.known[p.Add.User] }

// readProposals reads the payload of op 27.
func readProposals(payload []byte) (p proposals, err error) {
	switch {
	case len(payload) == 0 || payload[0] > 1:
		return p, wire.ErrMalformed
	case payload[0] == 0:
		p.add, err = wire.ReadProposals(payload[1:])
	default:
		p.revoke, err = wire.ReadRefs(payload[1:])
	}
	return p, err
}

func (c *Controller) commit(id uint16, raw []byte) []Message {
	err := c.session.accept(raw)
	switch {
	case errors.Is(err, errNoUse):
		return nil
	case errors.Is(err, errFounded):
		c.joinEnds, c.last = time.Now().Add(welcomed), id
		return nil
	case err != nil:
		return c.recover(id)
	}
	return c.adopted(id)
}

func (c *Controller) welcome(id uint16, raw []byte) []Message {
	err := c.session.join(raw)
	if errors.Is(err, errNoUse) {
		return nil
	}
	if err != nil {
		return c.recover(id)
	}
	return c.adopted(id)
}

// adopted takes the keys of a new epoch: others may use them at once, we do so once all are ready.
func (c *Controller) adopted(id uint16) []Message {
	bases, err := c.session.keys()
	if err != nil || bases[c.session.self] == nil {
		return c.recover(id)
	}
	c.epochs++
	now := time.Now()
	keys := &epochKeys{number: c.epochs, send: newSealer(bases[c.session.self]), open: map[uint64]*opener{}}
	for user, base := range bases {
		if user != c.session.self {
			keys.open[user] = newOpener(base, now)
		}
	}
	c.media.learn(keys, now)
	c.last, c.joinEnds, c.held = id, time.Time{}, nil
	c.show()
	return c.prepare(id, transition{version: 1, keys: keys})
}

// recover leaves the group and asks to be added to it anew. Keys in force stay so until the next transition.
func (c *Controller) recover(id uint16) []Message {
	now := time.Now()
	c.recovered = slices.DeleteFunc(c.recovered, func(at time.Time) bool { return now.Sub(at) >= recoveryPeriod })
	if len(c.recovered) >= mostRecoveries {
		c.givenUp = errGivenUp
	}
	if c.givenUp != nil {
		return nil
	}
	c.recovered = append(c.recovered, now)
	c.media.countRecovery()
	return append([]Message{{Op: OpInvalid, Text: transitionID{id}}}, c.startAnew()...)
}

// Due is when Expire has to be called next; zero means not before the next message.
func (c *Controller) Due() time.Time {
	due := c.joinEnds
	if len(c.held) > 0 && (due.IsZero() || c.held[0].ends.Before(due)) {
		due = c.held[0].ends
	}
	return due
}

// Expire ends the waits that are over by then, and begins the recovery that Woken asked for.
func (c *Controller) Expire(now time.Time) []Message {
	if len(c.held) > 0 && !now.Before(c.held[0].ends) {
		c.held = c.held[1:]
		return c.retryHeld()
	}
	if !c.joinEnds.IsZero() && !now.Before(c.joinEnds) {
		return c.recover(c.last)
	}
	// Whoever talks could send frames that do not open on purpose, so these never lead to giving up.
	if c.media.takeLost() && len(c.pending) == 0 && c.session.established() && c.calm(now) {
		return c.recover(c.last)
	}
	return nil
}

// calm reports whether nothing was recovered lately.
func (c *Controller) calm(now time.Time) bool {
	return len(c.recovered) == 0 || now.Sub(c.recovered[len(c.recovered)-1]) >= recoveryPeriod
}

// Woken receives when frames have stopped opening: Expire has to be called then.
func (c *Controller) Woken() <-chan struct{} { return c.media.woken }

// Err is not nil once recovery has been given up: the call has to be left, and people told.
func (c *Controller) Err() error { return c.givenUp }

// CanSend reports whether what is said may go out, encrypted or, in a call without encryption, as it is.
func (c *Controller) CanSend() bool { return c.media.canSend() }

// Seal appends to dst what to send for one Opus frame. Until CanSend it fails with ErrNotReady, except for Silence, which always goes out
// as it is.
func (c *Controller) Seal(dst, opus []byte) ([]byte, error) { return c.media.seal(dst, opus) }

// Open returns the Opus frame that a user sent. Whatever the error is, the frame must not be decoded: it is only counted. A frame that
// did not need decryption is returned as it is, others are new memory.
func (c *Controller) Open(user uint64, frame []byte) ([]byte, error) {
	return c.media.decrypt(user, frame, time.Now())
}
