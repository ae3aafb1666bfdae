package fakediscord

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/layout"
)

// A builder makes a world from the lines of a layout.
type builder struct {
	w    *World
	on   *guild // that the line belongs to
	past *history
}

func (w *World) build(text string) error {
	lines, err := layout.Parse(text)
	if err != nil {
		return err
	}
	b := &builder{w: w, past: &history{w: w, now: time.Now()}}
	if lines, err = b.past.begin(lines); err != nil {
		return err
	}
	defer b.past.end()
	for _, l := range lines {
		b.past.reach(l)
		if err := b.line(l); err != nil {
			return l.Wrap(err)
		}
	}
	return nil
}

func (b *builder) line(l layout.Line) error {
	if l.Word == "guild" {
		return b.guild(l)
	}
	b.on = b.w.guilds[l.Guild]
	switch l.Word {
	case "category":
		return b.category(l)
	case "tag":
		return b.tag(l)
	case "role":
		return b.role(l)
	case "bot":
		return b.bot(l)
	case "thread":
		return b.thread(l)
	case "post":
		return b.post(l)
	case "allow", "deny":
		return b.overwrite(l)
	case "about":
		return b.about(l)
	case "says":
		return b.says(l)
	case "posts":
		return b.posts(l)
	case "asks":
		return b.asks(l)
	case "holds":
		return b.holds(l)
	case "member", "stranger":
		return b.member(l)
	}
	return nil // of no concern to Discord: task, job, memory, plan
}

func (b *builder) guild(l layout.Line) error {
	if b.w.guildNamed(l.Name) != nil {
		return fmt.Errorf("there is a guild %s already", l.Name)
	}
	b.on = b.w.addGuild(Guild{ID: chat.GuildID(b.w.newID()), Name: l.Name})
	b.w.addRole(b.on, &Role{ID: chat.RoleID(b.on.ID), Name: "@everyone", Permissions: everyonesRights()})
	return b.channels(l.Items, "")
}

// channels makes channels, in a category unless that is empty.
func (b *builder) channels(list []string, category chat.ChannelID) error {
	for _, written := range list {
		name, kind, err := parseChannel(written)
		if err != nil {
			return err
		}
		if kind == CategoryChannel && category != "" {
			return fmt.Errorf("%s cannot be in a category, because it is one", name)
		}
		b.w.addChannel(&Channel{Guild: b.on.ID, Type: kind, Name: name, Parent: category})
	}
	return nil
}

// parseChannel reads #name for a text channel, and name:kind.
func parseChannel(written string) (name string, kind ChannelType, err error) {
	if name, isText := strings.CutPrefix(written, "#"); isText && name != "" {
		return name, TextChannel, nil
	}
	name, word, _ := strings.Cut(written, ":")
	kind = ChannelType(slices.Index(channelWords, word))
	if !slices.Contains(creatable, kind) || name == "" {
		return "", 0, fmt.Errorf("%q is no channel; write #name, or name:kind with text, announcement, forum, voice, stage or category", written)
	}
	return name, kind, nil
}

// category makes channels in a category, and the category itself unless it exists.
func (b *builder) category(l layout.Line) error {
	for _, c := range b.w.guildChannels(b.on) {
		if c.Type == CategoryChannel && strings.EqualFold(c.Name, l.Name) {
			return b.channels(l.Items, c.ID)
		}
	}
	return b.channels(l.Items, b.w.addChannel(&Channel{Guild: b.on.ID, Type: CategoryChannel, Name: l.Name}).ID)
}

// tag makes a tag of a forum. Its list is an emoji and whether the tag is moderated.
func (b *builder) tag(l layout.Line) error {
	forum, err := b.forum(l.In)
	if err != nil {
		return err
	}
	t := Tag{ID: b.w.newID(), Name: l.Name}
	for _, item := range l.Items {
		switch {
		case item == "moderated":
			t.Moderated = true
		case t.Emoji != "":
			return fmt.Errorf("a tag has one emoji, and %s would be the second", item)
		default:
			t.Emoji = item
		}
	}
	forum.Tags = append(forum.Tags, t)
	return nil
}

func (b *builder) role(l layout.Line) error {
	p, err := permissionList(l.Items)
	if err != nil {
		return err
	}
	switch r := b.on.roleNamed(l.Name); r {
	case nil:
		b.w.addRole(b.on, &Role{Name: l.Name, Permissions: p})
	case b.on.everyone():
		r.Permissions = p
	default:
		return fmt.Errorf("there is a role %s already", l.Name)
	}
	return nil
}

func permissionList(items []string) (Permissions, error) {
	var names []chat.Permission
	for _, item := range items {
		names = append(names, chat.Permission(item))
	}
	return parsePermissions(names...)
}

func (b *builder) member(l layout.Line) error {
	// A member of another guild may be on this one too.
	bot := b.w.botMember()
	if b.w.memberOn(b.on, l.Name) != nil || bot != nil && strings.EqualFold(l.Name, bot.Name) || strings.EqualFold(l.Name, "bot") {
		return fmt.Errorf("the name %s is taken", l.Name)
	}
	m := b.w.newcomer(l.Name)
	owner := false
	for _, item := range l.Items {
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
	m.Stranger = l.Word == "stranger"
	b.w.addMember(b.on, m)
	if owner {
		b.on.Owner = m.ID
	}
	return nil
}

func (b *builder) bot(l layout.Line) error {
	if b.w.botOn(b.on) != nil {
		return errors.New("there is a bot already, and one is all there can be")
	}
	m, err := b.botNamed(l.Name)
	if err != nil {
		return err
	}
	p := botsRights()
	if l.Items != nil {
		if p, err = permissionList(l.Items); err != nil {
			return err
		}
	}
	m.Roles = []chat.RoleID{b.w.addRole(b.on, &Role{Name: l.Name, Permissions: p, Managed: true}).ID}
	b.w.addMember(b.on, m)
	// Discord gives an application and its bot the same ID.
	b.w.bot, b.w.app = m.ID, string(m.ID)
	return nil
}

// botNamed is the bot as a new member: the existing one, if another guild has it.
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

// thread makes a thread that the owner started earlier.
func (b *builder) thread(l layout.Line) error {
	parent := b.w.channelOn(b.on, l.In)
	switch {
	case parent == nil:
		return fmt.Errorf("there is no channel %s", l.In)
	case !parent.Type.TakesThreads():
		return fmt.Errorf("%s has no threads", parent)
	}
	c := &Channel{Type: parent.Type.threads(), Name: l.Name, Parent: parent.ID}
	for _, item := range l.Items {
		switch item {
		case "private":
			c.Type = PrivateThread
		case "archived":
			c.Archived = true
		case "locked":
			c.Locked = true
		default:
			return fmt.Errorf("a thread can be private, archived and locked, not %s", item)
		}
	}
	b.start(c, l.Name, b.on.person(b.on.Owner))
	return nil
}

// start adds a thread of somebody. One of a forum begins with a text, which it returns.
func (b *builder) start(c *Channel, text string, by *Member) *Message {
	b.w.startThread(c, by)
	if b.w.channels[c.Parent].Type != ForumChannel {
		return nil
	}
	return b.w.post(draft{author: by, channel: c, content: b.withMentions(text), id: chat.MessageID(c.ID)})
}

func (b *builder) forum(name string) (*Channel, error) {
	forum := b.w.channelOn(b.on, name)
	switch {
	case forum == nil:
		return nil, fmt.Errorf("there is no channel %s", name)
	case forum.Type != ForumChannel:
		return nil, fmt.Errorf("%s is not a forum", forum)
	}
	return forum, nil
}

// post makes a post that the owner wrote earlier.
func (b *builder) post(l layout.Line) error { return b.postOf(l, b.on.person(b.on.Owner)) }

// postOf makes a post. Its list are tags.
func (b *builder) postOf(l layout.Line, by *Member) error {
	forum, err := b.forum(l.In)
	if err != nil {
		return err
	}
	c := &Channel{Type: PublicThread, Name: l.Name, Parent: forum.ID}
	for _, item := range l.Items {
		i := slices.IndexFunc(forum.Tags, func(t Tag) bool { return strings.EqualFold(t.Name, item) })
		if i < 0 {
			return fmt.Errorf("%s has no tag %s; make it with a tag line", forum, item)
		}
		c.AppliedTags = append(c.AppliedTags, forum.Tags[i].ID)
	}
	return b.dress(l, c, b.start(c, l.Text, by))
}

// about notes something about a member, for people.
func (b *builder) about(l layout.Line) error {
	m, err := b.person(l.Name)
	if err != nil {
		return err
	}
	m.Note = l.Text
	return nil
}

func (b *builder) overwrite(l layout.Line) error {
	p, err := permissionList(l.Items)
	if err != nil {
		return err
	}
	channel := l.In
	if c := b.w.channelOn(b.on, channel); c != nil {
		channel = string(c.ID)
	}
	if l.Word == "allow" {
		_, err = b.w.setOverwrite(channel, l.Name, p, 0)
	} else {
		_, err = b.w.setOverwrite(channel, l.Name, 0, p)
	}
	return err
}
