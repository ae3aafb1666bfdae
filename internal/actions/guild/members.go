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

// People is the part of Discord that the actions about members need.
type People interface {
	Member(ctx context.Context, g chat.GuildID, u chat.UserID) (chat.Member, error)
	// Members are ordered by ID, from the one after the given ID on.
	Members(ctx context.Context, g chat.GuildID, after chat.UserID, limit int) ([]chat.Member, error)
	// MembersNamed have a user name or nickname with the given prefix.
	MembersNamed(ctx context.Context, g chat.GuildID, name string, limit int) ([]chat.Member, error)
	// SetNickname removes the nickname if it is empty.
	SetNickname(ctx context.Context, g chat.GuildID, u chat.UserID, nickname, why string) error
}

func (c *Category) members() []*actions.Action {
	return []*actions.Action{c.memberInfo(), c.memberList(), c.memberNickname()}
}

// A Person is a member.
type Person struct {
	User chat.UserRef `json:"userId" alias:"user,member,memberId" doc:"User ID or mention."`
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
	User chat.UserRef `json:"userId,omitempty" alias:"user,member,memberId" doc:"User ID or mention; without it, who asks."`
}

func (c *Category) memberInfo() *actions.Action {
	return actions.Define(actions.Spec[MemberInfo]{
		Name:      "memberInfo",
		Brief:     "default: who writes",
		Summary:   "Show the ID, names and roles of a member, or of who asks.",
		Effect:    actions.Queries,
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
		joined = m.Joined.UTC().Format(moment)
	}
	var theirs []string
	for _, r := range roles { // the highest first
		if m.Has(r.ID) {
			theirs = append(theirs, chat.OneLine(r.Name))
		}
	}
	lines := []string{
		"Username: " + chat.OneLine(m.Handle),
		"Display: " + chat.OneLine(m.Name),
		"ID: " + string(m.ID),
		"Joined: " + joined,
		"Roles: " + cmp.Or(strings.Join(theirs, ", "), "(none)"),
	}
	if m.Bot {
		lines = append(lines, "Bot: yes")
	}
	if m.TimedOutUntil.After(time.Now()) {
		lines = append(lines, "Timed out until: "+m.TimedOutUntil.UTC().Format(moment))
	}
	return strings.Join(lines, "\n")
}

// A MemberList asks for members: those of a name, or a page of all.
type MemberList struct {
	Query string       `json:"query,omitempty" alias:"name" doc:"Only those whose user name or nickname begins like this." max:"100"`
	Limit int          `json:"limit,omitempty" doc:"How many." min:"1" max:"100" default:"50"`
	After chat.UserRef `json:"after,omitempty" doc:"The last user ID of the page before; not with query."`
}

func (in MemberList) check() error {
	if in.Query != "" && in.After != "" {
		return errors.New("after is for the list of all members; leave it or query out")
	}
	return nil
}

func (c *Category) memberList() *actions.Action {
	return actions.Define(actions.Spec[MemberList]{
		Name:      "memberList",
		Summary:   "Find members by name, or list all of them.",
		Effect:    actions.Queries,
		Examples:  []MemberList{{Query: "ada", Limit: 10}},
		Check:     MemberList.check,
		AlsoNeeds: forMembers[MemberList](c),
		Do: func(ctx context.Context, call actions.Call, in MemberList) (actions.Result, error) {
			g, err := call.Guild()
			if err != nil {
				return actions.Result{}, err
			}
			var list []chat.Member
			if in.Query != "" {
				list, err = c.server.MembersNamed(ctx, g, in.Query, in.Limit)
			} else {
				list, err = c.server.Members(ctx, g, in.After.ID(), in.Limit)
			}
			if err != nil {
				return actions.Result{}, err
			}
			return actions.Result{Found: page(list, in), Summary: actions.Listed("found", len(list), "member", "members"), Open: true}, nil
		},
	})
}

// page lists members, and names the next page if there may be more.
func page(list []chat.Member, in MemberList) string {
	switch {
	case len(list) == 0 && in.Query != "":
		return fmt.Sprintf(`No member's name begins like "%s"`, chat.OneLine(in.Query))
	case len(list) == 0 && in.After != "":
		return "No more members"
	case len(list) == 0:
		return "No members"
	}
	lines := []string{fmt.Sprintf("Members (%d):", len(list))}
	for _, m := range list {
		line := fmt.Sprintf("%s (@%s, id:%s)", chat.OneLine(m.Name), chat.OneLine(m.Handle), m.ID)
		if m.Bot {
			line += " bot"
		}
		lines = append(lines, line)
	}
	switch {
	case len(list) < in.Limit:
	case in.Query != "":
		lines = append(lines, "There may be more: ask again with more of the name")
	default:
		last := list[len(list)-1].ID
		lines = append(lines, fmt.Sprintf(`There may be more: ask again with "after": "%s"`, last))
	}
	return strings.Join(lines, "\n")
}

// A MemberNickname renames a member on the server.
type MemberNickname struct {
	Person
	Nickname schema.Opt[string] `json:"nickname,omitzero" alias:"nick,name" doc:"New nickname, always needed; an empty text removes it." max:"32"`
}

func (in MemberNickname) check() error {
	if !in.Nickname.Given {
		return errors.New("nickname: missing; an empty text removes it")
	}
	return nil
}

func (c *Category) memberNickname() *actions.Action {
	return actions.Define(actions.Spec[MemberNickname]{
		Name:     "memberNickname",
		Summary:  "Change or remove a member's nickname.",
		Notes:    []string{"For oneself it takes Change Nickname, for others Manage Nicknames and a higher role."},
		Examples: []MemberNickname{{Person: somebody, Nickname: schema.Some("Captain")}},
		Check:    MemberNickname.check,
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
	if err := c.server.SetNickname(ctx, call.Origin.Place.Guild, was.ID, nickname, ""); err != nil {
		return actions.Result{}, err
	}
	back := MemberNickname{Person: Person{chat.UserRef(was.ID)}, Nickname: schema.Some(was.Nickname)}
	undo := fmt.Sprintf("give %s back the nickname %s", was.ID.Mention(), chat.Bold(was.Nickname))
	if was.Nickname == "" {
		undo = "remove the nickname of " + was.ID.Mention()
	}
	summary := fmt.Sprintf("gave %s the nickname %s", was.ID.Mention(), chat.Bold(nickname))
	if nickname == "" {
		summary = "removed the nickname of " + was.ID.Mention()
	}
	return actions.Result{Summary: summary, Undo: []actions.Inverse{actions.Reverse(undo, "memberNickname", back)}}, nil
}
