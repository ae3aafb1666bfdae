// Package standin plays the language model of a playground without one: a script that knows some English by heart.
//
// [New] is the runtime. It asks for the same actions as a model, reads their results and says what came of them. It also plays the
// other parts that a model has in the bot: it drafts and audits plans, works on their phases, reads posts that describe jobs, and sums up.
//
// A [shape] is one kind of request in several wordings; the files are named for the subjects of their shapes. What is half understood is
// asked back, see half.go; what is not understood gets the nearest of the [Ideas].
package standin

import (
	"context"
	"iter"
	"strings"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

// New returns the runtime. Pace is how long it takes to type a word, and shown what a clock showed at a time of Discord's; nil is the same.
func New(pace time.Duration, shown func(time.Time) time.Time) llm.Runtime {
	return script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
		if answer, ok := work(req); ok {
			return script.Say(answer).Stream(ctx)
		}
		return script.Typing(answer(read(req, shown)), pace).Stream(ctx)
	})
}

// answer is what the script says in a conversation.
func answer(s situation) string {
	said := strings.ReplaceAll(reply(s), here, s.where)
	if s.call {
		said = inItem().ReplaceAllString(said, "$1") // IDs and dates are not for the ear
	}
	return linkedAs().ReplaceAllString(said, "$1<$2>")
}

// inItem is what stands in brackets in an item of a list.
var inItem = lazily(`(?m)^(- .*?) \([^()]*\)`)

// linkedAs is a linked channel outside of a request, where its mention has no brackets; see [read].
var linkedAs = lazily(`(^|[^<"])(#\d{15,20})\b`)
