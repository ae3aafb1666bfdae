package fakediscord

import (
	"encoding/json"
	"fmt"
	"slices"

	"discoclaw/internal/chat"
)

// setRules sets the overwrites of a channel. Channels of a category that are in sync with
// it stay in sync.
func (w *World) setRules(c *Channel, rules []Overwrite) (changed []*Channel) {
	before := c.Overwrites
	c.Overwrites = rules
	changed = []*Channel{c}
	for _, child := range w.under(c.ID, "") {
		if slices.Equal(child.Overwrites, before) {
			child.Overwrites = slices.Clone(rules)
			changed = append(changed, child)
		}
	}
	return changed
}

// SetOverwrite replaces a member's overwrite. Unlike Allow and Deny it takes bits without a
// name.
func (w *World) SetOverwrite(channel, member string, allow, deny Permissions) error {
	return w.reshape(func() error {
		c, m := w.channel(channel), w.member(member)
		if c == nil || m == nil {
			return fmt.Errorf("there is no channel %s or no member %s", channel, member)
		}
		rule := Overwrite{Member: m.ID, Allow: allow, Deny: deny}
		others := slices.DeleteFunc(slices.Clone(c.Overwrites), func(o Overwrite) bool { return o.id() == rule.id() })
		for _, changed := range w.setRules(c, append(others, rule)) {
			w.emitChannel("CHANNEL_UPDATE", changed)
		}
		return nil
	})
}

// ruled is the channel of the path, if the bot may change its overwrites, with the index of
// the one in the path, or -1.
func (c *call) ruled() (ch *Channel, may Permissions, at int, err error) {
	ch, may, err = c.place()
	switch {
	case err != nil:
		return nil, 0, 0, err
	case ch.Type == DMChannel:
		return nil, 0, 0, errNotInDM
	case ch.Type.IsThread():
		return nil, 0, 0, errWrongChannelType
	case !may.Has(manageRoles):
		return nil, 0, 0, errMissingPermissions
	}
	at = slices.IndexFunc(ch.Overwrites, func(o Overwrite) bool { return o.id() == c.vars["overwrite"] })
	return ch, may, at, nil
}

// id is the role or member of an overwrite.
func (o Overwrite) id() string { return string(o.Role) + string(o.Member) }

// putOverwrite creates or replaces the overwrite of a role or a member.
func putOverwrite(c *call) (answer, error) {
	ch, may, at, err := c.ruled()
	if err != nil {
		return answer{}, err
	}
	rule, err := c.rule()
	if err != nil {
		return answer{}, err
	}
	before := Overwrite{}
	if at >= 0 {
		before = ch.Overwrites[at]
	}
	if !mayRule(may, before, rule) {
		return answer{}, errMissingPermissions
	}
	rules, action := slices.Clone(ch.Overwrites), auditOverwriteUpdate
	if at >= 0 {
		rules[at] = rule
	} else {
		rules, action = append(rules, rule), auditOverwriteCreate
	}
	return c.rewrite(ch, rules, action, before, rule)
}

func deleteOverwrite(c *call) (answer, error) {
	ch, may, at, err := c.ruled()
	if err != nil {
		return answer{}, err
	}
	if at < 0 {
		return answer{}, errUnknownOverwrite
	}
	before := ch.Overwrites[at]
	gone := Overwrite{Role: before.Role, Member: before.Member}
	if !mayRule(may, before, gone) {
		return answer{}, errMissingPermissions
	}
	return c.rewrite(ch, slices.Delete(slices.Clone(ch.Overwrites), at, at+1), auditOverwriteDelete, before, gone)
}

// rule reads the overwrite of a request.
func (c *call) rule() (Overwrite, error) {
	var in struct {
		Type  int             `json:"type"`
		Allow json.RawMessage `json:"allow"`
		Deny  json.RawMessage `json:"deny"`
	}
	if err := c.decode(&in); err != nil {
		return Overwrite{}, err
	}
	allow, okAllow := parseBits(in.Allow)
	deny, okDeny := parseBits(in.Deny)
	o := Overwrite{Allow: allow, Deny: deny}
	id := c.vars["overwrite"]
	switch {
	case !okAllow || !okDeny:
		return o, invalid("allow", "NUMBER_TYPE_COERCE", "Value is not a set of permissions.")
	case in.Type == 1 && c.person(chat.UserID(id)) == nil:
		return o, errUnknownMember
	case in.Type == 1:
		o.Member = chat.UserID(id)
	case c.role(chat.RoleID(id)) == nil:
		return o, errUnknownRole
	default:
		o.Role = chat.RoleID(id)
	}
	return o, nil
}

// mayRule reports whether these rights suffice for a change of an overwrite: only rights
// that the bot has can be allowed or denied, and Manage Roles only by administrators.
func mayRule(may Permissions, before, after Overwrite) bool {
	changed := before.Allow ^ after.Allow | before.Deny ^ after.Deny
	return may.Has(changed) && (!changed.Has(manageRoles) || may.Has(administrator))
}

// rewrite sets the overwrites of a channel and logs that.
func (c *call) rewrite(ch *Channel, rules []Overwrite, action int, before, after Overwrite) (answer, error) {
	if err := c.emitRules(ch, rules); err != nil {
		return answer{}, err
	}
	c.auditRule(ch, action, before, after)
	return done()
}

func (c *call) emitRules(ch *Channel, rules []Overwrite) error {
	return c.reshaped(func() error {
		for _, changed := range c.setRules(ch, rules) {
			c.emitChannel("CHANNEL_UPDATE", changed)
		}
		return nil
	})
}

// replaceRules sets all overwrites of a channel, and logs each that differs.
func (c *call) replaceRules(ch *Channel, rules []Overwrite) error {
	before := ch.Overwrites
	if err := c.emitRules(ch, rules); err != nil {
		return err
	}
	for _, is := range rules {
		switch was := ruleOf(before, is); {
		case was == (Overwrite{}):
			c.auditRule(ch, auditOverwriteCreate, was, is)
		case was != is:
			c.auditRule(ch, auditOverwriteUpdate, was, is)
		}
	}
	for _, was := range before {
		if ruleOf(rules, was) == (Overwrite{}) {
			c.auditRule(ch, auditOverwriteDelete, was, Overwrite{Role: was.Role, Member: was.Member})
		}
	}
	return nil
}

// ruleOf is the overwrite for the same role or member, or an empty one.
func ruleOf(rules []Overwrite, o Overwrite) Overwrite {
	if at := slices.IndexFunc(rules, func(r Overwrite) bool { return r.id() == o.id() }); at >= 0 {
		return rules[at]
	}
	return Overwrite{}
}

// auditRule logs the change of an overwrite.
func (c *call) auditRule(ch *Channel, action int, before, after Overwrite) {
	options := map[string]string{"id": after.id(), "type": "0"}
	if after.Member != "" {
		options["type"] = "1"
	} else if r := c.role(after.Role); r != nil {
		options["role_name"] = r.Name
	}
	c.auditEntry(c.guild, AuditEntry{
		Action: action, By: c.bot.ID, Target: string(ch.ID), Reason: c.reason(), Options: options,
		Changes: []AuditChange{{"allow", before.Allow.wire(), after.Allow.wire()}, {"deny", before.Deny.wire(), after.Deny.wire()}},
	})
}
