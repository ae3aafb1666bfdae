// Package dave encrypts the voice of a call end to end, as Discord's DAVE protocol has it, version 1, for audio alone. It does no I/O and
// starts no goroutines: what came from the voice gateway goes in, and what to send there comes out. Start with Controller.
package dave

import (
	"encoding/json"
	"time"
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

// A Controller is the encryption of one call: it answers the voice gateway's messages, and has the keys in force. One goroutine at a time
// calls its methods, except Seal, Open, CanSend and State, which are safe for all.
type Controller struct{}

// New returns the encryption of a call in a channel, as one user. A call in another channel needs another Controller; one that only
// reconnects keeps its own.
func New(self, channel uint64, id *Identity) *Controller { return &Controller{} }

// Describe takes the protocol version of a session description (op 4). 0 is a call without encryption.
func (c *Controller) Describe(version int) []Message { return nil }

// Connected takes who is in the call (op 11): only they may be added to its group.
func (c *Controller) Connected(users ...uint64) []Message { return nil }

// Gone takes that somebody has left the call (op 13).
func (c *Controller) Gone(user uint64) {}

// HandleText takes the "d" of a JSON message. Opcodes other than 21, 22 and 24 do nothing.
func (c *Controller) HandleText(op int, data json.RawMessage) ([]Message, error) { return nil, nil }

// HandleBinary takes what follows the opcode of a binary message. Opcodes other than 25, 27, 29 and 30 do nothing.
func (c *Controller) HandleBinary(op int, payload []byte) []Message { return nil }

// Due is when Expire has to be called next; zero means not before the next message.
func (c *Controller) Due() time.Time { return time.Time{} }

// Expire ends the waits that are over by then, and begins the recovery that Woken asked for.
func (c *Controller) Expire(now time.Time) []Message { return nil }

// Woken receives when frames have stopped opening: Expire has to be called then.
func (c *Controller) Woken() <-chan struct{} { return nil }

// Err is not nil once recovery has been given up: the call has to be left, and people told.
func (c *Controller) Err() error { return nil }

// CanSend reports whether what is said may go out, encrypted or, in a call without encryption, as it is.
func (c *Controller) CanSend() bool { return false }

// Seal appends to dst what to send for one Opus frame. Until CanSend it fails with ErrNotReady, except for Silence, which always goes out
// as it is.
func (c *Controller) Seal(dst, opus []byte) ([]byte, error) { return nil, ErrNotReady }

// Open returns the Opus frame that a user sent. Whatever the error is, the frame must not be decoded: it is only counted. A frame that
// did not need decryption is returned as it is, others are new memory.
func (c *Controller) Open(user uint64, frame []byte) ([]byte, error) { return nil, ErrUndecryptable }

// State is what there is to see of the encryption of a call.
func (c *Controller) State() State { return State{} }

// A State is what there is to see of the encryption of a call.
type State struct {
	Version     int      // in force for what is said: 0 without encryption
	Epoch       uint64   // of the group; 0 until there is one
	Members     []Member // of the group, in its order
	PrivacyCode string   // 30 digits that are the same for all members; empty without a group
	Recoveries  int      // how often the group was left to be joined anew
	Sealed      int64    // frames encrypted
	Opened      int64    // frames decrypted
	Dropped     int64    // frames that were not opened
}

// A Member is a user in the group.
type Member struct {
	User uint64
	Key  []byte // the public signature key
}
