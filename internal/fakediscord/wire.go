package fakediscord

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// An object is a JSON object as Discord sends it. The functions in this file encode the
// world's values, with every field that Discord's own description of its API requires.
type object = map[string]any

// timestamp is how Discord writes times.
func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000+00:00") }

// orNull writes a time, or null for none.
func orNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return timestamp(t)
}

// idOrNull writes an ID, or null for none.
func idOrNull[T ~string](id T) any {
	if id == "" {
		return nil
	}
	return id
}

// list writes a slice that is never null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func (w *World) userJSON(m *Member) object {
	o := object{
		"id": m.ID, "username": strings.ToLower(m.Name), "discriminator": "0", "global_name": cmp.Or(m.Display, m.Name),
		"avatar": nil, "flags": 0, "public_flags": 0, "primary_guild": nil,
	}
	if m.Bot {
		o["bot"], o["username"], o["global_name"] = true, m.Name, nil
	}
	return o
}

// memberPart is a member without the user, as it stands in events.
func (w *World) memberPart(m *Member) object {
	return object{
		"roles": list(m.Roles), "nick": idOrNull(m.Nick), "joined_at": timestamp(m.Joined),
		"communication_disabled_until": orNull(m.TimedOutUntil), "premium_since": nil,
		"avatar": nil, "banner": nil, "flags": 0, "pending": false, "mute": false, "deaf": false,
	}
}

func (w *World) memberJSON(m *Member) object {
	o := w.memberPart(m)
	o["user"] = w.userJSON(m)
	return o
}

func (w *World) roleJSON(r *Role) object {
	o := object{
		"id": r.ID, "name": r.Name, "permissions": r.Permissions.wire(), "position": r.Position,
		"color": r.Color, "colors": object{"primary_color": r.Color, "secondary_color": nil, "tertiary_color": nil},
		"hoist": r.Hoist, "managed": r.Managed, "mentionable": r.Mentionable, "icon": nil, "unicode_emoji": nil, "flags": 0,
	}
	if r.Managed {
		o["tags"] = object{"bot_id": w.bot}
	}
	return o
}

func (w *World) channelJSON(c *Channel) object {
	switch {
	case c.Type == DMChannel:
		return object{
			"id": c.ID, "type": int(c.Type), "flags": 0, "last_message_id": w.lastMessage(c),
			"recipients": []object{w.userJSON(w.user(c.Recipient))},
		}
	case c.Type.IsThread():
		return w.threadJSON(c)
	}
	o := object{
		"id": c.ID, "type": int(c.Type), "guild_id": c.Guild, "name": c.Name, "position": c.Position, "flags": c.flags(),
		"parent_id": idOrNull(c.Parent), "permission_overwrites": overwritesJSON(c.Overwrites),
	}
	if c.Type != CategoryChannel {
		o["topic"], o["nsfw"], o["rate_limit_per_user"] = idOrNull(c.Topic), c.Adults, c.Slowmode
		o["last_message_id"] = w.lastMessage(c)
	}
	if !c.LastPin.IsZero() {
		o["last_pin_timestamp"] = timestamp(c.LastPin)
	}
	if c.Type == ForumChannel {
		o["available_tags"], o["default_forum_layout"] = tagsJSON(c.Tags), 0
		o["default_reaction_emoji"], o["default_sort_order"] = nil, nil
	}
	if c.Type.isVocal() {
		o["bitrate"], o["user_limit"], o["rtc_region"] = 64000, c.UserLimit, nil
	}
	return o
}

func overwritesJSON(all []Overwrite) []object {
	out := []object{}
	for _, o := range all {
		entry := object{"id": string(o.Role), "type": 0, "allow": o.Allow.wire(), "deny": o.Deny.wire()}
		if o.Member != "" {
			entry["id"], entry["type"] = string(o.Member), 1
		}
		out = append(out, entry)
	}
	return out
}

func (w *World) threadJSON(c *Channel) object {
	o := object{
		"id": c.ID, "type": int(c.Type), "guild_id": c.Guild, "parent_id": c.Parent, "name": c.Name, "flags": c.Flags,
		"owner_id": c.Owner, "last_message_id": w.lastMessage(c), "rate_limit_per_user": c.Slowmode,
		"message_count": max(0, len(w.public(c))-w.starters(c)), "total_message_sent": c.Sent,
		"member_count": min(len(c.Members), 50), // Discord's count stops there
		"thread_metadata": object{
			"archived": c.Archived, "archive_timestamp": timestamp(c.ArchivedAt), "locked": c.Locked,
			"auto_archive_duration": c.AutoArchive, "create_timestamp": timestamp(c.Created),
		},
	}
	if c.Type == PrivateThread {
		o["thread_metadata"].(object)["invitable"] = !c.NoInvites
	}
	if w.channels[c.Parent].Type == ForumChannel {
		o["applied_tags"] = list(c.AppliedTags)
	}
	for _, id := range c.Members {
		if id == w.bot {
			o["member"] = w.threadMemberJSON(c, id)
		}
	}
	return o
}

func (w *World) threadMemberJSON(c *Channel, id chat.UserID) object {
	return object{"id": c.ID, "user_id": id, "join_timestamp": timestamp(c.Created), "flags": 0}
}

// starters is the number of messages of a thread that are not counted: the first of a
// forum's post.
func (w *World) starters(c *Channel) int {
	if m := w.messages[chat.MessageID(c.ID)]; m != nil && m.Channel == c.ID {
		return 1
	}
	return 0
}

func (w *World) lastMessage(c *Channel) any {
	if all := w.public(c); len(all) > 0 {
		return all[len(all)-1].ID
	}
	return nil
}

// messageJSON is a message with the one it replies to.
func (w *World) messageJSON(m *Message) object {
	o := w.plainMessageJSON(m)
	if m.Type == ReplyMessage || m.Type == ThreadStarter {
		o["referenced_message"] = nil
		if answered := w.messages[m.ReplyTo]; answered != nil {
			o["referenced_message"] = w.plainMessageJSON(answered)
		}
	}
	return o
}

func (w *World) plainMessageJSON(m *Message) object {
	author, embeds := w.user(m.Author), w.embedsJSON(m.Channel, m.Embeds, m.Attachments)
	if m.Type == PollResult && len(embeds) > 0 {
		embeds[0].Type = "poll_result"
	}
	o := object{
		"id": m.ID, "channel_id": m.Channel, "type": int(m.Type), "content": m.Content, "flags": m.Flags,
		"author": w.userJSON(author), "timestamp": timestamp(m.Sent), "edited_timestamp": orNull(m.Edited),
		"mentions": w.usersJSON(m.Mentions), "mention_roles": list(m.MentionRoles), "mention_everyone": m.MentionEveryone,
		"attachments": w.attachmentsJSON(m.Channel, loose(m.Attachments, m.Embeds)), "embeds": embeds, "components": list(m.Components),
		"pinned": !m.Pinned.IsZero(), "tts": false,
	}
	if m.Poll != nil {
		o["poll"] = pollJSON(m.Poll, w.now())
	}
	if len(m.Stickers) > 0 {
		o["sticker_items"] = stickersJSON(m.Stickers)
	}
	if len(m.Reactions) > 0 {
		o["reactions"] = w.reactionsJSON(m)
	}
	if author.ID == w.bot && w.app != "" {
		o["application_id"] = w.app
	}
	if m.ReplyPlace != "" {
		ref := object{"type": 0, "channel_id": m.ReplyPlace, "message_id": m.ReplyTo}
		if m.Forwarded != nil {
			ref["type"], o["message_snapshots"] = 1, []object{{"message": w.snapshotJSON(m)}}
		}
		if m.ReplyTo == "" {
			delete(ref, "message_id")
		}
		if g := w.channels[m.Channel].Guild; g != "" {
			ref["guild_id"] = g
		}
		o["message_reference"] = ref
	}
	if thread := w.channels[m.Thread]; thread != nil {
		o["thread"] = w.threadJSON(thread)
	}
	if m.Webhook != "" {
		o["webhook_id"] = m.Webhook
	}
	if m.Interaction != nil {
		o["webhook_id"], o["interaction_metadata"] = w.app, w.interactionMetadata(m, *m.Interaction)
	}
	return o
}

// snapshotJSON is what a message forwards. Its author and place are left out.
func (w *World) snapshotJSON(m *Message) object {
	s := m.Forwarded
	o := object{
		"type": int(DefaultMessage), "content": s.Content, "flags": s.Flags, "timestamp": timestamp(s.Sent), "edited_timestamp": nil,
		"mentions": []object{}, "mention_roles": []string{},
		"attachments": w.attachmentsJSON(m.ReplyPlace, loose(s.Attachments, s.Embeds)), "embeds": w.embedsJSON(m.ReplyPlace, s.Embeds, s.Attachments), "components": list(s.Components),
	}
	if len(s.Stickers) > 0 {
		o["sticker_items"] = stickersJSON(s.Stickers)
	}
	return o
}

func stickersJSON(names []string) []object {
	out := []object{}
	for i, name := range names {
		out = append(out, object{"id": strconv.Itoa(i + 1), "name": name, "format_type": 1})
	}
	return out
}

func (w *World) usersJSON(ids []chat.UserID) []object {
	out := []object{}
	for _, id := range ids {
		out = append(out, w.userJSON(w.user(id)))
	}
	return out
}

func (w *World) attachmentsJSON(in chat.ChannelID, all []Attachment) []object {
	out := []object{}
	for _, a := range all {
		address := w.attachmentAddress(in, a)
		o := object{
			"id": a.ID, "filename": a.Name, "size": len(a.Data), "url": address, "proxy_url": address,
			"content_type": a.Type,
		}
		if a.Description != "" {
			o["description"] = a.Description
		}
		if a.isSpoiler() {
			o["flags"] = attachmentSpoiler
		}
		if width, height, isPicture := a.size(); isPicture {
			o["width"], o["height"] = width, height
		}
		if a.Seconds > 0 {
			o["duration_secs"], o["waveform"] = float64(a.Seconds), "AA=="
		}
		out = append(out, o)
	}
	return out
}

func (w *World) reactionsJSON(m *Message) []object {
	out := []object{}
	for _, r := range m.Reactions {
		mine := false
		for _, u := range r.Users {
			mine = mine || u == w.bot
		}
		out = append(out, object{
			"emoji": w.emojiJSON(chat.Emoji(r.Emoji)), "count": len(r.Users), "me": mine,
			"count_details": object{"burst": 0, "normal": len(r.Users)}, "burst_colors": []string{}, "me_burst": false,
		})
	}
	return out
}

// emojiJSON tells Unicode emoji from name:id.
func (w *World) emojiJSON(e chat.Emoji) object {
	if name, id, custom := strings.Cut(string(e), ":"); custom {
		o := object{"id": id, "name": name}
		if known := w.custom(id); known != nil && known.Animated {
			o["animated"] = true
		}
		return o
	}
	return object{"id": nil, "name": string(e)}
}
