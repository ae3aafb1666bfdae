package fakediscord

import (
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// searchMessages finds messages by their words, newest first, in all channels that the bot may read,
// or in some of them and their threads. Discord's index knows stems; here a word of the query begins a word
// of the message.
// https://discord.com/developers/docs/resources/message#search-guild-messages
func searchMessages(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	if by := c.param("sort_by"); by != "" && by != "timestamp" {
		return answer{}, notBuiltError("the parameter sort_by=" + by)
	}
	in := c.params("channel_id")
	if len(in) > 500 {
		return answer{}, invalid("channel_id", "BASE_TYPE_MAX_LENGTH", "Must be 500 or fewer in length.")
	}
	limit, err := c.number("limit", 25, 1, 25)
	if err != nil {
		return answer{}, err
	}
	before, err := c.snowflake("max_id")
	if err != nil {
		return answer{}, err
	}
	after, err := c.snowflake("min_id")
	if err != nil {
		return answer{}, err
	}
	by := c.params("author_id")
	words := strings.Fields(chat.Words(c.param("content")))
	var found []*Message
	for _, ch := range c.searched(in) {
		for _, m := range c.public(ch) {
			old, new := before != "" && compareIDs(string(m.ID), before) >= 0, after != "" && compareIDs(string(m.ID), after) <= 0
			if !old && !new && hasWords(m.Content, words) && (len(by) == 0 || slices.Contains(by, string(m.Author))) {
				found = append(found, m)
			}
		}
	}
	slices.SortFunc(found, func(a, b *Message) int { return compareIDs(string(b.ID), string(a.ID)) })
	if c.param("sort_order") == "asc" {
		slices.Reverse(found)
	}
	page, threads, members := [][]object{}, []object{}, []object{}
	told := map[chat.ChannelID]bool{}
	for _, m := range found[:min(limit, len(found))] {
		ch := c.channels[m.Channel]
		hit := c.readable(ch, m)
		delete(hit, "reactions")
		hit["hit"] = true
		page = append(page, []object{hit})
		if ch.Type.IsThread() && !told[ch.ID] {
			told[ch.ID] = true
			threads = append(threads, c.threadJSON(ch))
			if slices.Contains(ch.Members, c.bot.ID) {
				members = append(members, c.threadMemberJSON(ch, c.bot.ID))
			}
		}
	}
	return ok(object{"messages": page, "threads": threads, "members": members, "total_results": len(found), "doing_deep_historical_index": false})
}

// searched are the channels of a search: those that the bot may read, of the given ones if there are
// any, with their threads.
func (c *call) searched(in []string) []*Channel {
	var list []*Channel
	for _, id := range c.channelOrder {
		ch := c.channels[id]
		chosen := len(in) == 0 || slices.Contains(in, string(ch.ID)) || ch.Type.IsThread() && slices.Contains(in, string(ch.Parent))
		if chosen && ch.Guild == c.guild.ID && c.sees(c.bot, ch) && c.permissions(c.bot, ch).Has(readHistory) {
			list = append(list, ch)
		}
	}
	return list
}

// hasWords reports whether each of the words begins a word of a text.
func hasWords(text string, words []string) bool {
	text = " " + chat.Words(text)
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, " "+word) })
}
