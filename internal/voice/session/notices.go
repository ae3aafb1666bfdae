package session

import (
	"context"
	"fmt"

	"discoclaw/internal/chat"
	"discoclaw/internal/voice/link"
)

// apology is said when a model takes too long.
const apology = "Sorry, that takes me too long. Please ask again in a moment."

const (
	notice = "🎙️ I'm in this call. What the people whom I serve say here is written down by a machine, so that I can answer; " +
		"no sound is kept. Whoever does not want that writes `!voice ignore me`."
	newcomer = "🎙️ %s, I'm in this call, and what the people whom I serve say is written down by a machine. If you don't want that, write `!voice ignore me`."
)

// tell tells the people in the call that they are heard, and each who enters later. Whoever was not told is not heard.
func (r *room) tell(ctx context.Context, call *link.Call) {
	there := r.people()
	if r.post(ctx, notice) {
		r.note(there...)
	}
	r.tellNewcomers(ctx, call)
}

// tellNewcomers tells each person once who was not told yet. Others can read it, too, so it mentions them without a notification.
func (r *room) tellNewcomers(ctx context.Context, call *link.Call) {
	for ctx.Err() == nil {
		at := r.at().Channel
		there, changed := r.o.Others(r.guild, at)
		for _, who := range there {
			if !who.Bot && !r.hasTold(who.ID) && r.post(ctx, fmt.Sprintf(newcomer, who.ID.Mention())) {
				r.note(who)
			}
		}
		r.awaitOthers(ctx, call, at, changed)
	}
}

// awaitOthers waits until people came or went, or the bot was moved away, of which the call has news.
func (r *room) awaitOthers(ctx context.Context, call *link.Call, from chat.ChannelID, changed <-chan struct{}) {
	for {
		_, news := call.State()
		if r.at().Channel != from {
			return
		}
		select {
		case <-news:
		case <-changed:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (r *room) hasTold(who chat.UserID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.told[who]
}

func (r *room) note(told ...chat.Occupant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, who := range told {
		r.told[who.ID] = true
	}
}

func crowded(who chat.UserID) string {
	return fmt.Sprintf("🎙️ I can listen to four people at the same time, so I don't hear %s now. Say it again when somebody has finished, or write it here.", who.Mention())
}

func cannotHear(err error) string {
	return fmt.Sprintf("⚠️ I can't understand you in the call now: %v. Write here instead; I keep trying.", err)
}

func cannotSpeak(err error) string {
	return fmt.Sprintf("⚠️ I can't speak in the call now: %v. My answers stand here; I keep trying.", err)
}
