package turn

import (
	"context"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
	"discoclaw/internal/turn/render"
)

// silent reports whether the answer asks for no reply. What came of its actions shows on the message that is answered.
func (r *running) silent() bool {
	return r.control.NoReply && !r.pictures.any()
}

// withholds reports whether the next answer replaces this one, because the model has asked for a search instead of an answer. If
// that failed, there is nothing to replace it with.
func (r *running) withholds(n int, round actions.Round) bool {
	if !r.control.Interrupt || !r.goesOn(n, round) {
		return false
	}
	for _, o := range round.Outcomes {
		if _, ok := dialect.WebSearch(o.Request); ok && o.Err == nil {
			return true
		}
	}
	return false
}

// owe keeps what was found until the next answer is there: if that fails or is empty, people get the results themselves.
func (r *running) owe(ctx context.Context, round actions.Round) {
	r.owed = true
	r.Before = strings.Trim(r.Before+"\n\n"+strings.Join(r.found(ctx, round.Outcomes), "\n"), "\n")
}

// meanwhile is what people see while requests run.
func (r *running) meanwhile(text string, try []actions.Request) string {
	for _, req := range try {
		if query, ok := dialect.WebSearch(req); ok && r.control.Interrupt {
			return "*Searching the web for: " + chat.Literal(chat.Clip(chat.OneLine(query), 120)) + "*"
		}
	}
	return render.Preview(text, "working")
}

// maxQuoted is how many characters of a message an answer quotes.
const maxQuoted = 300

// quoted puts the message that is answered above an answer that asks for that.
func (r *running) quoted(body string) string {
	if !r.control.Quote || r.Asked == "" || body == "" {
		return body
	}
	quote := chat.Clip(strings.TrimSpace(chat.Visible(r.Asked)), maxQuoted)
	return "> " + strings.ReplaceAll(quote, "\n", "\n> ") + "\n" + body
}

// goOnAfter has another turn go on after an answer that was posted, if the model asked for that.
func (r *running) goOnAfter(ctx context.Context, n int, text string, round actions.Round) {
	if r.control.Continue && !round.Final && !r.goesOn(n, round) {
		r.goOn(ctx, Kept{Text: text, Outside: r.Outside.All(), Posted: true})
	}
}
