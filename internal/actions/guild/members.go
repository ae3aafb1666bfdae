package guild

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
)

// A Person is a member.
type Person struct {
	User chat.UserRef `json:"userId" alias:"user,member,memberId" doc:"User ID, mention or name."`
}

// person finds the member of an action.
func (c *Category) person(ctx context.Context, call actions.Call, ref chat.UserRef) (chat.Member, error) {
	g, err := call.Guild()
	if err != nil {
		return chat.Member{}, err
	}
	return c.server.Member(ctx, g, ref.ID())
}

var somebody = Person{User: "123456789012345678"}

// A MemberInfo asks about a member.
type MemberInfo struct {
	User chat.UserRef `json:"userId,omitempty" alias:"user,member,memberId" doc:"User ID, mention or name; without it, who asks."`
}

func (c *Category) memberInfo() *actions.Action {
	return actions.Define(actions.Spec[MemberInfo]{
		Name:      "memberInfo",
		Aliases:   []string{"USER_INFO", "WHO_IS", "LOOKUP_MEMBER"},
		Summary:   "Show the ID, names and roles of a member, or of who asks.",
		Effect:    actions.Queries,
		Reads:     actions.Names,
		Examples:  []MemberInfo{{User: somebody.User}, {}},
		AlsoNeeds: forMembers[MemberInfo](c),
		Do: func(ctx context.Context, call actions.Call, in MemberInfo) (actions.Result, error) {
			m, err := c.person(ctx, call, cmp.Or(in.User, chat.UserRef(call.Origin.Requester)))
			if err != nil {
				return actions.Result{}, err
			}
			roles, err := c.server.Roles(ctx, call.Origin.Place.Guild)
			if err != nil {
				return actions.Result{}, err
			}
			return actions.Result{Found: describe(m, roles), Summary: "looked up " + m.ID.Mention(), Open: true}, nil
		},
	})
}

// moment is the layout of times.
const moment = "2006-01-02 15:04:05 UTC"

// utc is a time for the model.
func utc(t time.Time) string { return t.UTC().Format(moment) }

func describe(m chat.Member, roles []chat.Role) string {
	joined := "unknown"
	if !m.Joined.IsZero() {
		joined = utc(m.Joined)
	}
	lines := []string{
		"Username: " + chat.OneLine(m.Handle),
		"Display: " + chat.OneLine(m.Name),
		"ID: " + string(m.ID),
		"Joined: " + joined,
		"Roles: " + cmp.Or(rolesOf(m, roles), "(none)"),
	}
	if m.Bot {
		lines = append(lines, "Bot: yes")
	}
	if m.TimedOutUntil.After(time.Now()) {
		lines = append(lines, "Timed out until: "+m.TimedOutUntil.UTC().Format(moment))
	}
	return strings.Join(lines, "\n")
}

// A MemberList asks for a page of members.
type MemberList struct {
	Query  string     `json:"query,omitempty" alias:"name" doc:"Only those with this in one of their names." max:"100"`
	Role   RoleFilter `json:"role,omitempty" alias:"roleId,roleName" doc:"Only those with this role, name or ID; none: those without any."`
	Banned bool       `json:"banned,omitempty" rare:"yes" doc:"Users who are banned, instead of members; takes Ban Members."`
	Limit  int        `json:"limit,omitempty" rare:"yes" doc:"How many." min:"1" max:"100" default:"50"`
	After  Cursor     `json:"after,omitempty" rare:"yes" doc:"Go on after this user ID, the last of the page before."`
}

func (in MemberList) check() error {
	if in.Banned && in.Role != "" {
		return errors.New("banned users have no roles; leave role out")
	}
	return nil
}

// A RoleFilter is a RoleRef, or noRole.
type RoleFilter chat.RoleRef

// noRole chooses the members without any role, unless a role is called like it.
const noRole RoleFilter = "none"

// UnmarshalText takes the markup off.
func (f *RoleFilter) UnmarshalText(text []byte) error { return (*chat.RoleRef)(f).UnmarshalText(text) }

func (c *Category) memberList() *actions.Action {
	return actions.Define(actions.Spec[MemberList]{
		Name:      "memberList",
		Brief:     "role: or none",
		Summary:   "List members with their roles: all, those with a role or none, or by name.",
		MayNeed:   []chat.Permission{chat.BanMembers},
		Effect:    actions.Queries,
		Reads:     actions.Names,
		Examples:  []MemberList{{Query: "ada", Limit: 10}, {Role: "Mods"}, {Role: noRole}, {Banned: true}},
		Check:     MemberList.check,
		AlsoNeeds: c.needsOfList,
		Do:        c.doMemberList,
	})
}

// needsOfList: who is banned is for those who may ban, as in Discord's own settings.
func (c *Category) needsOfList(ctx context.Context, call actions.Call, in MemberList) ([]actions.Demand, error) {
	if in.Banned {
		return []actions.Demand{{Rights: []chat.Permission{chat.BanMembers}}}, nil
	}
	return forMembers[MemberList](c)(ctx, call, in)
}

func (c *Category) doMemberList(ctx context.Context, call actions.Call, in MemberList) (actions.Result, error) {
	g, err := call.Guild()
	if err != nil {
		return actions.Result{}, err
	}
	q := chat.MemberQuery{Name: in.Query, After: chat.UserID(in.After), Limit: in.Limit, Banned: in.Banned}
	title, err := c.withRole(ctx, g, in.Role, &q)
	if err != nil {
		return actions.Result{}, err
	}
	if in.Query != "" {
		title += fmt.Sprintf(` with "%s" in a name`, chat.OneLine(in.Query))
	}
	found, err := c.server.FindMembers(ctx, g, q)
	if err != nil {
		return actions.Result{}, err
	}
	var users []chat.User
	for _, m := range found.Members {
		users = append(users, m.User)
	}
	if in.Banned {
		return actions.Result{Found: listMembers("Banned users"+strings.TrimPrefix(title, "Members"), found, nil, in.After),
			Summary: actions.Listed("found", found.Total, "banned user", "banned users")}.Naming(call, users...), nil
	}
	roles, err := c.server.Roles(ctx, g)
	if err != nil {
		return actions.Result{}, err
	}
	return actions.Result{Found: listMembers(title, found, roles, in.After),
		Summary: actions.Listed("found", max(found.Total, len(found.Members)), "member", "members"), Open: true}.Naming(call, users...), nil
}

// withRole adds the role of a list to its query, and returns the title.
func (c *Category) withRole(ctx context.Context, g chat.GuildID, want RoleFilter, q *chat.MemberQuery) (title string, err error) {
	if want == "" {
		return "Members", nil
	}
	role, err := c.server.Role(ctx, g, chat.RoleRef(want))
	switch {
	case err != nil && strings.EqualFold(string(want), string(noRole)):
		q.Bare = true
		return "Members without a role", nil
	case err != nil:
		return "", err
	case !role.Everyone:
		q.Role = role.ID
	}
	return "Members with the role " + named(role), nil
}

// listMembers has a line for each member of a page, with those of the roles that they have.
func listMembers(title string, found chat.MemberPage, roles []chat.Role, after Cursor) string {
	l := listing{title: title, total: found.Total, more: found.More, after: after, field: "after", note: found.Lacking}
	for _, m := range found.Members {
		line := fmt.Sprintf("%s (@%s, id:%s)", chat.OneLine(m.Name), chat.OneLine(m.Handle), m.ID)
		if roles != nil {
			line += ": " + cmp.Or(chat.Clip(rolesOf(m, roles), maxRoles), "no roles")
		}
		if m.Bot {
			line += "; bot"
		}
		if m.TimedOutUntil.After(time.Now()) {
			line += "; timed out until " + utc(m.TimedOutUntil)
		}
		l.add(line, string(m.ID))
	}
	return l.String()
}

// maxRoles is how many characters of a member's roles a list shows.
const maxRoles = 80

// rolesOf names a member's roles, the highest first.
func rolesOf(m chat.Member, roles []chat.Role) string {
	var theirs []string
	for _, r := range roles {
		if m.Has(r.ID) {
			theirs = append(theirs, chat.Name(r.Name))
		}
	}
	return strings.Join(theirs, ", ")
}

// A MemberNickname renames a member on the server.
type MemberNickname struct {
	Person
	Nickname schema.Opt[string] `json:"nickname" alias:"nick,name" doc:"New nickname; an empty text removes it." max:"32"`
}

func (c *Category) memberNickname() *actions.Action {
	return actions.Define(actions.Spec[MemberNickname]{
		Name:     "memberNickname",
		Summary:  "Change or remove a member's nickname.",
		Sentence: "{nickname?Give the nickname $ to|Remove the nickname of} {userId}",
		MayNeed:  []chat.Permission{chat.ChangeNickname, chat.ManageNicknames},
		Notes:    []string{"For oneself it takes Change Nickname, for others Manage Nicknames and a higher role."},
		Examples: []MemberNickname{{Person: somebody, Nickname: schema.Some("Captain")}},
		AlsoNeeds: func(_ context.Context, call actions.Call, in MemberNickname) ([]actions.Demand, error) {
			if in.User.ID() == call.Origin.Requester {
				return []actions.Demand{{Rights: []chat.Permission{chat.ChangeNickname}}}, nil
			}
			return []actions.Demand{{Rights: []chat.Permission{chat.ManageNicknames}, AboveMember: in.User.ID()}}, nil
		},
		Do: c.doMemberNickname,
	})
}

func (c *Category) doMemberNickname(ctx context.Context, call actions.Call, in MemberNickname) (actions.Result, error) {
	was, err := c.person(ctx, call, in.User)
	if err != nil {
		return actions.Result{}, err
	}
	nickname := chat.OneLine(in.Nickname.Value)
	back := MemberNickname{Person: Person{chat.UserRef(was.ID)}, Nickname: schema.Some(was.Nickname)}
	undo := fmt.Sprintf("give %s back the nickname %s", was.ID.Mention(), chat.Bold(was.Nickname))
	if was.Nickname == "" {
		undo = "remove the nickname of " + was.ID.Mention()
	}
	summary := fmt.Sprintf("gave %s the nickname %s", was.ID.Mention(), chat.Bold(nickname))
	if nickname == "" {
		summary = "removed the nickname of " + was.ID.Mention()
	}
	err = c.server.SetNickname(ctx, call.Origin.Place.Guild, was.ID, nickname, "")
	return actions.Done(err, summary, actions.Reverse(undo, "memberNickname", back))
}
