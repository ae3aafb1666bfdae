package fakediscord

import (
	"fmt"
	"slices"
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
}

func (p *Poll) clone() *Poll {
	if p == nil {
		return nil
	}
	copied := *p
	copied.Answers = slices.Clone(p.Answers)
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
	return object{
		"question": object{"text": p.Question}, "answers": answers, "expiry": timestamp(p.Ends), "allow_multiselect": p.Multiple,
		"layout_type": 1, "results": object{"answer_counts": []any{}, "is_finalized": p.Closed(now)},
	}
}

// Closed reports whether the poll is over at a moment.
func (p *Poll) Closed(at time.Time) bool { return !at.Before(p.Ends) }
