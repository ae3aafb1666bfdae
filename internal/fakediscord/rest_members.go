package fakediscord

import (
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// Limits of a member's properties.
// https://discord.com/developers/docs/resources/guild#modify-guild-member
const (
	maxNick    = 32
	maxTimeout = 28 * 24 * time.Hour
	maxQuery   = 100
)

// somebody is the member of the path.
func (c *call) somebody() (*Member, error) {
	if err := c.ourGuild(); err != nil {
		return nil, err
	}
	m := c.person(chat.UserID(c.vars["user"]))
	if m == nil || m.Left {
		return nil, errUnknownMember
	}
	return m, nil
}

// may refuses requests that the bot lacks a right on the guild for.
func (c *call) may(right Permissions) error {
	if !c.guildPermissions(c.bot).Has(right) {
		return errMissingPermissions
	}
	return nil
}

// mayTo is may for changes of a member, which also need a higher rank.
func (c *call) mayTo(m *Member, right Permissions) error {
	if err := c.may(right); err != nil {
		return err
	}
	if !c.outranks(c.bot, m) {
		return errMissingPermissions
	}
	return nil
}

// listMembers lists by ID. It needs the Server Members intent, which has to be enabled in
// the developer portal.
func listMembers(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	if c.granted&intentMembers == 0 {
		return answer{}, errMissingAccess
	}
	limit, err := c.number("limit", 1, 1, 1000)
	if err != nil {
		return answer{}, err
	}
	after, err := c.snowflake("after")
	if err != nil {
		return answer{}, err
	}
	out := []object{}
	for _, m := range slices.SortedFunc(slices.Values(c.members), byUserID) {
		if !m.Left && compareIDs(string(m.ID), after) > 0 && len(out) < limit {
			out = append(out, c.memberJSON(m))
		}
	}
	return ok(out)
}

// searchMembers finds members whose name or nickname begins with the query. It needs no
// intent.
func searchMembers(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	query := strings.ToLower(c.param("query"))
	if query == "" || chat.Length(query) > maxQuery {
		return answer{}, invalid("query", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxQuery)
	}
	limit, err := c.number("limit", 1, 1, 1000)
	if err != nil {
		return answer{}, err
	}
	found := c.named(query)
	return ok(c.membersJSON(found[:min(limit, len(found))]))
}

// named are the members whose name or nickname begins with a query in small letters, by ID.
func (g *guild) named(query string) (found []*Member) {
	for _, m := range slices.SortedFunc(slices.Values(g.current()), byUserID) {
		if strings.HasPrefix(strings.ToLower(m.Name), query) || strings.HasPrefix(strings.ToLower(m.Nick), query) {
			found = append(found, m)
		}
	}
	return found
}

func byUserID(a, b *Member) int { return compareIDs(string(a.ID), string(b.ID)) }

// A memberInput is a change of a member. Missing fields stay as they are.
type memberInput struct {
	Nick  *string        `json:"nick"`
	Roles *[]chat.RoleID `json:"roles"`
	Until *time.Time     `json:"communication_disabled_until"`
	Voice chat.ChannelID `json:"channel_id"`

	given // a null field removes the property
}

// memberInput reads a change. Only the known fields are built.
func (c *call) memberInput(known ...string) (memberInput, error) {
	var in memberInput
	if err := c.decode(&in); err != nil {
		return in, err
	}
	if err := c.decode(&in.given); err != nil {
		return in, err
	}
	for field := range in.given {
		if !slices.Contains(known, field) && !in.asksNothing(field) {
			return in, notBuiltError("the field " + field + " of a member")
		}
	}
	return in, nil
}

// editMember applies all changes, or none.
func editMember(c *call) (answer, error) {
	m, err := c.somebody()
	if err != nil {
		return answer{}, err
	}
	in, err := c.memberInput("nick", "roles", "communication_disabled_until", "channel_id")
	if err != nil {
		return answer{}, err
	}
	after := m.clone()
	if in.has("nick") {
		if err := c.mayTo(m, manageNicknames); err != nil {
			return answer{}, err
		}
		if err := in.rename(&after); err != nil {
			return answer{}, err
		}
	}
	if in.has("communication_disabled_until") {
		if err := c.silence(m, &after, in.Until); err != nil {
			return answer{}, err
		}
	}
	if in.has("roles") {
		if err := c.setRoles(m, &after, in.Roles); err != nil {
			return answer{}, err
		}
	}
	if in.has("channel_id") {
		if err := c.mayMove(m, in.Voice); err != nil {
			return answer{}, err
		}
	}
	changed, err := c.becomes(m, after)
	if err == nil && in.has("channel_id") {
		c.move(m, in.Voice)
	}
	return changed, err
}

// editMyself changes the bot's own nickname.
func editMyself(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	in, err := c.memberInput("nick")
	if err != nil {
		return answer{}, err
	}
	after := c.bot.clone()
	if in.has("nick") {
		if err := c.may(changeNickname); err != nil {
			return answer{}, err
		}
		if err := in.rename(&after); err != nil {
			return answer{}, err
		}
	}
	return c.becomes(c.bot, after)
}

// editMyNick is editMyself with the nickname as its whole answer.
func editMyNick(c *call) (answer, error) {
	if _, err := editMyself(c); err != nil {
		return answer{}, err
	}
	return ok(object{"nick": idOrNull(c.bot.Nick)})
}

func (in memberInput) rename(m *Member) error {
	m.Nick = ""
	if in.Nick != nil {
		m.Nick = *in.Nick
	}
	if chat.Length(m.Nick) > maxNick {
		return invalid("nick", "BASE_TYPE_BAD_LENGTH", "Must be %d or fewer in length.", maxNick)
	}
	return nil
}

// silence times a member out. Administrators are refused.
func (c *call) silence(m, after *Member, until *time.Time) error {
	if err := c.mayTo(m, moderateMembers); err != nil {
		return err
	}
	after.TimedOutUntil = time.Time{}
	if until == nil {
		return nil
	}
	if c.guildPermissions(m).Has(administrator) {
		return errMissingPermissions
	}
	if until.After(c.now().Add(maxTimeout)) {
		return invalid("communication_disabled_until", "BASE_TYPE_MAX_LENGTH", "You cannot time out a member for more than 28 days.")
	}
	after.TimedOutUntil = until.UTC()
	return nil
}

// setRoles replaces the roles of a member. The bot must be able to assign each role that
// is added or removed.
func (c *call) setRoles(m, after *Member, roles *[]chat.RoleID) error {
	after.Roles = nil
	if roles != nil {
		after.Roles = slices.Clone(*roles)
	}
	for _, id := range slices.Concat(m.Roles, after.Roles) {
		if slices.Contains(m.Roles, id) != slices.Contains(after.Roles, id) {
			if err := c.mayHandOut(id); err != nil {
				return err
			}
		}
	}
	return nil
}

// mayHandOut refuses roles that the bot cannot assign.
func (c *call) mayHandOut(id chat.RoleID) error {
	if err := c.may(manageRoles); err != nil {
		return err
	}
	r := c.role(id)
	switch {
	case r == nil:
		return errUnknownRole
	case r.Managed || r == c.everyone():
		return errInvalidRole
	case !c.outranksRole(c.bot, r):
		return errMissingPermissions
	}
	return nil
}

// becomes sets a member's new state and emits it.
func (c *call) becomes(m *Member, after Member) (answer, error) {
	before := m.clone()
	err := c.reshaped(func() error {
		*m = after
		c.emitMember(m)
		return nil
	})
	if err != nil {
		return answer{}, err
	}
	if changes := memberChanges(&before, m); len(changes) > 0 {
		c.audit(auditMemberUpdate, c.bot.ID, string(m.ID), c.reason(), changes...)
	}
	if changes := roleChanges(&before, m); len(changes) > 0 {
		c.audit(auditMemberRoles, c.bot.ID, string(m.ID), c.reason(), changes...)
	}
	return ok(c.memberJSON(m))
}

func addMemberRole(c *call) (answer, error) {
	return c.changeMemberRole(func(roles []chat.RoleID, id chat.RoleID) []chat.RoleID {
		if slices.Contains(roles, id) {
			return roles
		}
		return append(roles, id)
	})
}

func removeMemberRole(c *call) (answer, error) {
	return c.changeMemberRole(func(roles []chat.RoleID, id chat.RoleID) []chat.RoleID {
		return slices.DeleteFunc(roles, func(r chat.RoleID) bool { return r == id })
	})
}

// changeMemberRole adds or removes a role. Only the rank of the role matters, not that of
// the member.
func (c *call) changeMemberRole(f func([]chat.RoleID, chat.RoleID) []chat.RoleID) (answer, error) {
	m, err := c.somebody()
	if err != nil {
		return answer{}, err
	}
	id := chat.RoleID(c.vars["role"])
	if err := c.mayHandOut(id); err != nil {
		return answer{}, err
	}
	after := m.clone()
	after.Roles = f(after.Roles, id)
	if _, err := c.becomes(m, after); err != nil {
		return answer{}, err
	}
	return done()
}

func kickMember(c *call) (answer, error) {
	m, err := c.somebody()
	if err != nil {
		return answer{}, err
	}
	if err := c.mayTo(m, kickMembers); err != nil {
		return answer{}, err
	}
	c.leave(m)
	c.audit(auditKick, c.bot.ID, string(m.ID), c.reason())
	return done()
}
