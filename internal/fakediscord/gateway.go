package fakediscord

import (
	"cmp"
	"slices"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/fakegateway"
)

// Intents of a session.
// https://discord.com/developers/docs/events/gateway#gateway-intents
const (
	intentGuilds          = 1 << 0
	intentMembers         = 1 << 1
	intentModeration      = 1 << 2
	intentExpressions     = 1 << 3
	intentWebhooks        = 1 << 5
	intentInvites         = 1 << 6
	intentVoice           = 1 << 7
	intentPresences       = 1 << 8
	intentMessages        = 1 << 9
	intentReactions       = 1 << 10
	intentTyping          = 1 << 11
	intentDirectMessages  = 1 << 12
	intentDirectReactions = 1 << 13
	intentDirectTyping    = 1 << 14
	intentContent         = 1 << 15
	intentScheduledEvents = 1 << 16
	intentPolls           = 1 << 24
	intentDirectPolls     = 1 << 25

	// allIntents also has those of events that the world does not have.
	allIntents = 1<<17 - 1 | 1<<20 | 1<<21 | 1<<24 | 1<<25

	// privilegedIntents must be switched on for a bot in Discord's developer portal.
	privilegedIntents = intentMembers | intentPresences | intentContent
)

// Close codes of the gateway.
// https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway
const (
	closeWrongToken   = 4004
	closeWrongIntents = 4013
	closeDisallowed   = 4014
)

// WithoutMessageContent switches the Message Content intent off, as in the developer
// portal: a session that asks for it is closed.
func (w *World) WithoutMessageContent() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.granted &^= intentContent
}

// identify answers an IDENTIFY.
func (w *World) identify(id fakegateway.Identify) (ready map[string]any, after []fakegateway.Event, closeCode int) {
	shard := id.OfShard()
	if id.Token == w.Token() {
		w.hangUp(shard) // an earlier session ends
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if id.Token != w.token() {
		return nil, nil, closeWrongToken
	}
	if id.Intents&^allIntents != 0 {
		return nil, nil, closeWrongIntents
	}
	if id.Intents&privilegedIntents&^w.granted != 0 {
		return nil, nil, closeDisallowed
	}
	w.intents, w.large = id.Intents, cmp.Or(id.Large, defaultLarge)
	w.presence = Presence{Status: "online"}
	if id.Presence != nil {
		w.presence = presenceFrom(*id.Presence)
	}
	guilds := []object{}
	for _, g := range w.guilds {
		if !w.hasBot(g) || !shard.Has(string(g.ID)) {
			continue
		}
		guilds = append(guilds, object{"id": g.ID, "unavailable": true})
		if id.Intents&intentGuilds != 0 {
			after = append(after, w.announcement(g))
		}
	}
	ready = object{
		"user":             w.userJSON(w.botMember()),
		"application":      object{"id": w.app, "flags": w.appFlags()},
		"guilds":           guilds,
		"private_channels": []any{},
	}
	return ready, after, 0
}

// announcement is the event about a guild after READY.
// https://discord.com/developers/docs/events/gateway-events#guild-create
func (w *World) announcement(g *guild) fakegateway.Event {
	if g.outage {
		return fakegateway.Event{Name: "GUILD_DELETE", Data: encode(object{"id": g.ID, "unavailable": true})}
	}
	return fakegateway.Event{Name: "GUILD_CREATE", Data: encode(w.guildCreate(g))}
}

// guildCreate is the payload of GUILD_CREATE: all channels, hidden ones without their
// names; the visible active threads; and some of the members.
func (w *World) guildCreate(g *guild) object {
	o := w.guildJSON(g)
	bot := w.botOn(g)
	var channels, threads []object
	for _, id := range w.channelOrder {
		c := w.channels[id]
		switch seen := w.sees(bot, c); {
		case c.Guild != g.ID:
		case !c.Type.IsThread() && !seen:
			channels = append(channels, w.obfuscated(c))
		case !c.Type.IsThread():
			channels = append(channels, w.channelJSON(c))
		case seen && !c.Archived:
			threads = append(threads, w.threadJSON(c))
		}
	}
	o["channels"], o["threads"], o["members"] = list(channels), list(threads), w.firstMembers(g)
	o["joined_at"], o["large"], o["unavailable"] = timestamp(bot.Joined), g.count() > w.large, false
	o["member_count"], o["voice_states"] = g.count(), w.voiceStates(g)
	for _, empty := range []string{"presences", "stage_instances", "soundboard_sounds"} {
		o[empty] = []any{}
	}
	events := []object{}
	for _, e := range g.scheduled {
		if c := w.channels[e.Channel]; c == nil || w.sees(bot, c) {
			events = append(events, w.eventJSON(e))
		}
	}
	o["guild_scheduled_events"] = events
	return o
}

// emitMessage emits a new or changed message.
func (w *World) emitMessage(name string, c *Channel, m *Message) {
	w.touch(m)
	o := w.messageJSON(m)
	if name == "MESSAGE_CREATE" && m.Nonce != "" {
		o["nonce"] = m.nonceJSON()
	}
	intent := intentDirectMessages
	if c.Type != DMChannel {
		intent = intentMessages
		g := w.guild(c.Guild)
		o["guild_id"] = g.ID
		if author := g.person(m.Author); author != nil {
			o["member"] = w.memberPart(author)
		}
		for _, u := range o["mentions"].([]object) {
			if mentioned := g.person(u["id"].(chat.UserID)); mentioned != nil {
				u["member"] = w.memberPart(mentioned)
			}
		}
	}
	seen := w.sees(w.botMember(), c)
	if w.concernsBot(c, m) {
		w.queue(name, intent, c, o, o, seen)
		return
	}
	bare := withoutContent(o)
	if w.granted&intentContent == 0 {
		w.queue(name, intent, c, o, bare, seen)
		return
	}
	w.queue(name, intent, c, o, o, seen)
	w.pending[len(w.pending)-1].bare = bare
}

// concernsBot reports whether the bot gets the content of a message in any case, and not only with the intent for it.
// https://discord.com/developers/docs/events/gateway#message-content-intent
func (w *World) concernsBot(c *Channel, m *Message) bool {
	return c.Type == DMChannel || m.Author == w.bot || slices.Contains(m.Mentions, w.bot)
}

func withoutContent(o object) object {
	bare := object{}
	for key, value := range o {
		bare[key] = value
	}
	bare["content"] = ""
	delete(bare, "poll")
	bare["embeds"], bare["attachments"], bare["components"] = []any{}, []any{}, []any{}
	return bare
}

// appFlags say which privileged intents are enabled, for a bot on few servers.
// https://discord.com/developers/docs/resources/application#application-object-application-flags
func (w *World) appFlags() int {
	flags := 0
	for intent, flag := range map[int]int{intentPresences: 1 << 13, intentMembers: 1 << 15, intentContent: 1 << 19} {
		if w.granted&intent != 0 {
			flags |= flag
		}
	}
	return flags
}
