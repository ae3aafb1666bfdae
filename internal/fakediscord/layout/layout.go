// Package layout reads the text that describes a world: its servers, channels, roles and members. It has a few lines like these:
//
//	guild disco: #general #ops news:announcement ideas:forum talk:voice Projects:category
//	member ada: owner            # has every right
//	member bob                   # has those of @everyone
//	role mods: Manage Messages, Kick Members
//	member eve: mods
//	stranger zed                 # a member like bob
//	stranger Friend: bot         # another bot, which does what people do
//	bot DiscoClaw: Administrator # or a list; without one, what such a bot is usually given
//	thread "help me" in #general
//	thread "old news" in #general: private, archived, locked
//	category Old Projects: #plans notes:forum # with its channels; made if it is not there
//	tag bug in ideas
//	tag "good idea" in ideas: 💡, moderated
//	post "Dark mode" in ideas [bug]: my eyes hurt
//	deny #ops bob: View Channel
//	allow #ops eve: View Channel
//	about bob: sails alone      # a note, which people read and the bot does not
//
// Lines with a time, as it is written in a [Moment], say what has happened:
//
//	-13d 09:12 ada in #general: Good morning!       # or in "a thread or post"
//	pinned                                          # the message above
//	reaction 👍: bob, eve
//	-6d 10:00 bob posts "It creaks" in help [boat]: Since yesterday.
//	-2d 18:30 eve asks in #general: Lunch? | pizza (ada, bob) | pasta # a poll, and its votes
//	+3d 19:00 ada holds "Supper" in talk for 2h: All are welcome.     # an event
//
// Lines with task, job, memory or plan are for those who start a bot in the world:
//
//	task of ada: Paint the hull; due +3d; for bob; urgent
//
// There may be several guilds; what stands below a guild line belongs to that guild, and
// the same person can be a member of several, with other roles:
//
//	guild lair: #general #traps
//	member bob: owner
//
// Apart from that, lines may stand in any order. Of two roles the later one stands higher,
// and the bot's own above them all. "role @everyone: …" changes what everyone may do. A
// layout that names no owner gets one called ada, and one that names no bot gets one
// called DiscoClaw; so does each guild.
//
// Parse takes the lines apart; the package fakediscord makes a world of them.
package layout

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"discoclaw/internal/chat"
)

// A Line is one parsed line of a layout. Fields that its word does not use are empty.
type Line struct {
	Word  string   // its first
	Guild int      // its index
	Name  string   // of the object; in allow and deny, the role or member
	In    string   // a channel
	Items []string // of its list; nil if it has none
	Text  string   // of a post, or what somebody said

	At        Moment     // of a line with a time
	By        string     // whose it is: of lines with a time, and of tasks and the like
	For       string     // how long an event takes
	Pinned    bool       // the message
	Reactions []Reaction // to the message

	stage   int
	number  int // 0 for a line that Parse added
	written string
}

// Wrap adds the number of the line to an error.
func (l Line) Wrap(err error) error {
	if l.number == 0 {
		return fmt.Errorf("make a %s: %w; name it with a %s line", l.Word, err, l.Word)
	}
	return fmt.Errorf("layout, line %d (%s): %w", l.number, chat.Clip(l.written, 60), err)
}

// A form is the syntax of a line after its word.
type form struct {
	stage   int // lines can refer to objects of earlier stages
	pattern *regexp.Regexp
	wrong   string // the error message
}

// The stages of lines that need everything else.
const (
	stageDated = 7
	stageGiven = 8
)

var forms = sync.OnceValue(func() map[string]form {
	list := regexp.MustCompile(`^(?<name>[^:\s][^:]*)(?::(?<items>.*))?$`)
	overwrite := form{6, regexp.MustCompile(`^(?<in>\S+) (?<name>[^:]+): *(?<items>.+)$`), "write: #channel, who, a colon, and the permissions"}
	person := form{4, list, "the name is missing"}
	given := form{stageGiven, regexp.MustCompile(`^of (?<by>[^\s:]+)(?: in (?<in>[^\s:]+))?: *(?<text>.+)$`), "write of, a name, a colon, and the text"}
	return map[string]form{
		"guild":    {0, list, "the guild's name is missing"},
		"category": {1, list, "the category's name is missing"},
		"tag":      {2, regexp.MustCompile(`^(?:"(?<name>[^"]+)"|(?<name>\S+)) in (?<in>\S+?)(?:: *(?<items>.*))?$`), `write tag "name" in forum`},
		"role":     {3, list, "the name is missing"},
		"member":   person, "stranger": person, "bot": person,
		"thread": {5, regexp.MustCompile(`^"(?<name>[^"]+)" in (?<in>\S+?)(?:: *(?<items>.*))?$`), `write thread "name" in #channel`},
		"post":   {5, regexp.MustCompile(`^"(?<name>[^"]+)" in (?<in>\S+?)(?: \[(?<items>[^\]]*)\])?: *(?<text>.+)$`), `write post "title" in forum, a colon, and its text`},
		"allow":  overwrite, "deny": overwrite,
		"about": {5, regexp.MustCompile(`^(?<name>[^\s:]+): *(?<text>.+)$`), "write about, a name, a colon, and the note"},
		"task":  given, "job": given, "memory": given, "plan": given,
	}
})

// Parse returns the lines of a layout in the order in which they can be carried out, with
// lines for the owners and bots that the layout does not name. An error names its line.
func Parse(text string) ([]Line, error) {
	var lines []Line
	guilds := 0
	for i, written := range strings.Split(text, "\n") {
		written = strings.TrimSpace(withoutComment(written))
		if written == "" {
			continue
		}
		l := Line{number: i + 1, written: written}
		below, err := l.below(lines)
		if err == nil && !below {
			err = l.parse()
		}
		if err != nil {
			return nil, l.Wrap(err)
		}
		if below {
			continue
		}
		if l.Word == "guild" {
			guilds++
		}
		l.Guild = max(0, guilds-1) // lines before the first guild belong to it as well
		lines = append(lines, l)
	}
	if guilds == 0 {
		return nil, errors.New("the layout has no guild; begin with a line like: guild disco: #general")
	}
	lines = append(lines, missing(lines, guilds)...)
	slices.SortStableFunc(lines, func(a, b Line) int { return a.stage - b.stage })
	return lines, nil
}

// withoutComment cuts a line at a # that does not name a channel: a space follows it, or
// nothing.
func withoutComment(line string) string {
	if at := strings.Index(" "+strings.ReplaceAll(line, "\t", " ")+" ", " # "); at >= 0 {
		return line[:at]
	}
	return line
}

// parse parses the written text.
func (l *Line) parse() error {
	if strings.HasPrefix(l.written, "-") || strings.HasPrefix(l.written, "+") {
		return l.parseDated()
	}
	word, rest, _ := strings.Cut(l.written, " ")
	f, known := forms()[word]
	if !known {
		return fmt.Errorf("%q begins no line; use guild, category, tag, role, member, stranger, bot, thread, post, allow, deny, about, task, job, memory, plan, or a time such as -2d 09:12", word)
	}
	l.Word, l.stage = word, f.stage
	return l.fill(f, rest)
}

// fill takes the fields of a line from what stands behind its word.
func (l *Line) fill(f form, rest string) error {
	rest = strings.TrimSpace(rest)
	found := f.pattern.FindStringSubmatchIndex(rest)
	if found == nil {
		return errors.New(f.wrong)
	}
	for i, part := range f.pattern.SubexpNames() {
		if found[2*i] < 0 {
			continue
		}
		switch value := rest[found[2*i]:found[2*i+1]]; part {
		case "name":
			l.Name = strings.TrimSpace(value)
		case "in":
			l.In = value
		case "items":
			l.Items = items(value, l.stage <= 1)
			if l.Word == "asks" { // answers, each with its votes
				l.Items = strings.Split(value, "|")
			}
		case "text":
			l.Text = strings.ReplaceAll(value, `\n`, "\n")
		case "by":
			l.By = value
		case "for":
			l.For = value
		}
	}
	return nil
}

// items splits a list: channels at spaces, everything else at commas.
func items(list string, channels bool) []string {
	if channels {
		return strings.Fields(list)
	}
	all := []string{}
	for item := range strings.SplitSeq(list, ",") {
		if item = strings.TrimSpace(item); item != "" {
			all = append(all, item)
		}
	}
	return all
}

// missing makes lines for the owners and the bot of guilds that have none.
func missing(lines []Line, guilds int) []Line {
	bot, stage := "DiscoClaw", forms()["bot"].stage
	if i := slices.IndexFunc(lines, func(l Line) bool { return l.Word == "bot" }); i >= 0 {
		bot = lines[i].Name
	}
	var added []Line
	for g := range guilds {
		on := func(is func(Line) bool) bool {
			return slices.ContainsFunc(lines, func(l Line) bool { return l.Guild == g && l.stage == stage && is(l) })
		}
		if !on(func(l Line) bool { return l.Word == "bot" }) {
			added = append(added, Line{Word: "bot", Guild: g, Name: bot, stage: stage})
		}
		if on(func(l Line) bool { return l.Word != "bot" && slices.Contains(l.Items, "owner") }) {
			continue
		}
		owner := "ada"
		if strings.EqualFold(bot, owner) || on(func(l Line) bool { return strings.EqualFold(l.Name, "ada") }) {
			owner = "owner"
		}
		added = append(added, Line{Word: "member", Guild: g, Name: owner, Items: []string{"owner"}, stage: stage})
	}
	return added
}
