package guild

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
)

// usualAge is Discord's default validity of an invite.
const usualAge = 86400

// An InviteCreate makes an invite.
type InviteCreate struct {
	Channel   chat.ChannelRef `json:"channel,omitempty" alias:"channelId" doc:"Channel to invite to, name or ID; the current one if left out."`
	MaxAge    schema.Opt[int] `json:"maxAge,omitzero" alias:"max_age" rare:"yes" doc:"Seconds until it ends, 0 for never; 86400 if left out." min:"0" max:"5184000"`
	MaxUses   int             `json:"maxUses,omitempty" alias:"max_uses" rare:"yes" doc:"How often it can be used, 0 for any number." min:"0" max:"100"`
	Temporary bool            `json:"temporary,omitempty" rare:"yes" doc:"Who joins leaves again when they go offline, unless they get a role."`
	Unique    bool            `json:"unique,omitempty" rare:"yes" doc:"Never hand out an older one that is alike."`
}

func (c *Category) inviteCreate() *actions.Action {
	return actions.Define(actions.Spec[InviteCreate]{
		Name:     "inviteCreate",
		Summary:  "Make a link that invites people to this server.",
		Sentence: "Make an invite to {channel}[, {maxAge:second?valid for $|which never ends}][, {maxUses?number of uses: $|for any number of uses}][, {temporary?for a temporary membership}][, {unique?always a new one}]",
		Final:    true,
		Needs:    []chat.Permission{chat.ViewChannel, chat.CreateInvite},
		Examples: []InviteCreate{{Channel: "general", MaxUses: 1}},
		NeedsIn: func(ctx context.Context, call actions.Call, in InviteCreate) (chat.ChannelID, error) {
			ch, err := c.door(ctx, call, in.Channel)
			return ch.ID, err
		},
		Do: c.doInviteCreate,
	})
}

// door finds the channel of an invite; without a reference, that of the turn, or the parent
// of its thread.
func (c *Category) door(ctx context.Context, call actions.Call, ref chat.ChannelRef) (chat.Channel, error) {
	place := call.Origin.Place
	ch, err := call.Channel(ctx, c.server.AnyChannel, cmp.Or(ref, chat.ChannelRef(cmp.Or(place.Parent, place.Channel))))
	if err == nil && (ch.Kind == chat.Thread || ch.Kind == chat.CategoryKind) {
		err = fmt.Errorf("nobody can be invited to a %s; choose a channel", ch.Kind)
	}
	return ch, err
}

func (c *Category) doInviteCreate(ctx context.Context, call actions.Call, in InviteCreate) (actions.Result, error) {
	ch, err := c.door(ctx, call, in.Channel)
	if err != nil {
		return actions.Result{}, err
	}
	age := usualAge
	if in.MaxAge.Given {
		age = in.MaxAge.Value
	}
	n := chat.NewInvite{MaxAge: time.Duration(age) * time.Second, MaxUses: in.MaxUses, Temporary: in.Temporary, Unique: in.Unique}
	made, err := c.server.CreateInvite(ctx, ch.ID, n)
	return actions.Done(err, fmt.Sprintf("created the invite %s to %s (%s)", made.URL(), ch.ID.Mention(), terms(made, chat.Clock)))
}

// terms are the validity and the uses of an invite, in words, with times as clock writes them.
func terms(i chat.Invite, clock func(time.Time) string) string {
	parts := []string{"never ends", "any number of uses"}
	if !i.Expires.IsZero() {
		parts[0] = "until " + clock(i.Expires)
	}
	switch {
	case i.MaxUses > 0 && i.Uses == 0:
		parts[1] = chat.Counted(i.MaxUses, "use", "uses")
	case i.MaxUses > 0:
		parts[1] = fmt.Sprintf("%d of %d uses left", max(i.MaxUses-i.Uses, 0), i.MaxUses)
	}
	if i.Temporary {
		parts = append(parts, "for a visit only")
	}
	return strings.Join(parts, ", ")
}

// An InviteList shows the invites to a server or to a channel.
type InviteList struct {
	Channel chat.ChannelRef `json:"channel,omitempty" alias:"channelId" doc:"Only invites to this channel, name or ID."`
}

// inviteList demands what Discord does: Manage Server, or Manage Channels in the one channel.
func (c *Category) inviteList() *actions.Action {
	return actions.Define(actions.Spec[InviteList]{
		Name:     "inviteList",
		Summary:  "List the invitations to this server that still work.",
		MayNeed:  []chat.Permission{chat.ManageServer, chat.ViewChannel, chat.ManageChannels},
		Effect:   actions.Queries,
		Reads:    actions.Names,
		Examples: []InviteList{{}},
		AlsoNeeds: func(ctx context.Context, call actions.Call, in InviteList) ([]actions.Demand, error) {
			if in.Channel == "" {
				return []actions.Demand{{Rights: []chat.Permission{chat.ManageServer}}}, nil
			}
			ch, err := c.door(ctx, call, in.Channel)
			return []actions.Demand{{Channel: ch.ID, Rights: []chat.Permission{chat.ViewChannel, chat.ManageChannels}}}, err
		},
		Do: c.doInviteList,
	})
}

func (c *Category) doInviteList(ctx context.Context, call actions.Call, in InviteList) (actions.Result, error) {
	seen, err := c.sightOf(ctx, call)
	if err != nil {
		return actions.Result{}, err
	}
	all, err := c.invitesOf(ctx, call, in.Channel)
	if err != nil {
		return actions.Result{}, err
	}
	var lines []string
	for _, i := range all {
		ok, err := seen.sees(i.Channel)
		if err != nil {
			return actions.Result{}, err
		}
		if ok {
			by := chat.OneLine(cmp.Or(i.Inviter.Handle, i.Inviter.Name, "unknown"))
			lines = append(lines, fmt.Sprintf("%s to %s by %s — used %d times, %s", i.URL(), seen.name(i.Channel), by, i.Uses, terms(i, utc)))
		}
	}
	found := "No invites"
	if len(lines) > 0 {
		found = fmt.Sprintf("Invites (%d):\n%s", len(lines), strings.Join(lines, "\n"))
	}
	return actions.Result{Found: found, Summary: actions.Listed("listed", len(lines), "invite", "invites")}, nil
}

func (c *Category) invitesOf(ctx context.Context, call actions.Call, ref chat.ChannelRef) ([]chat.Invite, error) {
	if ref == "" {
		return c.server.Invites(ctx, call.Origin.Place.Guild)
	}
	ch, err := c.door(ctx, call, ref)
	if err == nil {
		err = c.still(ctx, call, ch.ID, chat.ManageChannels)
	}
	if err != nil {
		return nil, err
	}
	return c.server.ChannelInvites(ctx, ch.ID)
}
