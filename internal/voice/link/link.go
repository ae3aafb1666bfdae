// Package link carries the sound of voice calls: it is a client of Discord's voice gateway, version 8, and of the UDP beside it.
//
// [Dial] makes a [Call] from what the main gateway's two voice events say, of which the package knows nothing else. A Call stays
// connected by itself: it resumes, or begins anew with pauses, and follows to another server when it is told of one with
// [Call.Move]. What people say comes out of [Call.Frames], in order; what the bot says goes into [Call.Send].
//
// Everything that comes from the network is taken for hostile: sizes are bounded, and a frame that does not open reaches nobody.
package link

import (
	"context"
	"net"
	"net/http"
	"slices"
	"time"

	"log/slog"

	"discoclaw/internal/voice/dave"
)

// A Server is where a call is, and the bot's way in. Endpoint is empty while Discord has no server for the channel.
type Server struct {
	Endpoint, Token      string // VOICE_SERVER_UPDATE
	Session              string // VOICE_STATE_UPDATE
	Guild, Channel, Self uint64
}

// Options are what a Call works with. Identity is required.
type Options struct {
	Identity *dave.Identity
	HTTP     *http.Client                                             // for the websocket's handshake; nil means http.DefaultClient
	DialUDP  func(ctx context.Context, addr string) (net.Conn, error) // nil means the system's
	Log      *slog.Logger                                             // nil means no log
}

// A Frame is 20 milliseconds, as a rule, of what somebody said. A speaker's frames come in order and once. Opus is nil for one that
// was lost and is to be concealed; where more are missing, the next Sequence tells how many.
type Frame struct {
	User      uint64
	SSRC      uint32 // a speaker's stream; another one begins when the speaker or the bot connects anew
	Sequence  uint16
	Timestamp uint32 // in samples at 48 kHz
	Opus      []byte // the receiver's own
}

// Silence is the frame to send five times before a pause.
var Silence = dave.Silence

// A State is how a call is.
type State struct {
	Ready        bool     // what people say is heard
	CanSend      bool     // what is said goes out; it does not before the encryption is agreed on, and so not before somebody else comes
	Reconnecting bool     // a connection was lost and is made again; Ready stays true if sound goes on
	Err          error    // the call is over, and why, in a sentence for people
	People       []uint64 // who else is in the call, in ascending order
	Version      int      // of the encryption: 0 for none
	PrivacyCode  string   // the same 30 digits for everybody in the call; empty without encryption
	Counts       Counts
	Loss         float64       // the share of frames that was lost lately, 0 to 1
	RoundTrip    time.Duration // to the server and back; 0 until it was measured
}

// Counts are of the whole call. Frames of both numbers that reached nobody are in Lost too, once they are missed.
type Counts struct {
	Sent     int64
	Heard    int64 // passed on
	Lost     int64 // did not come, or not in time
	Unopened int64 // could not be decrypted
	Unread   int64 // not received from Frames in time
}

// same reports whether two states differ at most in figures.
func (s State) same(o State) bool {
	return s.Ready == o.Ready && s.CanSend == o.CanSend && s.Reconnecting == o.Reconnecting && s.Err == o.Err &&
		s.Version == o.Version && s.PrivacyCode == o.PrivacyCode && slices.Equal(s.People, o.People)
}
