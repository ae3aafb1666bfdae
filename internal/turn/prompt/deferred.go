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

// A Deferred is the prompt of a turn that somebody asked for earlier. It quotes no
// earlier conversation: its words were written to be enough. The model is asked once.
type Deferred struct {
	Setting
	Channel chat.ChannelID // where the answer goes
	At      time.Time      // when it was due
	Late    time.Duration  // how much later it is, if that is worth telling
	By      chat.User      // who asked for it
	Words   string
}

// First is the request of a turn's first round.
func (d Deferred) First(context.Context) (llm.Request, error) {
	d.History, d.Once = nil, true
	return d.first(actions.Hint{Text: d.Words, All: true}, part{name: "deferred", text: d.words()}), nil
}

func (d Deferred) words() string {
	about := fmt.Sprintf("[%s asked for this earlier. Its time has come, and nobody waits for it here %s.", person(d.By), d.where())
	if d.Late > 0 {
		about += fmt.Sprintf(" It runs late by %s; readers are told so.", lateness(d.Late))
	}
	header := fmt.Sprintf("---\nDeferred follow-up scheduled for <#%s> (runs at %s).\n---\nUser message:\n%s", d.Channel, d.At.UTC().Format("15:04"), d.Words)
	return join(about+"]", header)
}

// lateness is a time in whole minutes, or seconds if it is short.
func lateness(d time.Duration) string {
	if d < time.Minute {
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}
