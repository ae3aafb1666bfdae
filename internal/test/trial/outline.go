package trial

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// A snapshot is the state of the server at one moment.
type snapshot struct {
	said        []string                  // messages as in a transcript
	server      []string                  // one line per channel, role, member, event and invite
	botMessages map[chat.MessageID]string // contents of the bot's messages
}

func (k *kit) snapshot() snapshot {
	state := k.world.State()
	s := snapshot{server: outline(&state), botMessages: map[chat.MessageID]string{}}
	for line := range strings.Lines(k.Readable(k.world.Transcript())) {
		if n := len(s.said); n > 0 && strings.HasPrefix(line, "  ") {
			s.said[n-1] += line
			continue
		}
		s.said = append(s.said, line)
	}
	for _, place := range state.Channels {
		for _, m := range place.Messages {
			if m.Author == state.Guild.Bot {
				s.botMessages[m.ID] = m.Content
			}
		}
	}
	return s
}

// without returns the lines of a list that are not in another one.
func without(list, other []string) []string {
	left := slices.Clone(other)
	return slices.DeleteFunc(slices.Clone(list), func(line string) bool {
		i := slices.Index(left, line)
		if i >= 0 {
			left = slices.Delete(left, i, i+1)
		}
		return i >= 0
	})
}

// outline describes channels, roles, members, events and invites.
func outline(s *fakediscord.State) []string {
	n := namer{s}
	var lines []string
	for _, c := range s.Channels {
		if c.Type != fakediscord.DMChannel {
			lines = append(lines, n.channelLine(c.Channel))
		}
	}
	for _, r := range s.Roles {
		lines = append(lines, fmt.Sprintf("role %s: position %d%s, %s", r.Name, r.Position, optional(", color #%06x", r.Color), r.Permissions))
	}
	for _, m := range s.Members {
		lines = append(lines, n.memberLine(m))
	}
	for _, e := range s.Events {
		lines = append(lines, fmt.Sprintf("event %s: %s%s%s%s", e.Name, e.Start.Format(time.RFC3339), optional(" in %s", n.channel(e.Channel)), optional(" at %s", e.Location), optional(", %s", e.Description)))
	}
	for _, i := range s.Invites {
		lines = append(lines, fmt.Sprintf("invite %s to %s: for %d seconds and %d uses", i.Code, n.channel(i.Channel), i.MaxAge, i.MaxUses))
	}
	return lines
}

// optional formats a value, unless it is empty.
func optional[T comparable](format string, v T) string {
	var empty T
	if v == empty {
		return ""
	}
	return fmt.Sprintf(format, v)
}

// A namer finds names for IDs.
type namer struct{ *fakediscord.State }

func (n namer) channel(id chat.ChannelID) string {
	for _, c := range n.Channels {
		if c.ID == id {
			return c.Name
		}
	}
	return ""
}

var kinds = map[fakediscord.ChannelType]string{
	fakediscord.TextChannel: "channel", fakediscord.VoiceChannel: "voice channel", fakediscord.CategoryChannel: "category",
	fakediscord.AnnouncementChannel: "announcement channel", fakediscord.StageChannel: "stage", fakediscord.ForumChannel: "forum",
	fakediscord.PublicThread: "thread", fakediscord.PrivateThread: "private thread", fakediscord.AnnouncementThread: "thread",
}

func (n namer) channelLine(c fakediscord.Channel) string {
	line := fmt.Sprintf("%s %s:%s position %d%s", kinds[c.Type], c.Name, optional(" in %s,", n.channel(c.Parent)), c.Position, optional(", topic %q", c.Topic))
	for _, t := range c.Tags {
		line += ", tag " + t.Name
	}
	for _, id := range c.AppliedTags {
		line += ", tagged " + n.tag(id)
	}
	line += optional(", archived %v", c.Archived) + optional(", locked %v", c.Locked)
	for _, o := range c.Overwrites {
		line += fmt.Sprintf("; for %s%s%s%s", n.role(o.Role), n.member(o.Member), optional(" allow %v", o.Allow), optional(" deny %v", o.Deny))
	}
	return line
}

func (n namer) memberLine(m fakediscord.Member) string {
	var roles []string
	for _, id := range m.Roles {
		roles = append(roles, n.role(id))
	}
	line := fmt.Sprintf("member %s: roles %s%s", m.Name, strings.Join(roles, ", "), optional(", called %q", m.Nick))
	if !m.TimedOutUntil.IsZero() {
		line += ", timed out until " + m.TimedOutUntil.Format(time.RFC3339)
	}
	return line + optional(", left %v", m.Left) + optional(", banned %v", m.Banned)
}

func (n namer) tag(id string) string {
	for _, c := range n.Channels {
		for _, t := range c.Tags {
			if t.ID == id {
				return t.Name
			}
		}
	}
	return id
}

func (n namer) role(id chat.RoleID) string {
	for _, r := range n.Roles {
		if r.ID == id {
			return r.Name
		}
	}
	return string(id)
}

func (n namer) member(id chat.UserID) string {
	for _, m := range n.Members {
		if m.ID == id {
			return m.Name
		}
	}
	return string(id)
}
