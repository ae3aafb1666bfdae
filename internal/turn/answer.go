package turn

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/turn/render"
)

// maxCalls bounds the function calls of one answer, as maxAnswer does their length.
const maxCalls = 128

// addCall adds a function call to those of the answer.
func (r *running) addCall(c llm.ToolCall) error {
	r.calls = append(r.calls, c)
	if len(r.calls) > maxCalls || len(r.callsText()) > maxAnswer {
		return errTooMuch
	}
	return nil
}

// answered is the latest answer as a message of the conversation.
func (r *running) answered() llm.Message {
	return llm.Message{Role: llm.Assistant, Text: r.answer, Calls: r.calls}
}

// parse takes the latest answer apart: its text, and the function calls beside it.
func (r *running) parse() dialect.Parsed {
	parsed := r.parser.Parse(r.answer)
	var calls []dialect.Call
	for _, c := range r.calls {
		calls = append(calls, dialect.Call{ID: c.ID, Name: c.Name, Input: c.Input})
	}
	parsed.AddCalls(calls)
	return parsed
}

// callsText is all that the function calls of the latest answer say.
func (r *running) callsText() (text string) {
	for _, c := range r.calls {
		text += "\n" + c.Name + " " + string(c.Input)
	}
	return text
}

// heeded returns what an answer says about its own delivery, as far as it counts beyond this turn. Whether the bot talks in a channel
// is up to the people whom it serves there, not to outside text, nor to another bot.
func (r *running) heeded(ctx context.Context, c dialect.Control) dialect.Control {
	if !c.Stop && !c.Resume {
		return c
	}
	o := r.Origin
	o.Outside, o.Wish = r.Outside.All(), r.wish()
	what := "say nothing more in the channel where the request stands until somebody addresses the bot"
	if c.Resume {
		what = "answer again in the channel where the request stands"
	}
	if r.Origin.Requester == "" || r.Dispatcher.Distrusts(o.Outside) && !r.Dispatcher.IsWanted(ctx, o, what) {
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
	r.owed, r.searched, r.words = true, true, ""
	r.Before = strings.Trim(r.Before+"\n\n"+strings.Join(r.found(ctx, round.Outcomes), "\n"), "\n")
	r.unsaid = append(r.unsaid, slices.DeleteFunc(slices.Clone(round.Outcomes), actions.Outcome.Found)...)
	return strings.Join(actions.Replies(round.Outcomes), "\n\n")
}

// givesWay reports whether the next answer replaces this one, which only looks things up, in the same message. One that has been posted
// by an earlier version stays.
func (r *running) givesWay(n int, round actions.Round) bool {
	_, posted := r.ledger.Receipt(n)
	return !posted && !r.pictures.any() && r.goesOn(n, round)
}

// giveWay leaves the reply to the next answer. Nothing is lost: if that says nothing, or never comes, people read the words of this one.
// Its lines stand below whatever they read.
func (r *running) giveWay(ctx context.Context, n int, round actions.Round, reply Reply) actions.Round {
	r.owe(r.notices(ctx, n, round))
	round.Unposted = r.words != ""
	if !strings.HasSuffix(r.Before, r.words) { // models repeat whole replies
		r.Before = strings.Trim(r.Before+"\n\n"+r.words, "\n")
	}
	r.unsaid = append(r.unsaid, fresh(r.unsaid, round.Outcomes)...)
	r.owed, r.unfinished = true, reply
	return round
}

// withheld is what people read of answers that were withheld, if no other stands for them.
func (r *running) withheld() string {
	return render.Report(r.Before, actions.Lines(r.unsaid), nil)
}

// fresh leaves out failures that are among earlier ones, with which they are told: models try the same again.
func fresh(earlier, outs []actions.Outcome) []actions.Outcome {
	return slices.DeleteFunc(slices.Clone(outs), func(o actions.Outcome) bool {
		same := func(e actions.Outcome) bool { return isFailure(e) && e.Line() == o.Line() }
		return isFailure(o) && slices.ContainsFunc(earlier, same)
	})
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

const (
	maxPictures          = 20       // in one answer
	maxPictureBytes      = 10 << 20 // of one picture, Discord's limit on every server
	maxTotalPictureBytes = 20 << 20 // of all, since the files of a message are one request
)

// pictures are those of one answer of the model.
type pictures struct {
	files   []chat.File
	bytes   int
	omitted int
	lost    int // made before the turn was resumed
}

func (p *pictures) add(image llm.Image) {
	size := len(image.Data)
	if len(p.files) == maxPictures || size == 0 || size > maxPictureBytes || p.bytes+size > maxTotalPictureBytes {
		p.omitted++
		return
	}
	p.bytes += size
	p.files = append(p.files, chat.File{
		Name: fmt.Sprintf("image-%d.%s", len(p.files)+1, pictureEnding(image.Type)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(image.Data)), nil },
	})
}

// any reports whether the model made pictures, even if they cannot be shown.
func (p *pictures) any() bool { return p.count() > 0 }

func (p *pictures) count() int { return len(p.files) + p.omitted + p.lost }

// notices name the pictures that are missing.
func (p *pictures) notices() []string {
	switch {
	case p.lost > 0:
		return []string{"(The pictures that belong here were lost when the bot was restarted. Please ask for them again.)"}
	case p.omitted == 0:
		return nil
	}
	return []string{fmt.Sprintf("(%s left out: an answer takes %d of them, with %d MB each and %d MB together.)",
		chat.Counted(p.omitted, "picture was", "pictures were"), maxPictures, maxPictureBytes>>20, maxTotalPictureBytes>>20)}
}

func pictureEnding(media string) string {
	switch media {
	case "image/jpeg", "image/jpg":
		return "jpg"
	case "image/gif":
		return "gif"
	case "image/webp":
		return "webp"
	}
	return "png"
}
