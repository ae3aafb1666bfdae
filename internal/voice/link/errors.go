package link

import "errors"

// ErrNotReady is what Send fails with until what is said can go out.
var ErrNotReady = errors.New("nothing can be said in this call yet")

// Why a call is over, in sentences for people.
var (
	ErrUDPBlocked   = errors.New("I can't reach Discord's voice server by UDP: a firewall has to let UDP through to its ports 50000 to 65535")
	ErrUnreachable  = errors.New("I can't reach Discord's voice server; try again in a few minutes")
	ErrNoServer     = errors.New("Discord has no voice server for this channel right now; try again in a few minutes")
	ErrRemoved      = errors.New("I was taken out of the voice channel")
	ErrCallEnded    = errors.New("Discord has ended the call")
	ErrRateLimited  = errors.New("Discord has had too many requests of mine for voice; try again in a few minutes")
	ErrEncryption   = errors.New("I couldn't agree with the others on the encryption of this call; try again in a few minutes")
	ErrNeedsUpdate  = errors.New("Discord's voice server asks for something that I don't know; update DiscoClaw")
	ErrSessionEnded = errors.New("Discord has ended my session in the voice channel; I have to join again") // and the caller may, at once
	ErrClosed       = errors.New("I have left the voice channel")
)
