package cron

import (
	"bytes"
	"encoding/json"
	"strings"

	"discoclaw/internal/chat"
)

// The markers of a state in an answer.
const (
	StateOpen  = "<cron-state>"
	StateClose = "</cron-state>"
)

// upstreamKey is the member of a state that has what an earlier job of a chain handed on. It is not kept.
const upstreamKey = "__upstream"

// TakeState takes all states out of an answer, and returns the last one, unless that is bad: it is not a JSON object, or too large.
func TakeState(answer string) (text string, state json.RawMessage, bad bool) {
	var rest strings.Builder
	for {
		before, block, found := strings.Cut(answer, StateOpen)
		rest.WriteString(before)
		if !found {
			return strings.TrimSpace(rest.String()), state, bad
		}
		body, after, closed := strings.Cut(block, StateClose)
		var members map[string]json.RawMessage
		if err := json.Unmarshal([]byte(strings.TrimSpace(body)), &members); err != nil || members == nil || len(body) > MaxState {
			state, bad = nil, true
		} else {
			bad = false
			delete(members, upstreamKey)
			state, _ = json.Marshal(members) // cannot fail: it was JSON before
		}
		if answer = after; !closed {
			answer = ""
		}
	}
}

// StateOf returns the state that a run begins with: that of its job, and what an earlier job of its chain handed on.
func (f Fire) StateOf(j Job) json.RawMessage {
	members := map[string]json.RawMessage{}
	_ = json.Unmarshal(j.State, &members) // empty for none
	if f.From != nil {
		handed := struct {
			From  string          `json:"fromCronId"`
			State json.RawMessage `json:"state"`
		}{f.From.Job, f.From.State}
		if handed.State == nil {
			handed.State = json.RawMessage("{}")
		}
		members[upstreamKey], _ = json.Marshal(handed) // cannot fail
	}
	if len(members) == 0 {
		return nil
	}
	all, _ := json.Marshal(members) // cannot fail
	return all
}

// Fill replaces the placeholders of a prompt, in one pass. More are pairs of a placeholder and its text.
func Fill(prompt, channelName string, channel chat.ChannelID, state json.RawMessage, more ...string) string {
	if len(state) == 0 {
		state = json.RawMessage("{}")
	}
	return strings.NewReplacer(append(more, "{{channel}}", channelName, "{{channelId}}", string(channel), "{{state}}", string(state))...).Replace(prompt)
}

// silentLength is up to which length the answers of a silent job are not posted.
const silentLength = 80

// IsDull reports whether an answer of a silent job is not posted.
func IsDull(text string) bool {
	return chat.Length(strings.Join(strings.Fields(text), " ")) <= silentLength
}

// A Route is a message of an answer that says itself where it goes.
type Route struct{ Channel, Content string }

// Routes reads an answer that is a JSON array of messages, maybe in a code block or between other words. It is false if
// it is none, or has no message at all although it is not empty; an empty one between other words may be a quotation,
// and would drop them.
func Routes(answer string) ([]Route, bool) {
	text := strings.TrimSpace(answer)
	if inner, fenced := strings.CutPrefix(text, "```"); fenced {
		inner = strings.TrimPrefix(inner, "json")
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
	}
	var entries []json.RawMessage
	whole := json.Unmarshal([]byte(text), &entries) == nil
	if !whole {
		from, to := strings.IndexByte(text, '['), strings.LastIndexByte(text, ']')
		if from < 0 || to < from || json.Unmarshal([]byte(text[from:to+1]), &entries) != nil {
			return nil, false
		}
	}
	if entries == nil {
		return nil, false // null
	}
	var routes []Route
	for _, entry := range entries {
		var r struct{ Channel, Content *string }
		if bytes.HasPrefix(bytes.TrimSpace(entry), []byte("{")) && json.Unmarshal(entry, &r) == nil && r.Channel != nil && r.Content != nil {
			routes = append(routes, Route{*r.Channel, *r.Content})
		}
	}
	return routes, len(routes) > 0 || whole && len(entries) == 0
}
