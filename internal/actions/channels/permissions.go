package channels

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// A Right is a permission by any of its names.
type Right chat.Permission

// UnmarshalText finds the permission.
func (r *Right) UnmarshalText(text []byte) error {
	p, err := chat.RolePermission(string(text))
	if err == nil && !p.InChannels() {
		err = fmt.Errorf("“%s” is a right on the whole server, which no channel can give or take; use roleEdit", p)
	}
	*r = Right(p)
	return err
}

// A ChannelPermissions shows or changes what roles and members may do in a channel.
type ChannelPermissions struct {
	Target
	Role   chat.RoleRef `json:"role,omitempty" alias:"roleId" doc:"Role to show or change, name or ID; everyone for all."`
	Member chat.UserRef `json:"userId,omitempty" alias:"user,member" doc:"Member to show or change: ID, mention or name."`
	Allow  []Right      `json:"allow,omitempty" doc:"Permissions to allow, such as Send Messages."`
	Deny   []Right      `json:"deny,omitempty" doc:"Permissions to deny."`
	Clear  []Right      `json:"clear,omitempty" doc:"Permissions to leave to their roles again."`
}

// changes are all permissions to change.
func (in ChannelPermissions) changes() []chat.Permission {
	return permissions(slices.Concat(in.Allow, in.Deny, in.Clear))
}

func permissions(rights []Right) []chat.Permission { return chat.As[chat.Permission](rights) }

func (in ChannelPermissions) check() error {
	all := in.changes()
	switch {
	case in.Role != "" && in.Member != "":
		return errors.New("give a role or a userId, not both")
	case len(all) > 0 && in.Role == "" && in.Member == "":
		return errors.New("give the role or the userId whose permissions shall change")
	}
	for i, p := range all {
		if slices.Contains(all[:i], p) {
			return fmt.Errorf("“%s” stands there twice; it can be allowed, denied or cleared", p)
		}
	}
	return nil
}

func (c *Category) channelPermissions() *actions.Action {
	return define(c, actions.Spec[ChannelPermissions]{
		Name:     "channelPermissions",
		Brief:    `lists as ["View Channel"], none: shows; everyone is a role`,
		Summary:  "Show or change what roles and members may do in a channel.",
		Sentence: "In {channelId},[, allow {allow:right}][, deny {deny:right}][, clear the rule about {clear:right}][, for {role}][, for {userId}]",
		Reads:    actions.Names,
		Notes: []string{"Without allow, deny and clear it shows them to you, as channelInfo does.", "What is named nowhere stays as it is.",
			"To take a right from everyone or a role asks first."},
		Needs:    []chat.Permission{chat.ViewChannel},
		MayNeed:  []chat.Permission{chat.ManagePermissions, chat.Administrator},
		PassesOn: true,
		Examples: []ChannelPermissions{{Target: Target{"ops"}, Role: "Mods", Allow: []Right{"View Channel", "Send Messages"}}},
		Check:    ChannelPermissions.check,
		AlsoNeeds: func(ctx context.Context, call actions.Call, in ChannelPermissions) ([]actions.Demand, error) {
			if len(in.changes()) == 0 {
				return nil, nil
			}
			ch, err := c.channel(ctx, call, in.Channel)
			return demands(ch.ID, in.changes()), err
		},
		Free: func(_ actions.Call, in ChannelPermissions) bool { return len(in.changes()) == 0 },
		Asks: c.takesRights,
	}, func(ctx context.Context, call actions.Call, ch chat.Channel, in ChannelPermissions) (actions.Result, error) {
		who, err := c.ruled(ctx, call, in)
		if err != nil {
			return actions.Result{}, err
		}
		if len(in.changes()) > 0 {
			return c.setRule(ctx, ch, who, in)
		}
		return c.showRules(ctx, call, ch, who)
	})
}

// takesRights reports whether a request takes a right from all who have a role.
func (c *Category) takesRights(ctx context.Context, call actions.Call, in ChannelPermissions) (bool, error) {
	if in.Role == "" || len(in.Deny)+len(in.Clear) == 0 {
		return false, nil
	}
	ch, err := c.channel(ctx, call, in.Channel)
	if err != nil {
		return false, err
	}
	who, err := c.ruled(ctx, call, in)
	if err != nil {
		return false, err
	}
	all, err := c.server.Overwrites(ctx, ch.Guild, ch.ID)
	var is chat.Overwrite
	if i := slices.IndexFunc(all, who.same); i >= 0 {
		is = all[i]
	}
	denies := func(r Right) bool { return !slices.Contains(is.Deny, chat.Permission(r)) }
	drops := func(r Right) bool { return slices.Contains(is.Allow, chat.Permission(r)) }
	return slices.ContainsFunc(in.Deny, denies) || slices.ContainsFunc(in.Clear, drops), err
}

// demands are Discord's rules for a change of an overwrite: only rights that the requester
// has in that channel can be allowed or denied, and Manage Roles only by administrators.
func demands(ch chat.ChannelID, changes []chat.Permission) []actions.Demand {
	all := []actions.Demand{
		{Channel: ch, Rights: []chat.Permission{chat.ManagePermissions}},
		{Channel: ch, Rights: changes},
	}
	if slices.Contains(changes, chat.ManageRoles) || slices.Contains(changes, chat.Administrator) {
		all = append(all, actions.Demand{Rights: []chat.Permission{chat.Administrator}})
	}
	return all
}

// A subject is the role or member of an overwrite.
type subject struct {
	role   chat.RoleID
	member chat.UserID
	name   string // for people
}

func (s subject) same(o chat.Overwrite) bool { return o.Role == s.role && o.Member == s.member }

// ruled finds the role or the member of an action; it is empty for all.
func (c *Category) ruled(ctx context.Context, call actions.Call, in ChannelPermissions) (subject, error) {
	g := call.Origin.Place.Guild
	switch {
	case in.Role != "":
		r, err := c.server.Role(ctx, g, in.Role)
		return subject{role: r.ID, name: r.Mention()}, err
	case in.Member != "":
		m, err := c.server.Member(ctx, g, in.Member.ID())
		return subject{member: m.ID, name: m.ID.Mention()}, err
	}
	return subject{}, nil
}

func roleName(r chat.Role) string {
	return fmt.Sprintf("role %s", strings.TrimPrefix(chat.Name(r.Name), "@"))
}

func memberName(m chat.Member) string { return "member " + chat.OneLine(m.Handle) }

// showRules is a query: what is found goes to the model, and not to who else reads the answer.
func (c *Category) showRules(ctx context.Context, call actions.Call, ch chat.Channel, only subject) (actions.Result, error) {
	lines, err := c.ruleLines(ctx, call, ch, only)
	if err != nil {
		return actions.Result{}, err
	}
	if len(lines) == 0 {
		what := "no permissions in " + called(ch) + " differ from those of the server"
		if only.name != "" {
			what += " for " + only.name
		}
		return actions.FoundIn(what, "looked up", ch), nil
	}
	head := fmt.Sprintf("Permissions in %s that differ from those of the server:", called(ch))
	return actions.FoundIn(head+"\n"+strings.Join(lines, "\n"), "looked up", ch), nil
}

// ruleLines has a line for every overwrite of a channel, or for those of one subject, for the model.
func (c *Category) ruleLines(ctx context.Context, call actions.Call, ch chat.Channel, only subject) ([]string, error) {
	all, err := c.server.Overwrites(ctx, ch.Guild, ch.ID)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, o := range all {
		if only.name == "" || only.same(o) {
			lines = append(lines, fmt.Sprintf("%s: %s", c.whose(ctx, call, o), ruleText(o)))
		}
	}
	return lines, nil
}

// whose names the subject of an overwrite, by ID if it no longer exists.
func (c *Category) whose(ctx context.Context, call actions.Call, o chat.Overwrite) string {
	g := call.Origin.Place.Guild
	if o.Role != "" {
		if r, err := c.server.Role(ctx, g, chat.RoleRef(o.Role)); err == nil {
			return fmt.Sprintf("%s (id:%s)", roleName(r), r.ID)
		}
		return "role " + string(o.Role)
	}
	if m, err := c.server.Member(ctx, g, o.Member); err == nil {
		return fmt.Sprintf("%s (id:%s)", memberName(m), m.ID)
	}
	return "member " + string(o.Member)
}

// ruleText is an overwrite in words.
func ruleText(o chat.Overwrite) string {
	var parts []string
	if len(o.Allow) > 0 {
		parts = append(parts, "allowed "+chat.PermissionNames(o.Allow))
	}
	if len(o.Deny) > 0 {
		parts = append(parts, "denied "+chat.PermissionNames(o.Deny))
	}
	if len(parts) == 0 {
		return "no rules of their own there"
	}
	return strings.Join(parts, "; ")
}

func (c *Category) setRule(ctx context.Context, ch chat.Channel, who subject, in ChannelPermissions) (actions.Result, error) {
	edit := chat.OverwriteEdit{Role: who.role, Member: who.member, Allow: permissions(in.Allow), Deny: permissions(in.Deny),
		Clear: permissions(in.Clear)}
	change, err := c.server.EditOverwrite(ctx, ch.Guild, ch.ID, edit)
	if err != nil {
		return actions.Result{}, err
	}
	was, is := change.Was, change.Is
	summary := fmt.Sprintf("in %s, %s %s", ch.ID.Mention(), who.name, edited(edit))
	if slices.Equal(was.Allow, is.Allow) && slices.Equal(was.Deny, is.Deny) {
		return actions.Result{Summary: fmt.Sprintf("nothing to change: the rules for %s in %s are like that already", who.name, ch.ID.Mention())}, nil
	}
	back := ruleBack(ch.ID, was, in.changes())
	text := fmt.Sprintf("give %s back the permissions that they had in %s", who.name, ch.ID.Mention())
	undo := []actions.Inverse{actions.Reverse(text, "channelPermissions", back)}
	if len(change.Kept) > 0 {
		summary += "; I keep that right"
		undo = append(undo, c.unlet(ch, change.Kept))
	}
	return actions.Result{Summary: summary, Undo: undo}, nil
}

// edited says what somebody may do from now on: "may now *Send Messages* and may no longer *Add Reactions*".
func edited(e chat.OverwriteEdit) string {
	var parts []string
	for _, part := range []struct {
		what  string
		about []chat.Permission
	}{{"may now ", e.Allow}, {"may no longer ", e.Deny}, {"may do here what the server's roles say about ", e.Clear}} {
		if len(part.about) > 0 {
			parts = append(parts, part.what+chat.Rights(part.about))
		}
	}
	return chat.And(parts)
}

// unlet takes back that the bot let itself in. It comes last, when the bot has its permissions without
// that again.
func (c *Category) unlet(ch chat.Channel, kept []chat.Permission) actions.Inverse {
	back := ChannelPermissions{Target: Target{chat.ChannelRef(ch.ID)}, Member: chat.UserRef(c.server.Self().ID), Clear: chat.As[Right](kept)}
	return actions.Reverse("give me back the permissions that I had in "+ch.ID.Mention(), "channelPermissions", back)
}

// ruleBack restores every changed permission.
func ruleBack(ch chat.ChannelID, was chat.Overwrite, changed []chat.Permission) ChannelPermissions {
	back := ChannelPermissions{Target: Target{chat.ChannelRef(ch)}, Role: chat.RoleRef(was.Role), Member: chat.UserRef(was.Member)}
	for _, p := range changed {
		switch {
		case slices.Contains(was.Allow, p):
			back.Allow = append(back.Allow, Right(p))
		case slices.Contains(was.Deny, p):
			back.Deny = append(back.Deny, Right(p))
		default:
			back.Clear = append(back.Clear, Right(p))
		}
	}
	return back
}
