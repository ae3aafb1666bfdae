package llmtest

import (
	"time"

	"discoclaw/internal/llm"
)

// A Vendor is the fake of one vendor's server. It does what the contract tells it, in
// the vendor's own format; [OpenAI] is one. It works inside a test bubble.
type Vendor interface {
	Next(Script)   // how one more request is answered
	Always(Script) // how requests are answered that Next has nothing for
	Asked() []Asked
	Active() int // how many requests are being answered now
	Close()
}

// Asked is a request as the vendor understood it, with the key that came along.
type Asked struct {
	Key string
	llm.Request
}

// A Script writes a response. It is not complete without Done.
type Script func(Response)

// A Response is what a vendor answers, piece by piece. Every piece is on its way when
// the method returns.
type Response interface {
	Asked() Asked
	Say(text string)
	Think(text string)
	Done(tokens llm.Usage)
	// Fail says that things went wrong in a way that adapters report as e. Something may
	// have been said before.
	Fail(e llm.Error)
	// Garble sends something that cannot be read.
	Garble()
	// Write responds like something that is no model server.
	Write(status int, contentType, text string)

	Wait(d time.Duration) // unless the client leaves before
	Hang()                // until the client leaves
	Die()                 // breaks the connection and does not return
}
