package fakediscord

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/layout"
)

const (
	settledFor  = 60 * 24 * time.Hour // how much older a world is than what happened in it
	pollsRunFor = 7 * 24 * time.Hour
)

// A history puts the lines of a layout that have a time in order, and the world's clock to their times. Without such lines a
// world is made now.
type history struct {
	w     *World
	now   time.Time
	polls []*Message // which end by the real clock
}

// begin sets the clock to before all that happened, and returns the lines in the order of their times.
func (h *history) begin(lines []layout.Line) ([]layout.Line, error) {
	at := map[layout.Moment]time.Time{}
	earliest := h.now
	for _, l := range lines {
		if l.At == "" {
			continue
		}
		t, err := l.At.Time(h.now)
		switch {
		case err != nil:
			return nil, l.Wrap(err)
		case l.Word == "holds" && !t.After(h.now):
			return nil, l.Wrap(errors.New("an event begins later than now"))
		case l.Word != "holds" && t.After(h.now):
			return nil, l.Wrap(errors.New("that has not happened yet"))
		case t.Before(earliest):
			earliest = t
		}
		at[l.At] = t
	}
	if len(at) > 0 {
		h.w.Skew(earliest.Add(-settledFor).Sub(h.now))
	}
	slices.SortStableFunc(lines, func(a, b layout.Line) int {
		if a.At == "" || b.At == "" {
			return 0 // the stages keep these apart
		}
		return at[a.At].Compare(at[b.At])
	})
	return lines, nil
}

// reach sets the clock to the time of a line.
func (h *history) reach(l layout.Line) {
	switch t, err := l.At.Time(h.now); {
	case l.Word == "holds":
		h.w.Skew(0)
	case err == nil: // begin has read those with a time
		h.w.Skew(t.Sub(h.now))
	}
}

// end puts the clock right.
func (h *history) end() {
	h.w.Skew(0)
	for _, m := range h.polls {
		if !m.Poll.Closed(h.w.clock()) {
			h.w.awaitEnd(m)
		}
	}
}

// says posts what somebody said, whatever their rights.
func (b *builder) says(l layout.Line) error {
	c := b.w.channelOn(b.on, l.In)
	switch {
	case c == nil:
		return fmt.Errorf("there is no channel %s", l.In)
	case c.Type == ForumChannel || c.Type == CategoryChannel:
		return fmt.Errorf("nobody can write in %s itself", c)
	}
	who, err := b.person(l.By)
	if err != nil {
		return err
	}
	return b.dress(l, c, b.w.post(draft{author: who, channel: c, content: b.withMentions(l.Text)}))
}

// posts makes a forum post of somebody.
func (b *builder) posts(l layout.Line) error {
	who, err := b.person(l.By)
	if err != nil {
		return err
	}
	return b.postOf(l, who)
}

// dress adds what stands below a message in the layout.
func (b *builder) dress(l layout.Line, c *Channel, m *Message) error {
	for _, r := range l.Reactions {
		for _, name := range r.By {
			who, err := b.person(name)
			if err == nil {
				err = b.w.react(who, c, m, chat.Emoji(r.Emoji))
			}
			if err != nil {
				return err
			}
		}
	}
	if l.Pinned {
		m.Pinned, c.LastPin = b.w.now(), b.w.now() // without a notice, which nobody would read any more
	}
	return nil
}

// asks posts a poll, with its votes.
func (b *builder) asks(l layout.Line) error {
	c := b.w.channelOn(b.on, l.In)
	if c == nil {
		return fmt.Errorf("there is no channel %s", l.In)
	}
	who, err := b.person(l.By)
	if err != nil {
		return err
	}
	p := &Poll{Question: l.Text, Ends: b.w.now().Add(pollsRunFor)}
	for i, item := range l.Items {
		answer, voters, _ := strings.Cut(item, "(")
		p.Answers = append(p.Answers, strings.TrimSpace(answer))
		for name := range strings.SplitSeq(strings.Trim(voters, " )"), ",") {
			if name = strings.TrimSpace(name); name == "" {
				continue
			}
			voter, err := b.person(name)
			if err != nil {
				return err
			}
			p.Votes = append(p.Votes, Vote{By: voter.ID, Answer: i + 1})
		}
	}
	m := b.w.post(draft{author: who, channel: c})
	m.Poll = p // only now, since it ends by the real clock
	b.past.polls = append(b.past.polls, m)
	return b.dress(l, c, m)
}

// holds announces an event, in a channel if one has that name.
func (b *builder) holds(l layout.Line) error {
	who, err := b.person(l.By)
	if err != nil {
		return err
	}
	takes, err := time.ParseDuration(l.For)
	if err != nil {
		return fmt.Errorf("%q is no duration; write 2h or 90m", l.For)
	}
	start, err := l.At.Time(b.past.now)
	if err != nil {
		return err
	}
	e := ScheduledEvent{Name: l.Name, Description: l.Text, Start: start.UTC(), End: start.Add(takes).UTC(), Location: l.In, Creator: who.ID, Guild: b.on.ID}
	if c := b.w.channelOn(b.on, l.In); c != nil && c.Type.isVocal() {
		e.Channel, e.Location = c.ID, ""
	}
	if err := b.w.checkEvent(&e, true); err != nil {
		return err
	}
	b.w.schedule(e)
	return nil
}

// person finds a member of the guild.
func (b *builder) person(name string) (*Member, error) {
	if m := b.w.memberOn(b.on, name); m != nil {
		return m, nil
	}
	return nil, fmt.Errorf("there is no member %s", name)
}

var mentioned = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[@#][\p{L}\p{N}_-]+`) })

// withMentions writes @name and #channel as Discord does, where there are such.
func (b *builder) withMentions(text string) string {
	return mentioned().ReplaceAllStringFunc(text, func(word string) string {
		if m := b.w.memberOn(b.on, word[1:]); m != nil && word[0] == '@' {
			return m.ID.Mention()
		}
		if c := b.w.channelOn(b.on, word[1:]); c != nil && word[0] == '#' {
			return c.ID.Mention()
		}
		return word
	})
}
