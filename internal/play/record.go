package play

import (
	"cmp"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/turn"
)

// A record is a turn as the page shows it.
type record struct {
	ID       string        `json:"id"`
	Turn     chat.TurnID   `json:"turn"`
	Kind     string        `json:"kind"`    // message, command, reaction, job or follow-up
	Job      string        `json:"job"`     // the ID of the scheduled job that it is a run of
	Command  string        `json:"command"` // then no model was asked
	Channel  string        `json:"channel"`
	By       string        `json:"by"`
	Asked    string        `json:"asked"`
	Began    time.Time     `json:"began"`
	Took     int64         `json:"tookMs"`
	Model    string        `json:"model"`
	Error    string        `json:"error"`
	Requests int           `json:"restCalls"`
	Rounds   []roundRecord `json:"rounds"`
	Cards    []cardRecord  `json:"cards"`   // that ended, of those that wait in no round
	Decided  bool          `json:"decided"` // a card of it has ended since it was told first

	message chat.MessageID // that the turn is about; empty for a slash command
}

type roundRecord struct {
	Sections []llm.Section  `json:"sections"`
	Prompt   int            `json:"promptBytes"`
	Answer   int            `json:"answerBytes"`
	Flaw     string         `json:"flaw"` // what is wrong with the answer as a whole; mostly empty
	Runtime  string         `json:"runtime"`
	Model    string         `json:"model"`
	Input    int            `json:"inputTokens"`
	Cached   int            `json:"cachedTokens"`
	Output   int            `json:"outputTokens"`
	USD      *float64       `json:"usd"` // null if it is unknown
	Actions  []actionRecord `json:"actions"`
}

type actionRecord struct {
	Type    string `json:"type"`
	Verdict string `json:"verdict"` // done, held, failed, refused, ignored or broken; of a card that has ended also dropped or unclear
	End     string `json:"end"`     // how the card ended that it waited on, such as: approved by ada
	Reason  string `json:"reason"`
	Line    string `json:"line"`
	Took    int64  `json:"tookMs"`
}

func recordOf(t turn.Report) record {
	r := record{
		ID:       cmp.Or(string(t.Message.ID), string(t.ID)), // a slash command has no message
		Turn:     t.ID,
		Kind:     kindOf(t),
		Job:      t.Origin.Job,
		Command:  t.Command,
		Channel:  string(t.Message.Place.Channel),
		By:       t.By.Name,
		Asked:    t.Message.Text,
		Began:    t.Began,
		Took:     t.Took.Milliseconds(),
		Model:    t.Result.Model.String(),
		Requests: t.Requests,
		Rounds:   []roundRecord{},
		Cards:    []cardRecord{},
		message:  t.Message.ID,
	}
	switch {
	case t.Err != nil:
		r.Error = t.Err.Error()
	case t.Result.Undelivered:
		r.Error = "not all of the answer could be posted"
	}
	for i, round := range t.Result.Rounds {
		last := i == len(t.Result.Rounds)-1
		r.Rounds = append(r.Rounds, roundOf(round, !last))
		if last && t.Err != nil && len(r.Rounds[i].Actions) == 0 {
			r.Rounds[i].Flaw = "it has no complete answer, because of the error above"
		}
	}
	return r
}

// kindOf says what a turn began with.
func kindOf(t turn.Report) string {
	switch {
	case t.Command != "":
		return "command"
	case t.Origin.Flow == actions.FlowReaction:
		return "reaction"
	case t.Origin.Flow == actions.FlowCron:
		return "job"
	case t.Origin.Flow == actions.FlowDefer:
		return "follow-up"
	}
	return "message"
}

// by names what answered in place of a model.
func (r record) by(name string) record {
	r.Model = name
	for i := range r.Rounds {
		r.Rounds[i].Runtime, r.Rounds[i].Model = "", ""
	}
	return r
}

// roundOf describes an answer of the model. asked means that the model was asked again after it.
func roundOf(round turn.Round, asked bool) roundRecord {
	r := roundRecord{
		Flaw:     flawOf(round),
		Sections: []llm.Section{},
		Answer:   round.Answer,
		Runtime:  round.By.By.Runtime,
		Model:    round.By.By.Model,
		Input:    round.Usage.Input,
		Cached:   round.Usage.Cached,
		Output:   round.Usage.Output,
		Actions:  []actionRecord{},
	}
	if round.By.Known {
		r.USD = &round.By.USD
	}
	for _, s := range round.Prompt {
		r.Prompt += s.Bytes
		if s.Bytes > 0 {
			r.Sections = append(r.Sections, s)
		}
	}
	for _, o := range round.Outcomes {
		r.Actions = append(r.Actions, actionOf(o))
	}
	for _, name := range round.Stripped {
		r.Actions = append(r.Actions, actionRecord{Type: name, Verdict: "ignored", Reason: "not an action that may be used here"})
	}
	for _, bad := range round.Malformed {
		r.Actions = append(r.Actions, brokenOf(bad, asked))
	}
	return r
}

// flawOf says why an answer that seems to ask for actions, or to say something, does not.
func flawOf(round turn.Round) string {
	switch {
	case round.Fenced:
		return "it wrote actions as code, which does not run, so nothing of them was done"
	case round.Shown:
		return "it showed actions as code beside its words; that is for reading, and nothing of it was done"
	case round.Answer == 0 && len(round.Outcomes) == 0:
		return "the answer was empty"
	default:
		return ""
	}
}

// brokenOf describes an action that could not be read, and what became of it.
func brokenOf(bad actions.Malformed, asked bool) actionRecord {
	what := map[actions.Flaw]string{
		actions.NotJSON: "not valid JSON", actions.CutOff: "cut off before its end",
		actions.NoType: "without a type", actions.Unusable: "not usable",
	}[bad.Flaw]
	then := "people are told so"
	if asked {
		then = "the model was told so"
	}
	return actionRecord{
		Type: "unreadable action", Verdict: "broken", Line: chat.Capital(what) + ", so nothing of it was done, and " + then + ".", Reason: bad.Detail,
	}
}

func actionOf(o actions.Outcome) actionRecord {
	r := actionRecord{Type: o.Request.Type, Verdict: "done", Line: o.Told(), Took: o.Took.Milliseconds()}
	switch {
	case o.Verdict.Decision != actions.Allowed:
		r.Verdict, r.Reason = "refused", o.Verdict.Reason()
	case o.Err != nil:
		r.Verdict, r.Reason = "failed", o.Err.Error()
	case o.Pending != nil:
		r.Verdict, r.Reason = "held", o.Pending.What
	}
	return r
}
