package fakediscord

import (
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/fakegateway"
)

// Limits of members over the gateway.
// https://discord.com/developers/docs/events/gateway-events#request-guild-members
const (
	defaultLarge = 50 // members, above which a session gets only some
	maxChunk     = 1000
	maxFound     = 100 // by name, or by ID
	maxRequested = 32  // bytes of a nonce; a longer one is ignored
)

// firstMembers are those of GUILD_CREATE: with the presences intent all of a small guild, and of a large one those who have a role, a nickname
// or are in voice, since members have no presence here; without it those in voice, and always the bot.
func (w *World) firstMembers(g *guild) []object {
	some := []object{}
	for _, m := range g.current() {
		_, talks := g.voice[m.ID]
		known := g.count() <= w.large || len(m.Roles) > 0 || m.Nick != ""
		if m.ID == w.bot || talks || w.intents&intentPresences != 0 && known {
			some = append(some, w.memberJSON(m))
		}
	}
	return some
}

// answerMembers answers a request for members with chunks. Discord leaves a request unanswered that is for all members
// without the intent for them, or about a guild that is not the session's.
func (w *World) answerMembers(want fakegateway.MembersRequest) []fakegateway.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(want.Guilds) != 1 {
		return nil
	}
	g := w.guild(chat.GuildID(want.Guilds[0]))
	all := want.Users == nil && want.Query == ""
	if g == nil || !w.tells(g) || !want.Shard.Has(string(g.ID)) || all && want.Intents&intentMembers == 0 {
		return nil
	}
	found, missing := g.requested(want)
	var events []fakegateway.Event
	pages := slices.Collect(slices.Chunk(found, maxChunk))
	if len(pages) == 0 {
		pages = [][]*Member{nil}
	}
	for i, page := range pages {
		o := object{"guild_id": g.ID, "members": w.membersJSON(page), "chunk_index": i, "chunk_count": len(pages)}
		if len(missing) > 0 {
			o["not_found"] = missing
		}
		if want.Presences && want.Intents&intentPresences != 0 {
			o["presences"] = []any{}
		}
		if want.Nonce != "" && len(want.Nonce) <= maxRequested {
			o["nonce"] = want.Nonce
		}
		events = append(events, fakegateway.Event{Name: "GUILD_MEMBERS_CHUNK", Data: o})
	}
	return events
}

// requested are the members that a request is about, and the IDs that are of none.
func (g *guild) requested(want fakegateway.MembersRequest) (found []*Member, missing []string) {
	for _, id := range want.Users {
		if m := g.person(chat.UserID(id)); m != nil && !m.Left && len(found) < maxFound {
			found = append(found, m)
		} else {
			missing = append(missing, id)
		}
	}
	if want.Users != nil {
		return found, missing
	}
	most := want.Limit
	if query := strings.ToLower(want.Query); query != "" {
		found = g.named(query)
		most = min(max(most, 1), maxFound)
	} else if found = g.current(); most == 0 {
		most = len(found)
	}
	return found[:min(most, len(found))], nil
}

func (w *World) membersJSON(members []*Member) []object {
	out := []object{}
	for _, m := range members {
		out = append(out, w.memberJSON(m))
	}
	return out
}

// answerSounds answers a request for the soundboards of guilds, which have none.
func (w *World) answerSounds(guilds []string, of fakegateway.Shard) (events []fakegateway.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range guilds {
		if g := w.guild(chat.GuildID(id)); g != nil && w.tells(g) && of.Has(id) {
			events = append(events, fakegateway.Event{Name: "SOUNDBOARD_SOUNDS", Data: object{"guild_id": g.ID, "soundboard_sounds": []any{}}})
		}
	}
	return events
}
