package play

import (
	"context"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// reactionTime is how long the terminal waits for the effect of a button. There may be
// none: the bot does not answer strangers.
const reactionTime = 5 * time.Second

// press presses the newest button of that name in a channel, and waits for the effect.
func (t *terminal) press(ctx context.Context, who string, where chat.ChannelID, label string) {
	m, button, found := t.button(where, label)
	if !found {
		t.printf("There is no button %q in %s.\n", label, t.place(where))
		return
	}
	t.forget(m.ID)
	if _, err := t.world.Press(who, m.ID, button); err != nil {
		t.printf("Discord would not let you: %v.\n", err)
		return
	}
	timeout := time.NewTimer(reactionTime)
	defer timeout.Stop()
	select {
	case <-ctx.Done():
	case <-t.reacted:
	case <-timeout.C:
		t.printf("(Nothing came of it that %s could see.)\n", who)
	}
}

// button finds a button by its label, in messages visible to the speaker.
func (t *terminal) button(where chat.ChannelID, label string) (m fakediscord.Message, id string, found bool) {
	t.mu.Lock()
	speaker := t.speaker
	t.mu.Unlock()
	for _, m := range slices.Backward(t.world.Messages(string(where))) {
		if m.OnlyFor != "" && m.OnlyFor != speaker {
			continue
		}
		for _, b := range m.Buttons() {
			if !b.Disabled && strings.EqualFold(b.Label, label) {
				return m, b.CustomID, true
			}
		}
	}
	return m, "", false
}

// forget drops the signal of earlier buttons.
func (t *terminal) forget(pressed chat.MessageID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pressed = pressed
	select {
	case <-t.reacted:
	default:
	}
}

// react signals the effect of a button.
func (t *terminal) react() {
	select {
	case t.reacted <- struct{}{}:
	default:
	}
}

// speakAs sets the current speaker.
func (t *terminal) speakAs(name string) {
	who, _ := t.world.Member(name)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.speaker = who.ID
}
