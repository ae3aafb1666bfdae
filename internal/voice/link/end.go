package link

import (
	"errors"
	"time"

	"github.com/coder/websocket"
)

const (
	// A connection that was lost is made again so often, with pauses of 1, 2, 4, 8 and 16 seconds, and once it has held for a while it may be
	// lost as often again.
	maxRetries = 5
	firstPause = time.Second
	steady     = time.Minute

	moveWait   = 5 * time.Second  // for another server, once the bot is disconnected from one
	serverWait = 20 * time.Second // for any
)

// next is what follows the end of a connection.
type next int

const (
	resume   next = iota // the zero value, so also after an unknown end
	identify             // begin a new session
	await                // only another server helps
	stop
)

// closeCodes are the codes in Discord's documentation ("Voice Close Event Codes") after which not simply the session is resumed, and
// what is to be told if that is the end.
var closeCodes = map[websocket.StatusCode]struct {
	then  next
	error error
}{
	4003: {identify, ErrUnreachable}, // not authenticated
	4004: {stop, ErrSessionEnded},    // authentication failed
	4005: {identify, ErrUnreachable}, // already authenticated
	4006: {identify, ErrSessionEnded},
	4009: {identify, ErrSessionEnded}, // session timed out
	4011: {stop, ErrNoServer},
	4012: {stop, ErrNeedsUpdate}, // unknown protocol
	4014: {await, ErrRemoved},
	4016: {stop, ErrNeedsUpdate}, // unknown encryption
	4017: {stop, ErrNeedsUpdate}, // end-to-end encryption required
	4020: {stop, ErrNeedsUpdate}, // bad request
	4021: {stop, ErrRateLimited},
	4022: {stop, ErrCallEnded},
}

// The ends of a connection that are ours.
var (
	errMoved     = errors.New("another server is to be used")
	errNoHello   = errors.New("the server did not say HELLO")
	errNoAnswer  = errors.New("the server did not answer in time")
	errNoACK     = errors.New("a heartbeat was not acknowledged")
	errUDPSilent = errors.New("nothing comes by UDP any more")
)

// afterEnd returns what follows the end of a connection, and the sentence for people if nothing does. refused is whether the connection had
// identified, in vain.
func afterEnd(end error, refused bool) (next, error) {
	if code, has := closeCodes[websocket.CloseStatus(end)]; has {
		if code.error == ErrSessionEnded && refused {
			return stop, code.error
		}
		return code.then, code.error
	}
	switch {
	case errors.Is(end, ErrUDPBlocked):
		return identify, ErrUDPBlocked
	case errors.Is(end, ErrEncryption):
		return stop, ErrEncryption
	case errors.Is(end, ErrNeedsUpdate):
		return stop, ErrNeedsUpdate
	case errors.Is(end, errUDPSilent), errors.Is(end, errMoved):
		return identify, ErrUnreachable
	}
	return resume, ErrUnreachable
}
