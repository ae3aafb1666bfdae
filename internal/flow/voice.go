package flow

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/flow/pipeline"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/turn"
	"discoclaw/internal/voice/transcript"
)

// Calls are the voice calls that the bot is in.
type Calls interface {
	// Answer begins to say an answer to somebody in a call. Interrupt stops the model: somebody talks into it; or nobody, and it takes too
	// long. An earlier answer there is over.
	Answer(room chat.Place, to chat.UserID, interrupt func(by chat.UserID)) Spoken
	// Log returns the channel that also gets what was said in a room; empty for none.
	Log(ctx context.Context, room chat.Place) chat.ChannelID
}

// A Spoken is an answer that is read aloud while it is written. Only Wait blocks.
type Spoken interface {
	// Grow takes the text of a round as far as it is written, and Finish takes the whole of it.
	Grow(text string)
	Finish(text string)
	// Wait returns when everything was said, since no more comes, and what people heard. If ctx ends first, the rest is not said.
	Wait(ctx context.Context) string
	// Drop ends the answer. What was not said yet is not said.
	Drop()
}

// Voice configures the turns that begin in calls.
type Voice struct {
	Calls Calls             // nil means that there are none
	Model func() llm.Choice // called at each turn
	Style string            // what the operator adds to how answers are to be; may be empty
	// Keep keeps what was said, and what was heard of the answer.
	Keep func(ctx context.Context, x transcript.Exchange) error
}

// A Said is something that a person said to the bot in a call.
type Said struct {
	Room chat.Place // the voice channel
	By   chat.User
	Text string
	At   time.Time
}

// voiceSource is the source of what is said in calls. Its place is the chat of the voice channel: what was said stands there above the
// answer, with the cards and files.
//
// People talk faster than they write, so their turns are not counted: nobody can say more than an answer interrupts.
type voiceSource struct {
	*messages
	Voice
	in *pipeline.Entry[chat.Message]

	mu   sync.Mutex
	last time.Time // of the latest ID
}

func openVoice(m *messages, o Options) *voiceSource {
	s := &voiceSource{messages: m, Voice: o.Voice}
	source := m.source(inbox.Voice, func(pipeline.Event[chat.Message]) *access.Way { return access.ByVoice })
	source.Limited, source.Steered, source.Shown = false, true, false
	source.Key = func(said chat.Message) pipeline.Key {
		k := m.key(said)
		k.ID = inbox.EventID("voice-" + string(said.ID))
		return k
	}
	source.Refused = func(ctx context.Context, e pipeline.Event[chat.Message], err error) {
		s.tellRefused(ctx, e.Place, refusal(err))
	}
	source.Ignored = nil
	source.Accepted = func(_ context.Context, e pipeline.Event[chat.Message]) bool {
		s.users.remember(e.By)
		s.pipe.Heard()
		s.gather.Overheard(e.Body)
		return true
	}
	source.Expired, source.Notices, source.Dropped = s.expired, s.dropped, s.discard
	source.Turn, source.Next = s.turn, nil
	source.Ending = func(ctx context.Context, r pipeline.Run[chat.Message], _ turn.Report) error {
		r.Kept().(Spoken).Wait(ctx)
		return nil
	}
	source.Over = s.over
	s.in = pipeline.Open(m.pipe, source)
	return s
}

// Said handles what a person said to the bot in a call.
func (f *Flows) Said(ctx context.Context, said Said) { f.voice.said(ctx, said) }

func (s *voiceSource) said(ctx context.Context, said Said) {
	m := chat.Message{ID: s.id(said.At), Place: said.Room, Author: said.By, Text: said.Text, Sent: said.At}
	s.in.Tell(ctx, m, pipeline.Live)
}

// id is an ID that sorts among the messages of the channel. No message has it.
func (s *voiceSource) id(at time.Time) chat.MessageID {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at = at.Truncate(time.Millisecond); !at.After(s.last) {
		at = s.last.Add(time.Millisecond)
	}
	s.last = at
	return chat.FirstAt(at)
}

// Reasons why what was said before the process ended is not answered.
const (
	saidBefore pipeline.Reason = "the call was interrupted before I could begin"
	halfDone   pipeline.Reason = "the call was interrupted while I did something"
)

// expired drops everything that is resumed: the talk has gone on, or the call is over.
func (s *voiceSource) expired(ctx context.Context, e pipeline.Event[chat.Message], _ bool) (pipeline.Reason, error) {
	if e.Arrival != pipeline.Resumed {
		return "", nil
	}
	acted, err := s.pipe.Acted(ctx, e.Turn)
	if acted || err != nil {
		return halfDone, err
	}
	return saidBefore, nil
}

func (s *voiceSource) dropped(e pipeline.Event[chat.Message], why pipeline.Reason) pipeline.DropNotices {
	if why == saidBefore {
		return pipeline.DropNotices{}
	}
	return pipeline.DropNotices{Text: fmt.Sprintf("⚠️ I was interrupted while I did what <@%s> asked for in the call: “%s”. "+
		"Please check how far it got before you ask again.", e.By.ID, quotedSpeech(e.Body.Text))}
}

// discard takes away a placeholder that only a turn that goes on would find.
func (s *voiceSource) discard(ctx context.Context, e pipeline.Event[chat.Message], _ pipeline.Reason) {
	if !s.pipe.Adrift(ctx, e.Turn) {
		return
	}
	left, err := s.server.Venue(reply.Options{Place: e.Place, Turn: e.Turn, Stop: stopPrefix + string(e.Turn)}).Open(ctx, turn.First, "…")
	if err == nil {
		err = left.Discard(ctx)
	}
	if err != nil {
		s.log.WarnContext(ctx, "placeholder not taken away", "channel", e.Place.Channel, "err", err)
	}
}

// turn is the turn of a message with another prompt, model and end.
func (s *voiceSource) turn(ctx context.Context, r pipeline.Run[chat.Message]) (chat.Message, turn.Turn, error) {
	about, t, err := s.messages.turn(access.ByVoice, r)
	var talk atomic.Bool // has stopped the turn itself
	spoken := s.Calls.Answer(about.Place, about.Author.ID, func(by chat.UserID) {
		talk.Store(true)
		s.pipe.Stop(string(r.Turn), by)
	})
	// Whoever stops the turn hears no more at once. What is to be posted then may take Discord its time.
	context.AfterFunc(ctx, func() {
		if !talk.Load() {
			spoken.Drop()
		}
	})
	r.Keep(spoken)
	t.Prompt = &lazyPrompt{gather: func(ctx context.Context) (turn.Prompt, error) { return s.prompt(ctx, r, t) }}
	t.Venue = spokenVenue{t.Venue, spoken}
	t.Grows = spoken.Grow
	t.Remark = s.transcript(r)
	t.Model, t.Role = s.Model(), string(roles.Voice)
	t.Tools, t.FollowUps = "", min(1, s.followUps)
	t.Judge, t.Continue, t.Asked, t.Buttons, t.MuteNotice, t.AllowEmpty = nil, nil, nil, nil, "", true
	return about, t, err
}

func (s *voiceSource) prompt(ctx context.Context, r pipeline.Run[chat.Message], t turn.Turn) (turn.Prompt, error) {
	p, err := s.messages.prompt(ctx, r, t.Origin, t.Gate, t.Handles, t.Outside)
	p.Spoken, p.Setting = true, p.InCall(s.Style)
	return p, err
}

// transcript is what was said, for those who read along.
func (s *voiceSource) transcript(r pipeline.Run[chat.Message]) string {
	var lines []string
	for _, said := range r.Bodies() {
		lines = append(lines, fmt.Sprintf("**%s** (voice): %s", plainName(said.Author.Name), quotedSpeech(said.Text)))
	}
	return strings.Join(lines, "\n")
}

const (
	maxTranscript = 700  // characters of one utterance that are shown
	maxLogged     = 2000 // that Discord takes in a message
)

func quotedSpeech(text string) string {
	return chat.Literal(chat.Clip(chat.OneLine(text), maxTranscript))
}

func plainName(name string) string { return strings.ReplaceAll(chat.OneLine(name), "*", "") }

// over keeps the answer for later prompts, and copies the exchange into the log of calls.
func (s *voiceSource) over(ctx context.Context, r pipeline.Run[chat.Message], report turn.Report) {
	place := r.Last().Place
	spoken, ok := r.Kept().(Spoken)
	if !ok {
		return // it did not begin
	}
	heard := spoken.Wait(context.WithoutCancel(ctx)) // also for what went wrong, and an apology
	s.gather.Said(place, report.Origin.Requester, report.Result)
	s.keep(ctx, r, report, heard)
	log := s.Calls.Log(ctx, place)
	if log == "" || report.Text == "" {
		return
	}
	text := fmt.Sprintf("%s\n**%s** (voice reply): %s", s.transcript(r), plainName(s.self.Name()), chat.OneLine(report.Text))
	if _, err := s.server.Send(context.WithoutCancel(ctx), log, chat.Outgoing{Text: chat.Clip(text, maxLogged)}); err != nil {
		s.log.WarnContext(ctx, "talk of a call not copied into the log channel", "channel", log, "err", err)
	}
}

// keep keeps the exchange among the transcripts.
func (s *voiceSource) keep(ctx context.Context, r pipeline.Run[chat.Message], report turn.Report, heard string) {
	said := together(r.Bodies())
	ctx, cancel := pipeline.Writing(ctx)
	defer cancel()
	err := s.Keep(ctx, transcript.Exchange{
		Turn: r.Turn, Place: said.Place, Person: said.Author.ID, At: said.Sent,
		Said: said.Text, Answered: cmp.Or(heard, report.Text), Outside: report.Outside,
	})
	if err != nil {
		s.log.WarnContext(ctx, "what was said in a call is not kept", "channel", said.Place.Channel, "err", err)
	}
}

// A spokenVenue posts answers and has them said.
type spokenVenue struct {
	turn.Venue
	spoken Spoken
}

func (v spokenVenue) Open(ctx context.Context, key, label string) (turn.Reply, error) {
	answer, err := v.Venue.Open(ctx, key, label)
	return spokenReply{answer, v.spoken}, err
}

type spokenReply struct {
	turn.Reply
	spoken Spoken
}

// Finish has the rest of an answer said, with what went wrong, unless somebody wanted it to end.
func (a spokenReply) Finish(ctx context.Context, b turn.Body) (chat.Receipt, error) {
	a.spoken.Finish(strings.Join(append([]string{unreported(b.Text)}, b.Notices...), "\n\n"))
	return a.Reply.Finish(ctx, b)
}

// unreported is an answer without the lines on what was done, which its own words say, if it has any. What failed is said.
func unreported(text string) string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.HasPrefix(line, "Done: ") })
	if words := strings.TrimSpace(strings.Join(lines, "\n")); words != "" {
		return words
	}
	return text
}

// Discard ends an answer that is not posted, of which a part may have been said.
func (a spokenReply) Discard(ctx context.Context) error {
	a.spoken.Finish("")
	return a.Reply.Discard(ctx)
}
