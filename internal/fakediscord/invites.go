package fakediscord

import (
	"slices"
	"strconv"
	"time"

	"discoclaw/internal/chat"
)

// Limits of an invite.
// https://discord.com/developers/docs/resources/channel#create-channel-invite
const (
	maxInviteAge  = 5184000 // seconds
	maxInviteUses = 100
)

// An Invite lets people join the guild.
type Invite struct {
	Code      string         `json:"code"`
	Channel   chat.ChannelID `json:"channel"`
	Inviter   chat.UserID    `json:"inviter"`
	Created   time.Time      `json:"created"`
	MaxAge    int            `json:"maxAge,omitempty"`  // seconds; 0 means that it never expires
	MaxUses   int            `json:"maxUses,omitempty"` // 0 for any number
	Uses      int            `json:"uses,omitempty"`
	Temporary bool           `json:"temporary,omitempty"`
}

func (i *Invite) expires() time.Time {
	if i.MaxAge == 0 {
		return time.Time{}
	}
	return i.Created.Add(time.Duration(i.MaxAge) * time.Second)
}

func (i *Invite) over(now time.Time) bool { return i.MaxAge > 0 && !now.Before(i.expires()) }

// Invites are the valid ones, oldest first.
func (w *World) Invites() []Invite {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []Invite
	for _, i := range w.openInvites() {
		all = append(all, *i)
	}
	return all
}

// openInvites removes expired invites and returns the others.
func (w *World) openInvites() []*Invite {
	now := w.now()
	w.invites = slices.DeleteFunc(w.invites, func(i *Invite) bool { return i.over(now) })
	return w.invites
}

func (w *World) inviteJSON(i *Invite) object {
	ch := w.channels[i.Channel]
	g := w.guild(ch.Guild)
	return object{
		"type": 0, "code": i.Code, "expires_at": orNull(i.expires()), "guild_id": g.ID, "inviter": w.userJSON(w.user(i.Inviter)),
		"guild": object{
			"id": g.ID, "name": g.Name, "splash": nil, "banner": nil, "description": nil, "icon": nil, "features": []string{},
			"verification_level": 0, "vanity_url_code": nil, "nsfw_level": 0, "nsfw": false, "premium_subscription_count": 0,
		},
		"channel": object{"id": ch.ID, "type": int(ch.Type), "name": ch.Name},
		"uses":    i.Uses, "max_uses": i.MaxUses, "max_age": i.MaxAge, "temporary": i.Temporary, "created_at": timestamp(i.Created),
	}
}

// An inviteInput is the JSON of an invite to make.
type inviteInput struct {
	MaxAge    *int `json:"max_age"`
	MaxUses   *int `json:"max_uses"`
	Temporary bool `json:"temporary"`
	Unique    bool `json:"unique"`
}

func createInvite(c *call) (answer, error) {
	ch, may, err := c.place()
	if err != nil {
		return answer{}, err
	}
	if _, err := c.fields("max_age", "max_uses", "temporary", "unique"); err != nil {
		return answer{}, err
	}
	var in inviteInput
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	i := Invite{Channel: ch.ID, Inviter: c.bot.ID, Created: c.now(), MaxAge: 86400, Temporary: in.Temporary}
	if in.MaxAge != nil {
		i.MaxAge = *in.MaxAge
	}
	if in.MaxUses != nil {
		i.MaxUses = *in.MaxUses
	}
	switch {
	case ch.Type.IsThread() || ch.Type == CategoryChannel || ch.Type == DMChannel:
		return answer{}, errWrongChannelType
	case !may.Has(createInvites):
		return answer{}, errMissingPermissions
	case i.MaxAge < 0 || i.MaxAge > maxInviteAge:
		return answer{}, invalid("max_age", "NUMBER_TYPE_RANGE", "int value should be between 0 and %d.", maxInviteAge)
	case i.MaxUses < 0 || i.MaxUses > maxInviteUses:
		return answer{}, invalid("max_uses", "NUMBER_TYPE_RANGE", "int value should be between 0 and %d.", maxInviteUses)
	}
	if alike := c.alike(i); alike != nil && !in.Unique {
		return ok(c.inviteJSON(alike))
	}
	i.Code = c.newCode()
	c.invites = append(c.invites, &i)
	c.audit(auditInviteCreate, c.bot.ID, "", c.reason(), i.logged()...)
	c.queue("INVITE_CREATE", intentInvites, ch, c.inviteEvent(&i), c.inviteEvent(&i), may.Has(manageChannels))
	return ok(c.inviteJSON(&i))
}

// logged are the properties of a new invite in the audit log.
func (i *Invite) logged() []AuditChange {
	return []AuditChange{
		{Key: "code", New: i.Code}, {Key: "channel_id", New: string(i.Channel)}, {Key: "inviter_id", New: string(i.Inviter)},
		{Key: "max_age", New: strconv.Itoa(i.MaxAge)}, {Key: "max_uses", New: strconv.Itoa(i.MaxUses)}, {Key: "uses", New: strconv.Itoa(i.Uses)},
		{Key: "temporary", New: strconv.FormatBool(i.Temporary)}, {Key: "flags", New: "0"},
	}
}

// newCode is short and unique, like an ID.
func (w *World) newCode() string {
	id := w.newID()
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return id
	}
	return strconv.FormatInt(n, 36)
}

// alike finds an equal invite of the same member, which Discord returns again unless a
// unique one is requested.
func (w *World) alike(i Invite) *Invite {
	for _, other := range w.openInvites() {
		if other.Channel == i.Channel && other.Inviter == i.Inviter && other.MaxAge == i.MaxAge && other.MaxUses == i.MaxUses && other.Temporary == i.Temporary {
			return other
		}
	}
	return nil
}

func (w *World) inviteEvent(i *Invite) object {
	return object{
		"channel_id": i.Channel, "guild_id": w.channels[i.Channel].Guild, "code": i.Code, "created_at": timestamp(i.Created), "expires_at": orNull(i.expires()),
		"inviter": w.userJSON(w.user(i.Inviter)), "max_age": i.MaxAge, "max_uses": i.MaxUses, "temporary": i.Temporary, "uses": i.Uses,
	}
}

// invited is the invite of the path, if it is valid, with its channel.
func (c *call) invited() (*Invite, *Channel, error) {
	for _, i := range c.openInvites() {
		if i.Code == c.vars["code"] {
			return i, c.channels[i.Channel], nil
		}
	}
	return nil, nil, errUnknownInvite
}

// getInvite is an invite with the fields that Discord shows to all users who know its code.
func getInvite(c *call) (answer, error) {
	i, ch, err := c.invited()
	if err != nil {
		return answer{}, err
	}
	o := c.inviteJSON(i)
	for _, private := range []string{"uses", "max_uses", "max_age", "temporary", "created_at"} {
		delete(o, private)
	}
	if c.yes("with_counts") {
		n := c.World.guild(ch.Guild).count()
		o["approximate_member_count"], o["approximate_presence_count"] = n, n
	}
	return ok(o)
}

func deleteInvite(c *call) (answer, error) {
	i, ch, err := c.invited()
	if err != nil {
		return answer{}, err
	}
	g := c.World.guild(ch.Guild)
	bot := c.botOn(g)
	if !c.hasBot(g) || !c.permissions(bot, ch).Has(manageChannels) && !c.guildPermissions(bot).Has(manageServer) {
		return answer{}, errMissingPermissions
	}
	last := c.inviteJSON(i)
	c.invites = slices.DeleteFunc(c.invites, func(each *Invite) bool { return each == i })
	var gone []AuditChange
	for _, change := range i.logged() {
		gone = append(gone, AuditChange{Key: change.Key, Old: change.New})
	}
	c.World.audit(g, auditInviteDelete, c.bot.ID, "", c.reason(), gone...)
	event := object{"channel_id": ch.ID, "guild_id": g.ID, "code": i.Code}
	c.queue("INVITE_DELETE", intentInvites, ch, event, event, c.permissions(bot, ch).Has(manageChannels))
	return ok(last)
}

func listGuildInvites(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	if !c.guildPermissions(c.bot).Has(manageServer) {
		return answer{}, errMissingPermissions
	}
	return ok(c.invitesTo(func(ch *Channel) bool { return ch.Guild == c.ID }))
}

func listChannelInvites(c *call) (answer, error) {
	ch, may, err := c.place()
	switch {
	case err != nil:
		return answer{}, err
	case !may.Has(manageChannels):
		return answer{}, errMissingPermissions
	}
	return ok(c.invitesTo(func(to *Channel) bool { return to == ch }))
}

// invitesTo are the invites to some channels.
func (w *World) invitesTo(meant func(*Channel) bool) []object {
	out := []object{}
	for _, i := range w.openInvites() {
		if meant(w.channels[i.Channel]) {
			out = append(out, w.inviteJSON(i))
		}
	}
	return out
}
