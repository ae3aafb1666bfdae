package fakediscord

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// Limits of a poll.
// https://discord.com/developers/docs/resources/poll
const (
	maxQuestion    = 300
	maxAnswers     = 10
	maxAnswer      = 55
	maxPollHours   = 768
	usualPollHours = 24
)

// A Poll is a question of a message with answers to vote for.
type Poll struct {
	Question string    `json:"question"`
	Answers  []string  `json:"answers"`
	Multiple bool      `json:"multiple,omitempty"`
	Ends     time.Time `json:"ends"`
	Votes    []Vote    `json:"votes,omitempty"`
}

// A Vote is a member's choice of an answer, by its number from 1 on.
type Vote struct {
	By     chat.UserID `json:"by"`
	Answer int         `json:"answer"`
}

func (p *Poll) clone() *Poll {
	if p == nil {
		return nil
	}
	copied := *p
	copied.Answers, copied.Votes = slices.Clone(p.Answers), slices.Clone(p.Votes)
	return &copied
}

// A pollInput is the JSON of a poll to make.
type pollInput struct {
	Question pollText `json:"question"`
	Answers  []struct {
		Text pollText `json:"poll_media"`
	} `json:"answers"`
	Multiple bool `json:"allow_multiselect"`
	Layout   *int `json:"layout_type"`
	Hours    *int `json:"duration"`
}

type pollText struct {
	Text string `json:"text"`
}

// poll makes the poll, or returns what is wrong with it.
func (in *pollInput) poll(now time.Time) (*Poll, error) {
	p := &Poll{Question: strings.TrimSpace(in.Question.Text), Multiple: in.Multiple}
	hours := usualPollHours
	if in.Hours != nil {
		hours = *in.Hours
	}
	p.Ends = now.Add(time.Duration(hours) * time.Hour)
	switch n := chat.Length(p.Question); {
	case n == 0 || n > maxQuestion:
		return nil, invalid("poll.question.text", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxQuestion)
	case len(in.Answers) == 0 || len(in.Answers) > maxAnswers:
		return nil, invalid("poll.answers", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxAnswers)
	case hours < 1 || hours > maxPollHours:
		return nil, invalid("poll.duration", "NUMBER_TYPE_RANGE", "int value should be between 1 and %d.", maxPollHours)
	case in.Layout != nil && *in.Layout != 1:
		return nil, invalid("poll.layout_type", "BASE_TYPE_CHOICES", "Value must be one of (1,).")
	}
	for i, a := range in.Answers {
		text := strings.TrimSpace(a.Text.Text)
		if n := chat.Length(text); n == 0 || n > maxAnswer {
			field := fmt.Sprintf("poll.answers.%d.poll_media.text", i)
			return nil, invalid(field, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxAnswer)
		}
		p.Answers = append(p.Answers, text)
	}
	return p, nil
}

func pollJSON(p *Poll, now time.Time) object {
	answers := []object{}
	for i, text := range p.Answers {
		answers = append(answers, object{"answer_id": i + 1, "poll_media": object{"text": text}})
	}
	counts := []object{}
	votes := p.counts()
	for _, id := range slices.Sorted(maps.Keys(votes)) {
		counts = append(counts, object{"id": id, "count": votes[id], "me_voted": false})
	}
	return object{
		"question": object{"text": p.Question}, "answers": answers, "expiry": timestamp(p.Ends), "allow_multiselect": p.Multiple,
		"layout_type": 1, "results": object{"answer_counts": counts, "is_finalized": p.Closed(now)},
	}
}

// counts are the votes for each answer that has some.
func (p *Poll) counts() map[int]int {
	votes := map[int]int{}
	for _, v := range p.Votes {
		votes[v.Answer]++
	}
	return votes
}

// result is the embed that says how a poll went. Only an answer with more votes than each other has won.
// https://discord.com/developers/docs/resources/message#embed-fields-by-embed-type-poll-result-embed-fields
func (p *Poll) result() Embed {
	votes := p.counts()
	most, won := 0, 0
	for answer, n := range votes {
		switch {
		case n > most:
			most, won = n, answer
		case n == most:
			won = 0
		}
	}
	fields := []EmbedField{
		{Name: "poll_question_text", Value: p.Question}, {Name: "victor_answer_votes", Value: strconv.Itoa(most)},
		{Name: "total_votes", Value: strconv.Itoa(len(p.Votes))},
	}
	if won > 0 && won <= len(p.Answers) { // a file may have been edited by hand
		fields = append(fields, EmbedField{Name: "victor_answer_id", Value: strconv.Itoa(won)},
			EmbedField{Name: "victor_answer_text", Value: p.Answers[won-1]})
	}
	return Embed{Fields: fields}
}

// awaitEnd has the result of a poll posted when its time is over.
func (w *World) awaitEnd(m *Message) {
	ends := m.Poll.Ends
	time.AfterFunc(ends.Sub(w.clock()), func() {
		_ = w.change(func() error { // which never fails
			switch {
			case w.messages[m.ID] != m || !m.Poll.Ends.Equal(ends): // it was deleted, or ended before its time
			case !m.Poll.Closed(w.clock()): // which was set back
				w.awaitEnd(m)
			default:
				w.closePoll(m)
			}
			return nil
		})
	})
}

// closePoll tells that a poll is over, and posts its result.
func (w *World) closePoll(m *Message) {
	c := w.channels[m.Channel]
	w.emitMessage("MESSAGE_UPDATE", c, m)
	w.post(draft{author: w.user(m.Author), channel: c, kind: PollResult, replyTo: m.ID, embeds: []Embed{m.Poll.result()}})
}

// Closed reports whether the poll is over at a moment.
func (p *Poll) Closed(at time.Time) bool { return !at.Before(p.Ends) }

// listVoters lists the users who chose an answer, by ID.
func listVoters(c *call) (answer, error) {
	_, m, _, err := c.found()
	switch {
	case err != nil:
		return answer{}, err
	case m.Poll == nil:
		return answer{}, errNoPoll
	}
	limit, err := c.number("limit", 25, 1, 100)
	if err != nil {
		return answer{}, err
	}
	after, err := c.snowflake("after")
	if err != nil {
		return answer{}, err
	}
	var users []chat.UserID
	for _, v := range m.Poll.Votes {
		if strconv.Itoa(v.Answer) == c.vars["answer"] && compareIDs(string(v.By), after) > 0 {
			users = append(users, v.By)
		}
	}
	slices.SortFunc(users, func(a, b chat.UserID) int { return compareIDs(string(a), string(b)) })
	return ok(object{"users": c.usersJSON(users[:min(limit, len(users))])})
}

// endPoll ends a poll of the bot's own.
// https://discord.com/developers/docs/resources/poll#end-poll
func endPoll(c *call) (answer, error) {
	_, m, _, err := c.found()
	switch {
	case err != nil:
		return answer{}, err
	case m.Poll == nil:
		return answer{}, errNoPoll
	case m.Author != c.bot.ID:
		return answer{}, errNotYours
	case m.Poll.Closed(c.now()):
		return answer{}, errPollOver
	}
	m.Poll.Ends = c.now()
	c.closePoll(m)
	return ok(c.messageJSON(m))
}
