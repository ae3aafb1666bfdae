package prompt

import (
	"context"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
)

// A Deferred is the prompt of a deferred run. It quotes no earlier conversation, since its
// text was written to stand alone.
type Deferred struct {
	Setting
	Channel chat.ChannelID // where the answer goes
	At      time.Time      // when it was due
	Late    time.Duration  // how late it is; zero if that is not worth telling
	By      chat.User      // the requester
	Asked   time.Time      // when they asked for it, in the time zone of the reader
	AskedIn chat.ChannelID // where they did; empty if that is not known
	Words   string         // what the model wrote then
}

// First is the request of a turn's first round.
func (d Deferred) First(context.Context) (llm.Request, error) {
	d.History = nil
	return d.first(actions.Hint{Text: d.Words}, d.earlier(), part{name: "deferred", text: d.words()}), nil
}

func (d Deferred) words() string {
	asked := d.Asked.Format("at 15:04 -07:00")
	if d.AskedIn != "" {
		// Without its name: readers of this run's channel may not be allowed to know it.
		asked = "in " + d.AskedIn.Mention() + " " + asked
	}
	about := fmt.Sprintf("[You wrote the text below yourself, when %s asked you for this %s; the words are not theirs. Its time has come, and nobody waits for it here %s.", person(d.By), asked, d.where())
	if d.Late > 0 {
		about += fmt.Sprintf(" It runs late by %s; readers are told so.", lateness(d.Late))
	}
	header := fmt.Sprintf("---\nDeferred follow-up scheduled for <#%s> (runs at %s).\n---\nUser message:\n%s", d.Channel, d.At.UTC().Format("15:04"), d.Words)
	return join(about+"]", header)
}

// lateness is a duration in whole minutes, or seconds if it is short.
func lateness(d time.Duration) string {
	if d < time.Minute {
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}
