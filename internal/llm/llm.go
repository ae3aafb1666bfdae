// Package llm is the interface to language models: a [Runtime] streams one answer, and
// returns an [*Error] that says what went wrong and what to do about it. Adapters are in the
// packages below this one; wrappers for all of them are here.
package llm

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
)

// A Runtime streams one answer. Leaving the loop, or ending ctx, cancels the
// request and frees everything it held. An error ends the stream; it is an *Error
// unless ctx ended, in which case it is the context's cause. Runtimes are safe for
// concurrent use.
type Runtime interface {
	Invoke(ctx context.Context, req Request) iter.Seq2[Event, error]
}

// A Request is a whole conversation: no runtime remembers an earlier one.
type Request struct {
	System   string // policy, persona, actions; the part that hardly changes comes first
	Messages []Message
	Runtime  string // by name; empty means the default one
	Model    string // empty means the runtime's own choice
	Tools    []Tool // that the model may call; runtimes with tools of their own ignore them
	// Plain is the same request in the words for a model that is offered no Tools: of it, only System, Stable, Messages and Sections
	// count. Nil means that the words are the same.
	Plain *Request
	Payer Payer // the account of the call
	// MaxOutput is how many tokens the answer may have, thoughts included. 0 leaves that to the runtime; programs always decide for
	// themselves.
	MaxOutput int
	// Workspace is what the runtime's own tools may do for this request.
	Workspace Workspace

	// Stable is how many bytes at the beginning of System are the same in every turn, for runtimes that say what
	// their server should keep in its cache. 0 means that it is not known.
	Stable int
	// Sections break the text down, for showing what a prompt costs. Runtimes ignore them.
	Sections []Section
}

// A Choice is a runtime, by its name, and a model of it. An empty field leaves the choice to
// the next layer.
type Choice struct{ Runtime, Model string }

// String returns the choice in the form that ParseChoice reads.
func (c Choice) String() string {
	if c.Runtime == "" {
		return c.Model
	}
	return c.Runtime + ":" + c.Model
}

// ParseChoice reads "model" or "runtime:model". Models have colons in their names too,
// as in llama3:8b, so only the name of a runtime in front of one counts.
func ParseChoice(text string, runtimes []string) Choice {
	runtime, model, _ := strings.Cut(text, ":")
	if model != "" && slices.Contains(runtimes, runtime) {
		return Choice{Runtime: runtime, Model: model}
	}
	return Choice{Model: text}
}

// A Payer says what a call was for, in the records of what was spent. Any field may be empty.
type Payer struct {
	User, Channel, Job, Turn string // IDs
	Role                     string // as in package roles
}

// A Workspace says what tools of a runtime may do for a request. The zero value allows nothing.
type Workspace struct {
	Level ToolLevel
	// Root is the folder in which tools work instead of the workspace: a project, or the worktree of a plan. There they do not
	// read the web, and a request whose Root cannot be opened fails.
	Root string
	// Trusted means that operators asked, who may know whatever the bot's account on this machine can read.
	Trusted bool
	// Tainted means that the request has outside text in it: only addresses that stand in what people or results said
	// are fetched.
	Tainted bool
}

// A ToolLevel is a set of tools, each with those of the levels before it.
type ToolLevel string

const (
	ToolsOff   ToolLevel = "off"   // none
	ToolsRead  ToolLevel = "read"  // files of the workspace and pages of the web
	ToolsWrite ToolLevel = "write" // changes of files
	ToolsShell ToolLevel = "shell" // commands, with all rights of the bot's account
)

// Allows reports whether the level includes another one.
func (l ToolLevel) Allows(other ToolLevel) bool {
	levels := []ToolLevel{ToolsOff, ToolsRead, ToolsWrite, ToolsShell}
	return other == ToolsOff || slices.Index(levels, l) >= slices.Index(levels, other)
}

// A Section is a part of a prompt.
type Section struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
}

// Size returns how many bytes of text the request has.
func (r Request) Size() int {
	n := len(r.System)
	for _, m := range r.Messages {
		n += len(m.Text)
		for _, c := range m.Calls {
			n += len(c.Input)
		}
		for _, result := range m.Results {
			n += len(result.Text)
		}
	}
	for _, t := range r.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return n
}

// WithoutFiles returns the request without its images and documents, and whether there were any. Each message
// that had some has the note below its text, unless the note is empty.
func (r Request) WithoutFiles(note string) (Request, bool) { return r.without(note, true) }

// WithoutDocuments is the same for documents alone.
func (r Request) WithoutDocuments(note string) (Request, bool) { return r.without(note, false) }

func (r Request) without(note string, images bool) (Request, bool) {
	had := false
	if r.Plain != nil {
		plain, _ := r.Plain.without(note, images)
		r.Plain = &plain
	}
	r.Messages = slices.Clone(r.Messages)
	for i, m := range r.Messages {
		if len(m.Documents) == 0 && (!images || len(m.Images) == 0) {
			continue
		}
		had = true
		r.Messages[i].Documents = nil
		if images {
			r.Messages[i].Images = nil
		}
		if note != "" {
			r.Messages[i].Text = strings.TrimPrefix(m.Text+"\n\n"+note, "\n\n")
		}
	}
	return r, had
}

// A Message is one message of the conversation.
type Message struct {
	Role      Role
	Text      string
	Images    []Image      // that the model should look at; only with Role User
	Documents []Document   // that it should read; only with Role User
	Calls     []ToolCall   // that it made after the text; only with Role Assistant
	Results   []ToolResult // of all calls of the message before; only with Role User, and then nothing else
}

// A Document is a file that some runtimes read, such as a PDF.
type Document struct {
	Name string
	Type string // media type
	Data []byte
}

// A Tool is a function that the model may call.
type Tool struct {
	Name        string // letters, digits, _ and -
	Description string
	Schema      json.RawMessage // JSON Schema of its input, which is an object
}

// A ToolCall is a request of the model to call a tool. The call itself is up to the consumer, which
// continues the conversation with the result. As an event it comes whole, after the text.
type ToolCall struct {
	ID    string // empty in an event if the call has a result already: then the conversation tells of it in words
	Name  string
	Input json.RawMessage // as the model wrote it, which may be malformed
	Seal  []byte          // the vendor's own data, returned with the call; may be empty
}

// A ToolResult is the outcome of a ToolCall with the same ID and name.
type ToolResult struct {
	ID, Name string
	Text     string
	Failed   bool
}

// An Image is an input of the model, or, as an event, one that it made.
type Image struct {
	Type string // media type
	Data []byte
}

// A Role is the author of a message.
type Role string

const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// An Event is one piece of an answer: a TextDelta, an Image, a ToolCall, a ToolStart, a ToolEnd, a
// Thinking, a Queued, a Switched, a ToolsDropped, a Usage or a Charged. An answer is complete only when the stream ends without an
// error.
type Event interface{ event() }

// A TextDelta is the next piece of the answer's text.
type TextDelta struct{ Text string }

// Thinking means that the model is producing text that is not part of the answer. It tells
// a model that thinks for minutes from one that hangs.
type Thinking struct{}

// A ToolStart means that the model began to use a tool of its own, a ToolEnd that it is
// done with it. Neither is part of the answer.
type (
	ToolStart struct {
		Name  string // of the tool
		About string // its subject, such as a path; may be empty
		// Changes means that the tool may change something. It begins after this event. Programs do not say so: at ToolsRead
		// their tools only read.
		Changes bool
	}
	ToolEnd struct {
		Name   string
		Failed bool
		// Outside names the outside text that the tool has read, such as "a page of example.org". Empty
		// means none.
		Outside string
	}
)

// Queued means that the request waits until another one ends. Ahead is how many wait before it.
type Queued struct{ Ahead int }

// Switched means that another runtime or model answers than the one that was asked, because of Why.
type Switched struct {
	To  Choice
	Why *Error
}

// ToolsDropped means that the model was asked in the words of the request's Plain, and comes before all that it says.
type ToolsDropped struct{}

// Charged says at the end of an answer which runtime and model wrote it, and what that cost, if it is known.
type Charged struct {
	By    Choice
	USD   float64
	Known bool
}

// Usage counts tokens. It may come in parts, which add up.
type Usage struct {
	Input   int // all of the input, cached or not
	Cached  int // the part of it that the vendor had in its cache
	Written int // the part of it that the vendor put there
	Output  int
	USD     float64 // what the runtime itself says that it cost; 0 if it does not say
}

// Add adds another part.
func (u *Usage) Add(more Usage) {
	u.Input += more.Input
	u.Cached += more.Cached
	u.Written += more.Written
	u.Output += more.Output
	u.USD += more.USD
}

func (TextDelta) event()    {}
func (Thinking) event()     {}
func (Usage) event()        {}
func (Image) event()        {}
func (ToolStart) event()    {}
func (ToolEnd) event()      {}
func (ToolCall) event()     {}
func (Queued) event()       {}
func (Switched) event()     {}
func (ToolsDropped) event() {}
func (Charged) event()      {}
