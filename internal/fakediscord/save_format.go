package fakediscord

import (
	"fmt"
	"strconv"
	"time"

	"discoclaw/internal/chat"
)

// What a world file says first, so that nothing else is taken for one. The version
// rises when a file can no longer be read as before.
const (
	savedFormat  = "discoclaw world"
	savedVersion = 1
)

// A savedWorld is a world file. What has no value is left out of it.
type savedWorld struct {
	Format   string         `json:"format"`
	Version  int            `json:"version"`
	LastID   string         `json:"lastId"` // the last that was given to anything, also to what is gone
	Guild    savedGuild     `json:"guild"`
	Guilds   []savedGuild   `json:"moreGuilds,omitempty"` // what does not say which guild is its own belongs to the first
	Roles    []savedRole    `json:"roles"`                // the one that everyone has first
	Members  []savedMember  `json:"members"`
	Channels []savedChannel `json:"channels"`

	Events   []savedEvent      `json:"events,omitempty"` // oldest first, as the lists below
	Invites  []savedInvite     `json:"invites,omitempty"`
	AuditLog []savedAuditEntry `json:"auditLog,omitempty"`
	Emojis   []savedEmoji      `json:"emojis,omitempty"`
	Webhooks []savedWebhook    `json:"webhooks,omitempty"`
}

type savedGuild struct {
	ID                    chat.GuildID `json:"id"`
	Name                  string       `json:"name"`
	Owner                 chat.UserID  `json:"owner"`
	Bot                   chat.UserID  `json:"bot"`
	WithoutMessageContent bool         `json:"withoutMessageContent,omitempty"`
	WithoutMemberList     bool         `json:"withoutMemberList,omitempty"`
}

type savedRole struct {
	ID          chat.RoleID  `json:"id"`
	Guild       chat.GuildID `json:"guild,omitempty"`
	Name        string       `json:"name"`
	Position    int          `json:"position"`
	Managed     bool         `json:"managed,omitempty"`
	Color       int          `json:"color,omitempty"`
	Hoist       bool         `json:"hoist,omitempty"`
	Mentionable bool         `json:"mentionable,omitempty"`
	Permissions []string     `json:"permissions,omitempty"`
}

type savedMember struct {
	ID            chat.UserID   `json:"id"`
	Guild         chat.GuildID  `json:"guild,omitempty"`
	Name          string        `json:"name"`
	Nick          string        `json:"nick,omitempty"`
	Bot           bool          `json:"bot,omitempty"`
	Roles         []chat.RoleID `json:"roles,omitempty"`
	Joined        time.Time     `json:"joined,omitzero"`
	TimedOutUntil time.Time     `json:"timedOutUntil,omitzero"`
	NoDMs         bool          `json:"noDMs,omitempty"`
	Left          bool          `json:"left,omitempty"`
	Banned        bool          `json:"banned,omitempty"`
	BanReason     string        `json:"banReason,omitempty"`
}

type savedChannel struct {
	ID          chat.ChannelID   `json:"id"`
	Guild       chat.GuildID     `json:"guild,omitempty"`
	Type        savedKind        `json:"type"`
	Name        string           `json:"name"`
	Topic       string           `json:"topic,omitempty"`
	Parent      chat.ChannelID   `json:"parent,omitempty"`
	Position    int              `json:"position"`
	Overwrites  []savedOverwrite `json:"overwrites,omitempty"`
	Rules       bool             `json:"rules,omitempty"`
	Tags        []savedTag       `json:"tags,omitempty"`
	UserLimit   int              `json:"userLimit,omitempty"`
	RequireTag  bool             `json:"requireTag,omitempty"`
	AppliedTags []string         `json:"appliedTags,omitempty"`
	Owner       chat.UserID      `json:"owner,omitempty"`
	Members     []chat.UserID    `json:"members,omitempty"`
	Created     time.Time        `json:"created,omitzero"`
	Archived    bool             `json:"archived,omitempty"`
	Locked      bool             `json:"locked,omitempty"`
	ArchivedAt  time.Time        `json:"archivedAt,omitzero"`
	AutoArchive int              `json:"autoArchive,omitempty"`
	Sent        int              `json:"sent,omitempty"`
	Recipient   chat.UserID      `json:"recipient,omitempty"`
	LastPin     time.Time        `json:"lastPin,omitzero"`
	Messages    []savedMessage   `json:"messages,omitempty"` // oldest first
}

type savedOverwrite struct {
	Role   chat.RoleID `json:"role,omitempty"`
	Member chat.UserID `json:"member,omitempty"`
	Allow  []string    `json:"allow,omitempty"`
	Deny   []string    `json:"deny,omitempty"`
}

type savedTag struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Emoji     string `json:"emoji,omitempty"`
	Moderated bool   `json:"moderated,omitempty"`
}

type savedMessage struct {
	ID              chat.MessageID    `json:"id"`
	Author          chat.UserID       `json:"author"`
	Type            savedCause        `json:"type,omitempty"`
	Content         string            `json:"content,omitempty"`
	Sent            time.Time         `json:"sent"`
	Edited          time.Time         `json:"edited,omitzero"`
	Pinned          time.Time         `json:"pinned,omitzero"`
	Flags           int               `json:"flags,omitempty"`
	Nonce           string            `json:"nonce,omitempty"`
	ReplyTo         chat.MessageID    `json:"replyTo,omitempty"`
	ReplyPlace      chat.ChannelID    `json:"replyPlace,omitempty"`
	Embeds          []Embed           `json:"embeds,omitempty"`
	Components      []Component       `json:"components,omitempty"`
	Attachments     []savedAttachment `json:"attachments,omitempty"`
	Reactions       []savedReaction   `json:"reactions,omitempty"`
	Poll            *savedPoll        `json:"poll,omitempty"`
	Thread          chat.ChannelID    `json:"thread,omitempty"`
	OnlyFor         chat.UserID       `json:"onlyFor,omitempty"`
	Mentions        []chat.UserID     `json:"mentions,omitempty"`
	MentionRoles    []chat.RoleID     `json:"mentionRoles,omitempty"`
	MentionEveryone bool              `json:"mentionEveryone,omitempty"`
	Pings           []chat.UserID     `json:"pings,omitempty"`
	Interaction     *savedInteraction `json:"interaction,omitempty"`
}

type savedAttachment struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Type        string `json:"type,omitempty"`
	Description string `json:"description,omitempty"`
	Data        []byte `json:"data,omitempty"` // base64
}

type savedReaction struct {
	Emoji string        `json:"emoji"` // not a chat.Emoji, which reads what people write
	Users []chat.UserID `json:"users"`
}

// A savedInteraction is the pressed button that a message answers.
type savedInteraction struct {
	ID      string         `json:"id"`
	User    chat.UserID    `json:"user"`
	Message chat.MessageID `json:"message"`
}

// A savedKind is the kind of a channel in words.
type savedKind ChannelType

// savedKinds are the words. A kind without one is written as its number.
var savedKinds = map[savedKind]string{
	savedKind(TextChannel): "text", savedKind(DMChannel): "direct message", savedKind(VoiceChannel): "voice",
	savedKind(CategoryChannel): "category", savedKind(AnnouncementChannel): "announcement",
	savedKind(AnnouncementThread): "announcement thread", savedKind(PublicThread): "thread",
	savedKind(PrivateThread): "private thread", savedKind(StageChannel): "stage", savedKind(ForumChannel): "forum",
}

func (k savedKind) MarshalText() ([]byte, error) { return word(savedKinds, k), nil }

func (k *savedKind) UnmarshalText(text []byte) error {
	return fromWord(savedKinds, text, k, "kind of channel")
}

// A savedCause is the type of a message in words.
type savedCause MessageType

var savedCauses = map[savedCause]string{
	savedCause(DefaultMessage): "message", savedCause(NameChange): "rename notice", savedCause(PinNotice): "pin notice", savedCause(ThreadCreated): "thread notice",
	savedCause(CommandAnswer): "command answer",
	savedCause(ReplyMessage):  "reply", savedCause(ThreadStarter): "thread starter",
}

func (c savedCause) MarshalText() ([]byte, error) { return word(savedCauses, c), nil }

func (c *savedCause) UnmarshalText(text []byte) error {
	return fromWord(savedCauses, text, c, "type of message")
}

func word[K ~int](words map[K]string, k K) []byte {
	if w, ok := words[k]; ok {
		return []byte(w)
	}
	return strconv.AppendInt(nil, int64(k), 10)
}

func fromWord[K ~int](words map[K]string, text []byte, to *K, what string) error {
	for k, w := range words {
		if w == string(text) {
			*to = k
			return nil
		}
	}
	n, err := strconv.ParseUint(string(text), 10, 16)
	if err != nil {
		return fmt.Errorf("%q is no %s", chat.Clip(string(text), 40), what)
	}
	*to = K(n)
	return nil
}
