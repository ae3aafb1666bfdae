package link

import "context"

// A Call is the bot in a voice call. It is safe for concurrent use, and Close has to be called.
type Call struct{}

// Dial connects to a call. It returns when the bot can hear and, unless it is alone there, speak; or with what stopped it, in a sentence
// for people.
func Dial(ctx context.Context, at Server, o Options) (*Call, error) { return nil, nil }

// Move takes what a later voice event says. It does nothing if that is what the Call knows already.
func (c *Call) Move(to Server) {}

// Frames receives what people say. Frames that nobody receives in time are dropped. It is closed when the call is over.
func (c *Call) Frames() <-chan Frame { return nil }

// Send sends a frame of 20 milliseconds; the caller keeps the pace. It never waits. It fails with ErrNotReady while State says that the bot
// cannot send, or Speaking was not called.
func (c *Call) Send(opus []byte) error { return nil }

// Speaking tells the others that the bot begins to speak, before the first Send, or has paused, after five frames of Silence.
func (c *Call) Speaking(on bool) {}

// State is how the call is; changed is closed when anything but the figures is different.
func (c *Call) State() (now State, changed <-chan struct{}) { return State{}, nil }

// Close ends the call and waits until that is done, a few seconds at most.
func (c *Call) Close() {}
