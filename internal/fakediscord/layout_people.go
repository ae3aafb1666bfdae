package fakediscord

import (
	"errors"
	"fmt"
	"strings"

	"discoclaw/internal/chat"
)

func (b *builder) member(s string) error {
	name, items, err := nameAndList(s)
	if err != nil {
		return err
	}
	if err := b.free(name); err != nil {
		return err
	}
	m := b.w.newcomer(name)
	owner := false
	for _, item := range items {
		switch item {
		case "owner":
			owner = true
			continue
		case "bot":
			m.Bot = true
			continue
		}
		r := b.on.roleNamed(item)
		if r == nil {
			return fmt.Errorf("there is no role %s; make it with a role line above", item)
		}
		m.Roles = append(m.Roles, r.ID)
	}
	if owner && b.on.Owner != "" {
		return errors.New("the guild has an owner already")
	}
	b.w.addMember(b.on, m)
	if owner {
		b.on.Owner = m.ID
	}
	return nil
}

// free refuses names that somebody else has. Who is on another guild may be on this one
// too.
func (b *builder) free(name string) error {
	bot := b.w.botMember()
	if b.w.memberOn(b.on, name) != nil || bot != nil && strings.EqualFold(name, bot.Name) || strings.EqualFold(name, "bot") {
		return fmt.Errorf("the name %s is taken", name)
	}
	return nil
}

func (b *builder) bot(s string) error {
	if b.w.botOn(b.on) != nil {
		return errors.New("there is a bot already, and one is all there can be")
	}
	name, items, err := nameAndList(s)
	if err != nil {
		return err
	}
	m, err := b.botNamed(name)
	if err != nil {
		return err
	}
	p := botsRights
	if strings.Contains(s, ":") {
		if p, err = permissionList(items); err != nil {
			return err
		}
	}
	m.Roles = []chat.RoleID{b.w.addRole(b.on, &Role{Name: name, Permissions: p, Managed: true}).ID}
	b.w.addMember(b.on, m)
	// Discord gives an application and its bot the same ID.
	b.w.bot, b.w.app = m.ID, string(m.ID)
	return nil
}

// botNamed is the bot as a member to be: the one there is, if another guild has it.
func (b *builder) botNamed(name string) (*Member, error) {
	known := b.w.botMember()
	switch {
	case known == nil && b.w.member(name) != nil || strings.EqualFold(name, "bot"):
		return nil, fmt.Errorf("the name %s is taken", name)
	case known == nil:
		return &Member{Name: name, Bot: true}, nil
	case !strings.EqualFold(known.Name, name):
		return nil, fmt.Errorf("the bot is called %s, on every guild", known.Name)
	}
	return b.w.newcomer(known.Name), nil
}

// ensurePeople makes the owners and the bot, if the layout does not name them.
func (b *builder) ensurePeople() error {
	for _, b.on = range b.w.guilds {
		if err := b.ensureBot(); err != nil {
			return fmt.Errorf("make a bot: %w; name it with a bot line", err)
		}
		if b.on.Owner != "" {
			continue
		}
		name := "ada"
		if b.w.memberOn(b.on, name) != nil {
			name = "owner"
		}
		b.on.Owner = b.w.addMember(b.on, b.w.newcomer(name)).ID
	}
	return nil
}

func (b *builder) ensureBot() error {
	if b.w.botOn(b.on) != nil {
		return nil
	}
	name := "DiscoClaw"
	if known := b.w.botMember(); known != nil {
		name = known.Name
	}
	return b.bot(name)
}
