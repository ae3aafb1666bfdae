package discord

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
	"discoclaw/internal/order"
)

const (
	// maxRollPages bounds a list of all members, to 10,000 of them.
	maxRollPages = 10
	// maxQueryLength is how long a query for members may be.
	maxQueryLength = 100
	// maxCandidates is how many an ambiguous name lists.
	maxCandidates = 10
)

// User resolves ref on a server for a user: an ID, or else a name, where case makes no difference. A name
// is a user name, a display name or a nickname. If nobody is called exactly like that, one name with the same letters is
// enough, so that emoji around it need not be written. A name that two members have is ambiguous, whichever kinds of names
// they are: anybody can take another's user name for a nickname. Only members of the server are told who is on it.
func (c *Client) User(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.UserRef) (chat.Member, error) {
	if id := ref.ID(); id != "" {
		return c.member(ctx, g, id)
	}
	if g == "" {
		return chat.Member{}, errors.New("names are looked up on a server; give an ID or a mention here")
	}
	if _, err := c.member(ctx, g, who); err != nil {
		return chat.Member{}, err
	}
	list, err := c.mayBeCalled(ctx, g, string(ref))
	if err != nil {
		return chat.Member{}, err
	}
	switch found := called(list, string(ref)); len(found) {
	case 0:
		return chat.Member{}, noSuchMember(string(ref), list)
	case 1:
		return found[0], nil
	default:
		return chat.Member{}, c.cache.whichMember(g, string(ref), found)
	}
}

// mayBeCalled returns all members of a server, or as many of them as the bot may list, with those whom Discord finds by the name.
func (c *Client) mayBeCalled(ctx context.Context, g chat.GuildID, name string) ([]chat.Member, error) {
	all, err := c.roll(ctx, g)
	if refused := (*Error)(nil); err != nil && (!errors.As(err, &refused) || !refused.Forbidden()) {
		return nil, err
	}
	if all.whole || chat.Length(name) > maxQueryLength {
		return all.members, nil
	}
	found, err := c.MembersNamed(ctx, g, name, maxMembers)
	return slices.Concat(all.members, slices.DeleteFunc(found, func(m chat.Member) bool {
		return slices.ContainsFunc(all.members, func(other chat.Member) bool { return other.ID == m.ID })
	})), err
}

// roll lists all members of a server, up to a limit. It is cached for memberTime.
func (c *Client) roll(ctx context.Context, g chat.GuildID) (roll, error) {
	if r, ok := c.members.roll(g); ok {
		return r, nil
	}
	var all []chat.Member
	after := chat.UserID("")
	for range maxRollPages {
		page, err := c.Members(ctx, g, after, maxMembers)
		if err != nil {
			return roll{}, err
		}
		all = append(all, page...)
		if len(page) < maxMembers {
			return c.members.putRoll(g, all, true), nil
		}
		after = page[len(page)-1].ID
	}
	return c.members.putRoll(g, all, false), nil
}

// namesOf returns what people may call a member.
func namesOf(m chat.Member) []string { return []string{m.Name, m.Handle, m.Nickname, m.DisplayName} }

// called returns the members with a name, or with its letters. An exact name is not preferred: whoever
// takes the name of somebody without the emoji around it would be meant instead.
func called(list []chat.Member, name string) (found []chat.Member) {
	want := chat.Letters(name)
	same := func(theirs string) bool {
		return strings.EqualFold(theirs, name) || want != "" && chat.Letters(theirs) == want
	}
	for _, m := range list {
		if slices.ContainsFunc(namesOf(m), same) {
			found = append(found, m)
		}
	}
	return found
}

// noSuchMember returns the error for an unknown name, with members of similar names.
func noSuchMember(name string, list []chat.Member) error {
	text := fmt.Sprintf("I can't find a member called %q", chat.Clip(name, 40))
	var near []string
	for _, m := range list {
		if len(near) < 3 && chat.Length(name) <= maxNicknameLength &&
			slices.ContainsFunc(namesOf(m), func(s string) bool { return alike(chat.Letters(s), chat.Letters(name)) }) {
			near = append(near, m.Certain())
		}
	}
	if len(near) > 0 {
		text += "; there is " + strings.Join(near, ", ")
	}
	return rest.NotFound("%s", text)
}

// whichMember returns the error for an ambiguous name, with what tells its members apart.
func (c *cache) whichMember(g chat.GuildID, name string, found []chat.Member) error {
	list := each(found[:min(len(found), maxCandidates)], func(m chat.Member) string { return c.toldApart(g, m) })
	if more := len(found) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	last := len(list) - 1
	return fmt.Errorf("which %s, %s or %s? Give one of these mentions", chat.Literal(chat.Clip(name, 40)), strings.Join(list[:last], ", "), list[last])
}

// toldApart describes a member: "<@123> (`ada`; Mods; joined <t:…:d>)".
func (c *cache) toldApart(id chat.GuildID, m chat.Member) string {
	facts := []string{chat.InCode(m.Handle)}
	roles, _ := c.rolesOf(id)
	var theirs []string
	for _, r := range roles {
		if m.Has(r.ID) && len(theirs) < 3 {
			theirs = append(theirs, chat.Literal(r.Name))
		}
	}
	facts = append(facts, cmp.Or(strings.Join(theirs, ", "), "no roles"))
	if !m.Joined.IsZero() {
		facts = append(facts, fmt.Sprintf("joined <t:%d:d>", m.Joined.Unix()))
	}
	if m.Bot {
		facts = append(facts, "a bot")
	}
	return fmt.Sprintf("%s (%s)", m.Mention(), strings.Join(facts, "; "))
}

// FindMembers returns the members of a server that a query chooses. To list all, or those with a role or none, it needs the
// Server Members Intent, which the remedy names; without it, a name finds those members whose names begin with it.
func (c *Client) FindMembers(ctx context.Context, g chat.GuildID, q chat.MemberQuery) (chat.MemberPage, error) {
	if q.Banned {
		list, err := c.bans(ctx, g)
		lacking := ""
		if len(list) == maxMembers {
			lacking = fmt.Sprintf("only the first %d bans were looked at", maxMembers)
		}
		return choose(list, q, lacking), err
	}
	if q.Name == "" && q.Role == "" && !q.Bare {
		list, err := c.Members(ctx, g, q.After, min(q.Limit+1, maxMembers))
		page := chat.MemberPage{Members: list[:min(len(list), q.Limit)], More: len(list) > q.Limit}
		if q.After == "" && !page.More {
			page.Total = len(list)
		}
		return page, err
	}
	all, err := c.roll(ctx, g)
	lacking := ""
	if err == nil && !all.whole {
		lacking = fmt.Sprintf("only the first %d members were looked at", len(all.members))
	}
	if refused := (*Error)(nil); errors.As(err, &refused) && refused.Forbidden() && q.Name != "" {
		all.members, err = c.MembersNamed(ctx, g, q.Name, maxMembers)
		order.By(all.members, func(a, b chat.Member) int { return byAge(a.ID, b.ID) })
		lacking = "only user names and nicknames that begin like this were looked at"
	}
	if err != nil {
		return chat.MemberPage{}, err
	}
	return choose(all.members, q, lacking), nil
}

// choose returns the page of a query among members in order of their IDs.
func choose(list []chat.Member, q chat.MemberQuery, lacking string) chat.MemberPage {
	page := chat.MemberPage{Lacking: lacking}
	part, plain := strings.ToLower(q.Name), chat.Letters(q.Name)
	like := func(theirs string) bool {
		return strings.Contains(strings.ToLower(theirs), part) || plain != "" && strings.Contains(chat.Letters(theirs), plain)
	}
	for _, m := range list {
		if q.Role != "" && !m.Has(q.Role) || q.Bare && len(m.Roles) > 0 || q.Name != "" && !slices.ContainsFunc(namesOf(m), like) {
			continue
		}
		page.Total++
		switch {
		case q.After != "" && byAge(m.ID, q.After) <= 0:
		case len(page.Members) < q.Limit:
			page.Members = append(page.Members, m)
		default:
			page.More = true
		}
	}
	return page
}

// BannedUser resolves ref among the users who are banned from a server, like User among its members. For others the error
// is ErrNotFound.
func (c *Client) BannedUser(ctx context.Context, g chat.GuildID, ref chat.BannedRef) (chat.User, error) {
	if id := chat.UserRef(ref).ID(); id != "" {
		return c.Banned(ctx, g, id)
	}
	list, err := c.bans(ctx, g)
	if err != nil {
		return chat.User{}, err
	}
	found := called(list, string(ref))
	switch len(found) {
	case 0:
		return chat.User{}, rest.NotFound("nobody called %q is banned", chat.Clip(string(ref), 40))
	case 1:
		return found[0].User, nil
	}
	which := each(found[:min(len(found), maxCandidates)], func(m chat.Member) string { return m.Certain() })
	return chat.User{}, fmt.Errorf("%d users called %q are banned: %s. Give one of these mentions", len(found), chat.Clip(string(ref), 40), strings.Join(which, ", "))
}

// bans lists the users who are banned from a server, in order of their IDs, up to maxMembers.
func (c *Client) bans(ctx context.Context, g chat.GuildID) ([]chat.Member, error) {
	q := onServer(http.MethodGet, g, "/bans").Needing(chat.BanMembers).WithQuery(pageOf(maxMembers, "", ""))
	return fetchAll(ctx, c, q, func(w wireBan) chat.Member { return memberFrom(wireMember{User: w.User}) })
}
