package fakediscord

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// A builder reads a layout, line by line.
type builder struct {
	w  *World
	on *guild // that the line belongs to
}

// stages are the kinds of lines in the order in which they are read, so that they
// may stand in any order: each can name what those before it made.
var stages = [][]string{{"guild"}, {"category"}, {"tag"}, {"role"}, {"member", "stranger", "bot"}, {"thread", "post"}, {"allow", "deny"}}

// build makes the world that a layout describes.
func (w *World) build(layout string) error {
	b := &builder{w: w}
	lines := strings.Split(layout, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(withoutComment(line))
		if word, _, _ := strings.Cut(lines[i], " "); word != "" && !slices.Contains(slices.Concat(stages...), word) {
			err := fmt.Errorf("%q begins no line; use guild, category, tag, role, member, stranger, bot, thread, post, allow or deny", word)
			return lineError(i, lines[i], err)
		}
	}
	for _, stage := range stages {
		if err := b.stage(stage, lines); err != nil {
			return err
		}
	}
	return nil
}

// stage reads the lines that begin with one of the words, and makes what must be
// there afterwards.
func (b *builder) stage(words, lines []string) error {
	guilds := 0
	for i, line := range lines {
		word, rest, _ := strings.Cut(line, " ")
		if word == "guild" {
			guilds++
		}
		if !slices.Contains(words, word) {
			continue
		}
		if word != "guild" {
			// What stands before the first guild belongs to it as well.
			b.on = b.w.guilds[max(0, guilds-1)]
		}
		if err := b.line(word, strings.TrimSpace(rest)); err != nil {
			return lineError(i, line, err)
		}
	}
	switch words[0] {
	case "guild":
		if len(b.w.guilds) == 0 {
			return errors.New("the layout has no guild; begin with a line like: guild disco: #general")
		}
	case "member":
		return b.ensurePeople()
	}
	return nil
}

func lineError(i int, line string, err error) error {
	return fmt.Errorf("layout, line %d (%s): %w", i+1, chat.Clip(line, 60), err)
}

// comment is a # that does not name a channel: a space follows it, or nothing.
var comment = regexp.MustCompile(`(^|\s)#(\s.*)?$`)

func withoutComment(line string) string { return comment.ReplaceAllString(line, "") }

func (b *builder) line(word, rest string) error {
	switch word {
	case "guild":
		return b.guild(rest)
	case "category":
		return b.category(rest)
	case "tag":
		return b.tag(rest)
	case "role":
		return b.role(rest)
	case "bot":
		return b.bot(rest)
	case "thread":
		return b.thread(rest)
	case "post":
		return b.post(rest)
	case "allow", "deny":
		return b.overwrite(word == "allow", rest)
	default: // member, stranger
		return b.member(rest)
	}
}

// nameAndList splits "name: a, b" and "name".
func nameAndList(s string) (name string, items []string, err error) {
	name, rest, _ := strings.Cut(s, ":")
	name = strings.TrimSpace(name)
	if name == "" {
		return "", nil, errors.New("the name is missing")
	}
	for item := range strings.SplitSeq(rest, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return name, items, nil
}

func (b *builder) guild(s string) error {
	name, channels, _ := strings.Cut(s, ":")
	switch name = strings.TrimSpace(name); {
	case name == "":
		return errors.New("the guild's name is missing")
	case b.w.guildNamed(name) != nil:
		return fmt.Errorf("there is a guild %s already", name)
	}
	b.on = b.w.addGuild(Guild{ID: chat.GuildID(b.w.newID()), Name: name})
	b.w.addRole(b.on, &Role{ID: chat.RoleID(b.on.ID), Name: "@everyone", Permissions: everyonesRights})
	return b.channels(channels, "")
}

// channels makes channels, in a category unless that is empty.
func (b *builder) channels(list string, category chat.ChannelID) error {
	for _, written := range strings.Fields(list) {
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
	kind, known := channelTypes[word]
	if !known || name == "" {
		return "", 0, fmt.Errorf("%q is no channel; write #name, or name:kind with text, announcement, forum, voice, stage or category", written)
	}
	return name, kind, nil
}

func (b *builder) role(s string) error {
	name, items, err := nameAndList(s)
	if err != nil {
		return err
	}
	p, err := permissionList(items)
	if err != nil {
		return err
	}
	if r := b.on.roleNamed(name); r != nil && r != b.on.everyone() {
		return fmt.Errorf("there is a role %s already", name)
	} else if r != nil {
		r.Permissions = p
		return nil
	}
	b.w.addRole(b.on, &Role{Name: name, Permissions: p})
	return nil
}

func permissionList(items []string) (Permissions, error) {
	var names []chat.Permission
	for _, item := range items {
		names = append(names, chat.Permission(item))
	}
	return parsePermissions(names...)
}

var threadLine = regexp.MustCompile(`^"([^"]+)" in (\S+?)(?:: *(.*))?$`)

// thread makes a thread that somebody started earlier: thread "name" in #channel,
// optionally with ": private, archived, locked".
func (b *builder) thread(s string) error {
	parts := threadLine.FindStringSubmatch(s)
	if parts == nil {
		return errors.New(`write thread "name" in #channel`)
	}
	parent := b.channel(parts[2])
	if parent == nil {
		return fmt.Errorf("there is no channel %s", parts[2])
	}
	if !parent.Type.TakesThreads() {
		return fmt.Errorf("%s has no threads", parent)
	}
	c := &Channel{Type: parent.Type.threads(), Name: parts[1], Parent: parent.ID}
	for item := range strings.SplitSeq(parts[3], ",") {
		switch strings.TrimSpace(item) {
		case "":
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
	owner := b.on.person(b.on.Owner)
	b.w.startThread(c, owner)
	if parent.Type == ForumChannel {
		b.w.post(draft{author: owner, channel: c, content: c.Name, id: chat.MessageID(c.ID)})
	}
	return nil
}

var overwriteLine = regexp.MustCompile(`^(\S+) ([^:]+): *(.+)$`)

func (b *builder) overwrite(allow bool, s string) error {
	parts := overwriteLine.FindStringSubmatch(s)
	if parts == nil {
		return errors.New("write: #channel, who, a colon, and the permissions")
	}
	_, items, err := nameAndList("permissions:" + parts[3])
	if err != nil {
		return err
	}
	p, err := permissionList(items)
	if err != nil {
		return err
	}
	channel := parts[1]
	if c := b.channel(channel); c != nil {
		channel = string(c.ID)
	}
	if allow {
		_, err = b.w.setOverwrite(channel, parts[2], p, 0)
	} else {
		_, err = b.w.setOverwrite(channel, parts[2], 0, p)
	}
	return err
}

// channel finds a channel of the guild by name.
func (b *builder) channel(name string) *Channel { return b.w.channelOn(b.on, name) }
