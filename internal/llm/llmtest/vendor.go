package llmtest

import (
	"time"

	"discoclaw/internal/llm"
)

// A Vendor is the fake of one vendor's server. It runs scripts in the vendor's own format;
// [OpenAI] is one. It works inside a test bubble.
type Vendor interface {
	Next(Script)   // for one more request
	Always(Script) // for requests without a script of Next
	Asked() []Asked
	Active() int // how many requests are in flight
	Close()
}

// Asked is a request as the vendor understood it, with the key that came along.
type Asked struct {
	Key string
	llm.Request
}

// A Script writes a response. It is not complete without Done.
type Script func(Response)

// A Response writes a vendor's response, piece by piece. Every piece is sent when the method
// returns.
type Response interface {
	Asked() Asked
	Say(text string)
	Think(text string)
	// Call asks for a tool, after what was said. Vendors choose IDs of their own, in this form, unless it
	// has one; and they seal it if they do such things.
	Call(c llm.ToolCall)
	Done(tokens llm.Usage)
	// Fail sends an error that adapters must report as e, maybe after a part of an answer.
	Fail(e llm.Error)
	// Garble sends text that cannot be parsed.
	Garble()
	// Tear says the text, whose last character has several bytes, up to the middle of that character, and breaks
	// the connection. It does not return.
	Tear(text string)
	// Write responds like a server that is not a model's.
	Write(status int, contentType, text string)

	Wait(d time.Duration) // unless the client leaves before
	Hang()                // until the client leaves
	Die()                 // breaks the connection and does not return
}
