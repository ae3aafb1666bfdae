package discord

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// wireMessage has the fields of a message that are used. discordgo's own type refuses a whole
// message for one component that it does not know; here they stay undecoded until they are
// needed.
type wireMessage struct {
	ID           string                        `json:"id"`
	Channel      string                        `json:"channel_id"`
	Guild        string                        `json:"guild_id"`
	Type         discordgo.MessageType         `json:"type"`
	Content      string                        `json:"content"`
	Edited       *string                       `json:"edited_timestamp"`
	Author       *discordgo.User               `json:"author"`
	Member       *discordgo.Member             `json:"member"`
	Webhook      string                        `json:"webhook_id"`
	Mentions     []wireMention                 `json:"mentions"`
	Attachments  []discordgo.MessageAttachment `json:"attachments"`
	Embeds       []discordgo.MessageEmbed      `json:"embeds"`
	StickerItems []struct {
		Name string `json:"name"`
	} `json:"sticker_items"`
	Reactions  []discordgo.MessageReactions `json:"reactions"`
	Pinned     bool                         `json:"pinned"`
	Reference  *discordgo.MessageReference  `json:"message_reference"`
	Referenced *wireMessage                 `json:"referenced_message"`
	Components json.RawMessage              `json:"components"`
	Poll       *wirePoll                    `json:"poll"`
	Flags      discordgo.MessageFlags       `json:"flags"`
	Snapshots  []struct {
		Message wireMessage `json:"message"`
	} `json:"message_snapshots"`
}

// wireMention is a user whom a message mentions. Events on a server also have the member.
type wireMention struct {
	discordgo.User
	Member *discordgo.Member `json:"member"`
}

// hasStop reports whether the message is a placeholder, or an answer that is still being written.
func (w wireMessage) hasStop() bool {
	return slices.ContainsFunc(w.buttons(), func(b button) bool { return b.Label == chat.StopLabel })
}

// buttons returns the buttons of the message.
func (w wireMessage) buttons() []button {
	var rows []row
	if json.Unmarshal(w.Components, &rows) != nil {
		return nil // components that the bot never posts
	}
	var list []button
	for _, r := range rows {
		list = append(list, r.Components...)
	}
	return list
}

// message makes a chat.Message of it. The place is the channel's.
func (w wireMessage) message(place chat.Place) chat.Message {
	place.Message = chat.MessageID(w.ID)
	m := chat.Message{
		ID:         place.Message,
		Place:      place,
		Webhook:    w.Webhook != "",
		System:     w.Type != discordgo.MessageTypeDefault && w.Type != discordgo.MessageTypeReply,
		Text:       w.Content,
		Sent:       sentAt(w.ID),
		Pinned:     w.Pinned,
		Buttons:    len(w.Components) > len("[]"),
		Components: strings.Join(componentTexts(w.Components), "\n"),
	}
	m.Unfinished = m.Buttons && w.hasStop()
	if w.Author != nil {
		m.Author = userFrom(*w.Author, w.Member)
	}
	if w.Type == discordgo.MessageTypeReply && w.Reference != nil {
		m.ReplyTo = chat.MessageID(w.Reference.MessageID)
	}
	if w.Referenced != nil && (m.ReplyTo != "" || w.Type == discordgo.MessageTypeThreadStarterMessage) {
		answers := w.Referenced.message(place)
		m.Answers = &answers
	}
	mentioned := chat.Mentioned(w.Content)
	for _, u := range w.Mentions {
		// Discord also lists the author of the message that is replied to. If it withholds the
		// content, its list is all there is.
		if id := chat.UserID(u.ID); w.contentWithheld() || mentioned[id] {
			m.Mentions = append(m.Mentions, id)
		}
	}
	for _, a := range w.Attachments {
		m.Attachments = append(m.Attachments, w.attachment(a))
	}
	for _, s := range w.StickerItems {
		m.StickerNames = append(m.StickerNames, s.Name)
	}
	for _, e := range w.Embeds {
		m.Embeds = append(m.Embeds, embedFrom(e))
	}
	if w.Poll != nil {
		m.Poll = w.Poll.poll()
	}
	m.Forwards = w.forwarded()
	for _, r := range w.Reactions {
		if r.Emoji != nil {
			m.Reactions = append(m.Reactions, chat.Reaction{Emoji: chat.Emoji(r.Emoji.APIName()), Count: r.Count, Mine: r.Me})
		}
	}
	return m
}

// forwarded is the message that this one forwards, or nil. Discord sends one snapshot at most. A secret in it is
// taken out here, before anybody can write it down.
func (w wireMessage) forwarded() *chat.Message {
	if w.Reference == nil || w.Reference.Type != discordgo.MessageReferenceTypeForward || len(w.Snapshots) == 0 {
		return nil
	}
	m := w.Snapshots[0].Message.message(chat.Place{})
	if _, secret := chat.CutSecret(m.Text); secret {
		m.Text = "(a secret, told to the bot alone)"
	}
	return &m
}

func (w wireMessage) attachment(a discordgo.MessageAttachment) chat.Attachment {
	file := chat.Attachment{Name: a.Filename, Type: a.ContentType, Size: a.Size, URL: a.URL}
	if w.Flags&discordgo.MessageFlagsIsVoiceMessage != 0 {
		file.Spoken = max(time.Second, time.Duration(a.DurationSecs)*time.Second)
	}
	return file
}

// contentWithheld reports whether Discord withholds the content of the message, as it does from bots
// without the Message Content intent.
func (w wireMessage) contentWithheld() bool {
	written := w.Type == discordgo.MessageTypeDefault || w.Type == discordgo.MessageTypeReply
	return written && w.Content == "" && len(w.Attachments)+len(w.Embeds)+len(w.StickerItems) == 0 && w.Poll == nil && len(w.Components) <= len("[]") && len(w.Snapshots) == 0
}

// sentAt returns when a message was written or a channel made, by its ID.
func sentAt(id string) time.Time {
	t, err := discordgo.SnowflakeTimestamp(id)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

func embedFrom(e discordgo.MessageEmbed) chat.Embed {
	out := chat.Embed{Title: e.Title, Description: e.Description, URL: e.URL}
	if e.Footer != nil {
		out.Footer = e.Footer.Text
	}
	if e.Author != nil {
		out.Author = e.Author.Name
	}
	for _, f := range e.Fields {
		if f != nil {
			out.Fields = append(out.Fields, chat.EmbedField{Name: f.Name, Value: f.Value})
		}
	}
	return out
}

// userFrom uses the name that members see. m may be nil.
func userFrom(u discordgo.User, m *discordgo.Member) chat.User {
	nick := ""
	if m != nil {
		nick = m.Nick
	}
	return chat.User{ID: chat.UserID(u.ID), Name: cmp.Or(nick, u.GlobalName, u.Username), Handle: u.Username, Bot: u.Bot}
}

func memberFrom(m discordgo.Member) chat.Member {
	out := chat.Member{Nickname: m.Nick, Joined: m.JoinedAt}
	if m.User != nil {
		out.User, out.DisplayName = userFrom(*m.User, &m), m.User.GlobalName
	}
	for _, r := range m.Roles {
		out.Roles = append(out.Roles, chat.RoleID(r))
	}
	if m.CommunicationDisabledUntil != nil {
		out.TimedOutUntil = *m.CommunicationDisabledUntil
	}
	return out
}

// kinds are the channel types that chat has names for.
var kinds = map[discordgo.ChannelType]chat.Kind{
	discordgo.ChannelTypeGuildText:          chat.TextChannel,
	discordgo.ChannelTypeGuildNews:          chat.Announcements,
	discordgo.ChannelTypeGuildNewsThread:    chat.Thread,
	discordgo.ChannelTypeGuildPublicThread:  chat.Thread,
	discordgo.ChannelTypeGuildPrivateThread: chat.Thread,
	discordgo.ChannelTypeGuildForum:         chat.Forum,
	discordgo.ChannelTypeGuildMedia:         chat.Media,
	discordgo.ChannelTypeGuildVoice:         chat.Voice,
	discordgo.ChannelTypeGuildStageVoice:    chat.Stage,
	discordgo.ChannelTypeGuildCategory:      chat.CategoryKind,
	discordgo.ChannelTypeDM:                 chat.DirectMessage,
}

// wireChannel adds the time at which a thread was started to discordgo's type. One on a message
// has that message's ID, which may be much older. For threads from before 2022, it is
// unknown.
// https://discord.com/developers/docs/resources/channel#thread-metadata-object
type wireChannel struct {
	discordgo.Channel
	Thread *struct {
		discordgo.ThreadMetadata
		Created *time.Time `json:"create_timestamp"`
	} `json:"thread_metadata"` // instead of the Channel's
}

// flagObfuscated marks a channel that the bot cannot see: Discord sends its ID, and false values
// for the rest.
const flagObfuscated discordgo.ChannelFlags = 1 << 17

// channelFrom makes a channel of guild g, which descriptions of a whole server
// leave out of its channels.
func channelFrom(w wireChannel, g chat.GuildID) channel {
	kind, known := kinds[w.Type]
	if !known {
		kind = chat.OtherKind
	}
	ch := channel{Channel: chat.Channel{
		ID:          chat.ChannelID(w.ID),
		Guild:       g,
		Name:        w.Name,
		Kind:        kind,
		Parent:      chat.ChannelID(w.ParentID),
		Topic:       w.Topic,
		Position:    w.Position,
		Private:     w.Type == discordgo.ChannelTypeGuildPrivateThread,
		Created:     sentAt(w.ID),
		AppliedTags: w.AppliedTags,
		Slowmode:    time.Duration(w.RateLimitPerUser) * time.Second,
		Limit:       w.UserLimit,
	}, last: lastMessage{latest: chat.MessageID(w.LastMessageID)}}
	for _, t := range w.AvailableTags {
		ch.Tags = append(ch.Tags, tagFrom(t))
	}
	if w.Flags&flagObfuscated != 0 {
		ch.Name = "" // it is the same for all of them
	}
	ch.letters = chat.Letters(ch.Name)
	if w.LastMessageID != "" {
		ch.Active = sentAt(w.LastMessageID)
	}
	if w.Thread != nil {
		ch.Archived, ch.locked = w.Thread.Archived, w.Thread.Locked
		ch.Owner, ch.ArchivedAt = chat.UserID(w.OwnerID), w.Thread.ArchiveTimestamp.UTC()
		ch.ArchiveAfter = time.Duration(w.Thread.AutoArchiveDuration) * time.Minute
	}
	if w.Thread != nil && w.Thread.Created != nil {
		ch.Created = w.Thread.Created.UTC()
	}
	ch.joined = w.Member != nil
	for _, o := range w.PermissionOverwrites {
		if o == nil {
			continue
		}
		rule := overwrite{allow: o.Allow, deny: o.Deny}
		if o.Type == discordgo.PermissionOverwriteTypeMember {
			rule.member = chat.UserID(o.ID)
		} else {
			rule.role = chat.RoleID(o.ID)
		}
		ch.overwrites = append(ch.overwrites, rule)
	}
	return ch
}

func tagFrom(w discordgo.ForumTag) chat.Tag {
	t := chat.Tag{ID: w.ID, Name: w.Name, Emoji: chat.Emoji(w.EmojiName), Moderated: w.Moderated}
	if w.EmojiID != "" {
		t.Emoji = chat.Emoji(":" + w.EmojiID)
	}
	return t
}

// wireGuild has the fields of a server's description that are used.
type wireGuild struct {
	ID          string             `json:"id"`
	Name        string             `json:"name"`
	Unavailable bool               `json:"unavailable"`
	Owner       string             `json:"owner_id"`
	Boost       int                `json:"premium_tier"`
	Size        int                `json:"member_count"`
	Roles       []discordgo.Role   `json:"roles"`
	Channels    []wireChannel      `json:"channels"`
	Threads     []wireChannel      `json:"threads"`
	Members     []discordgo.Member `json:"members"`
	Voices      []wireVoice        `json:"voice_states"`
}

// guild makes a cache entry of it. self is the bot's ID.
func (w wireGuild) guild(self chat.UserID) *guild {
	id := chat.GuildID(w.ID)
	g := &guild{
		name:     w.Name,
		owner:    chat.UserID(w.Owner),
		boost:    w.Boost,
		size:     w.Size,
		roles:    rolesFrom(id, w.Roles),
		channels: map[chat.ChannelID]channel{},
	}
	for _, list := range [][]wireChannel{w.Channels, w.Threads} {
		for _, ch := range list {
			known := channelFrom(ch, id)
			known.last.known = true
			g.channels[known.ID] = known
		}
	}
	for _, m := range w.Members {
		if m.User != nil && chat.UserID(m.User.ID) == self {
			bot := memberFrom(m)
			g.bot = &bot
		}
	}
	return g
}

func rolesFrom(g chat.GuildID, list []discordgo.Role) map[chat.RoleID]role {
	roles := map[chat.RoleID]role{}
	for _, r := range list {
		roles[chat.RoleID(r.ID)] = roleFrom(g, r)
	}
	return roles
}
