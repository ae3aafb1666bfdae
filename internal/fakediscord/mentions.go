package fakediscord

import (
	"regexp"
	"slices"
	"sync"

	"discoclaw/internal/chat"
)

// allowedMentions is the part of a request that limits notifications.
// https://discord.com/developers/docs/resources/message#allowed-mentions-object
type allowedMentions struct {
	Parse       []string      `json:"parse"`
	Users       []chat.UserID `json:"users"`
	Roles       []chat.RoleID `json:"roles"`
	RepliedUser *bool         `json:"replied_user"`
}

// everybody is Discord's default for a request without allowed_mentions.
func everybody() *allowedMentions {
	yes := true
	return &allowedMentions{Parse: []string{"users", "roles", "everyone"}, RepliedUser: &yes}
}

func (a *allowedMentions) user(id chat.UserID) bool {
	return slices.Contains(a.Parse, "users") || slices.Contains(a.Users, id)
}

func (a *allowedMentions) role(id chat.RoleID) bool {
	return slices.Contains(a.Parse, "roles") || slices.Contains(a.Roles, id)
}

var (
	userMention = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<@!?(\d+)>`) })
	roleMention = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<@&(\d+)>`) })
	allMention  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`@(everyone|here)\b`) })
)

// mention sets the mentions of m and its pings. A mention that is not allowed stays text:
// it is neither listed nor does it notify.
func (w *World) mention(m *Message, author *Member, c *Channel, allowed *allowedMentions) {
	if allowed == nil {
		allowed = everybody()
	}
	m.Mentions, m.MentionRoles, m.MentionEveryone, m.Pings = nil, nil, false, nil
	switch m.Type {
	case PollResult:
		m.Mentions = []chat.UserID{m.Author} // whose poll it was
		return
	case DefaultMessage, ReplyMessage:
	default:
		return
	}
	w.mentionUsers(m, allowed)
	w.mentionRoles(m, c, w.permissions(author, c).Has(mentionEveryone), allowed)
	w.ring(m, c)
}

func (w *World) mentionUsers(m *Message, allowed *allowedMentions) {
	answered := w.messages[m.ReplyTo]
	if m.Type == ReplyMessage && answered != nil && allowed.RepliedUser != nil && *allowed.RepliedUser {
		m.Mentions = append(m.Mentions, answered.Author)
	}
	for _, found := range userMention().FindAllStringSubmatch(m.Content, -1) {
		id := chat.UserID(found[1])
		if w.user(id) != nil && allowed.user(id) && !slices.Contains(m.Mentions, id) {
			m.Mentions = append(m.Mentions, id)
		}
	}
}

func (w *World) mentionRoles(m *Message, c *Channel, may bool, allowed *allowedMentions) {
	g := w.guild(c.Guild)
	if !may || g == nil {
		return // no role here is mentionable by all
	}
	for _, found := range roleMention().FindAllStringSubmatch(m.Content, -1) {
		id := chat.RoleID(found[1])
		if g.role(id) != nil && allowed.role(id) && !slices.Contains(m.MentionRoles, id) {
			m.MentionRoles = append(m.MentionRoles, id)
		}
	}
	m.MentionEveryone = slices.Contains(allowed.Parse, "everyone") && allMention().MatchString(m.Content)
}

// ring sets the notified members.
func (w *World) ring(m *Message, c *Channel) {
	if m.Flags&flagSilent != 0 {
		return
	}
	for _, member := range w.audience(c) {
		meant := m.MentionEveryone || slices.Contains(m.Mentions, member.ID) ||
			slices.ContainsFunc(member.Roles, func(r chat.RoleID) bool { return slices.Contains(m.MentionRoles, r) })
		if meant && member.ID != m.Author && w.sees(member, c) {
			m.Pings = append(m.Pings, member.ID)
		}
	}
}

// audience are all members who can see a channel.
func (w *World) audience(c *Channel) []*Member {
	if g := w.guild(c.Guild); g != nil {
		return g.members
	}
	return []*Member{w.user(c.Recipient), w.botMember()}
}
