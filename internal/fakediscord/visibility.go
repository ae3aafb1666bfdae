package fakediscord

import (
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// flagObfuscated marks a channel that the bot does not see.
const flagObfuscated = 1 << 17

// hiddenName is the name of such a channel.
const hiddenName = "___hidden___"

// obfuscated is a hidden channel in the gateway's events: its ID and little else. Over REST
// it does not exist.
// https://discord.com/developers/docs/resources/channel#channel-object-obfuscated-channels
func (w *World) obfuscated(c *Channel) object {
	o := object{
		"id": c.ID, "type": int(c.Type), "guild_id": c.Guild, "name": hiddenName, "position": c.Position,
		"parent_id": idOrNull(c.Parent), "flags": flagObfuscated,
		"permission_overwrites": overwritesJSON([]Overwrite{{Role: w.guild(c.Guild).everyone().ID, Deny: viewChannel}}),
	}
	if c.Type != CategoryChannel {
		o["topic"], o["last_message_id"] = nil, nil
	}
	return o
}

// emitChannel emits a channel that is not a thread. A bot that does not see it gets the
// obfuscated form.
func (w *World) emitChannel(name string, c *Channel) {
	full := w.channelJSON(c)
	forBot := full
	if !w.sees(w.botMember(), c) {
		forBot = w.obfuscated(c)
	}
	w.queue(name, intentGuilds, c, full, forBot, true)
}

// reshape is change for changes that may affect visibility.
func (w *World) reshape(f func() error) error {
	return w.change(func() error { return w.reshaped(f) })
}

// reshaped runs f, and emits the channels that became visible or hidden to the bot.
func (w *World) reshaped(f func() error) error {
	before, queued := w.inSight(), len(w.pending)
	if err := f(); err != nil {
		return err
	}
	for _, id := range w.channelOrder {
		c := w.channels[id]
		was, known := before[id]
		now := w.sees(w.botMember(), c)
		if !known || was == now || c.Type.IsThread() {
			continue
		}
		if !slices.ContainsFunc(w.pending[queued:], func(e pendingEvent) bool { return e.Channel == id && strings.HasPrefix(e.Name, "CHANNEL_") }) {
			w.emitChannel("CHANNEL_UPDATE", c)
		}
		w.syncThreads(c, now)
	}
	return nil
}

// inSight maps every channel to whether the bot sees it.
func (w *World) inSight() map[chat.ChannelID]bool {
	seen := map[chat.ChannelID]bool{}
	for id, c := range w.channels {
		seen[id] = w.sees(w.botMember(), c)
	}
	return seen
}

// syncThreads emits the active threads of a channel that became visible.
func (w *World) syncThreads(c *Channel, seen bool) {
	if !seen || !c.Type.TakesThreads() {
		return
	}
	threads, members := []object{}, []object{}
	for _, id := range w.channelOrder {
		t := w.channels[id]
		if t.Type.IsThread() && t.Parent == c.ID && !t.Archived && w.sees(w.botMember(), t) {
			threads = append(threads, w.threadJSON(t))
		}
	}
	w.emit("THREAD_LIST_SYNC", intentGuilds, c, object{
		"guild_id": c.Guild, "channel_ids": []chat.ChannelID{c.ID}, "threads": threads, "members": members,
	})
}
