package turn

import (
	"context"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
	"discoclaw/internal/turn/render"
)

// heeded returns what an answer says about its own delivery, as far as it counts beyond this turn. Whether the bot talks in a channel
// is up to the people whom it serves there, not to outside text, nor to another bot.
func (r *running) heeded(c dialect.Control) dialect.Control {
	if r.Origin.Requester == "" || r.Dispatcher.Distrusts(r.Outside.All()) {
		c.Stop, c.Resume = false, false
	}
	return c
}

// silences reports whether the answer asks for no reply, and has nothing that would be lost then. What came of its actions shows
// on the message that is answered.
func (r *running) silences(round actions.Round) bool {
	return r.control.NoReply && !r.pictures.any() && r.words == "" && len(actions.Replies(round.Outcomes)) == 0
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

// withhold keeps what was found until there is an answer in words: if there is none, people get the results themselves. What else was
// done, or failed, stands below that answer, and what was said to the people here is posted at once.
func (r *running) withhold(ctx context.Context, n int, round actions.Round) (text string) {
	r.owe(r.notices(ctx, n, round))
	r.owed, r.words = true, ""
	r.Before = strings.Trim(r.Before+"\n\n"+strings.Join(r.found(ctx, round.Outcomes), "\n"), "\n")
	r.unsaid = append(r.unsaid, actions.Lines(slices.DeleteFunc(slices.Clone(round.Outcomes), actions.Outcome.Found))...)
	return strings.Join(actions.Replies(round.Outcomes), "\n\n")
}

// withUnsaid puts the lines of answers that were withheld before those of an answer in words.
func (r *running) withUnsaid(lines []string) []string {
	if r.words == "" {
		return lines
	}
	lines = append(r.unsaid, lines...)
	r.unsaid = nil
	return lines
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

// readOut adds to an answer what it wanted to be spoken, if that was not possible: no words are lost because there is no voice.
func readOut(body string, asked []actions.Request, round *actions.Round) string {
	for _, req := range asked {
		text, ok := dialect.VoiceNote(req)
		spoken := slices.ContainsFunc(round.Outcomes, func(o actions.Outcome) bool {
			said, is := dialect.VoiceNote(o.Request)
			return is && said == text && o.Err == nil
		})
		if ok && !spoken {
			body = strings.Trim(body+"\n\n"+text, "\n")
			round.Stripped = slices.DeleteFunc(round.Stripped, func(name string) bool { return name == req.Type })
		}
	}
	return body
}

// maxQuoted is how many characters of a message an answer quotes.
const maxQuoted = 300

// quoted puts the message that is answered above an answer that asks for that.
func (r *running) quoted(body string) string {
	if !r.control.Quote || r.Asked == nil || body == "" {
		return body
	}
	quote := chat.Clip(strings.TrimSpace(chat.Visible(r.Asked())), maxQuoted)
	if quote == "" {
		return body
	}
	return "> " + strings.ReplaceAll(quote, "\n", "\n> ") + "\n" + body
}

// goOnAfter has another turn go on after an answer that was posted, if the model asked for that.
func (r *running) goOnAfter(ctx context.Context, n int, text string, round actions.Round) {
	if r.control.Continue && !round.Final && !r.goesOn(n, round) {
		r.goOn(ctx, Kept{Text: text, Posted: true})
	}
}
