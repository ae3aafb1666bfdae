package tasks

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
)

// Limits of a post, as Discord documents them.
const (
	maxName    = 100
	maxStarter = 2000
	maxTags    = 5
)

// A post is a task in the forum: what the record says that it should be, or what it was when it was looked at.
type post struct {
	Forum    chat.ChannelID `json:"forum"`
	Name     string         `json:"name"`
	Tags     []string       `json:"tags,omitempty"` // IDs, sorted
	Archived bool           `json:"archived,omitempty"`
	Own      bool           `json:"own,omitempty"`     // its first message is the bot's
	Starter  string         `json:"starter,omitempty"` // hash of its first message; empty if unknown
	Opened   time.Time      `json:"opened,omitzero"`   // when it was last taken out of the archive, or made
	Status   Status         `json:"status,omitempty"`  // that it showed when it and the record last agreed
}

// emojis stand for the status at the beginning of a name.
var emojis = map[Status]string{Open: "🟢", InProgress: "🟡", Blocked: "⚠️", Closed: "☑️"}

// named takes a name apart. The variation selector of an emoji may be lost when somebody types it.
var named = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(🟢|🟡|⚠|☑)\x{FE0F}?\s*)?(?:\[(\d{1,15})\]\s*)?(.*)$`)
})

// name is the name of a task's post.
func (r record) name() string {
	head := fmt.Sprintf("%s [%03d] ", emojis[r.Status], r.number)
	return head + chat.Shorten(r.Title, maxName-chat.Length(head))
}

// parseName takes the name of a post apart. The status is empty and the number 0 if it does not say them.
func parseName(name string) (status Status, number int64, title string) {
	parts := named().FindStringSubmatch(chat.OneLine(name))
	for s, emoji := range emojis {
		if parts[1] != "" && strings.HasPrefix(emoji, parts[1]) {
			status = s
		}
	}
	number, _ = strconv.ParseInt(parts[2], 10, 64) // empty is 0
	return status, number, strings.TrimSpace(parts[3])
}

// titleIn is the title in a name of this task's post. A number in brackets that is not the task's own belongs to the title.
func (r record) titleIn(name string) string {
	_, number, title := parseName(name)
	if number != 0 && number != r.number {
		return strings.TrimSpace(fmt.Sprintf("[%d] %s", number, title))
	}
	return title
}

// idMark stands in the bot's first message of a post, and in no other's: the number in a name can be anybody's.
func idMark(id string) string { return "**ID:** `" + id + "`" }

var marked = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?m)^\\*\\*ID:\\*\\* `([a-z]+-\\d{3,15})`$") })

// markedID is the ID of the task whose post begins with a text of the bot, or empty.
func markedID(starter string) string {
	found := marked().FindAllStringSubmatch(starter, -1)
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1][1] // a description comes before it
}

// starter is the first message of a task's post.
func (r record) starter() string {
	lines := []string{idMark(r.ID), "**Priority:** " + priorityWords(r.Priority), "**Status:** " + r.Status.Words()}
	if r.Owner != "" {
		lines = append(lines, "**Assignee:** "+r.Owner.Mention())
	}
	if !r.Due.IsZero() {
		lines = append(lines, fmt.Sprintf("**Due:** <t:%d:f>", r.Due.Unix()))
	}
	facts := strings.Join(lines, "\n")
	if r.Description == "" {
		return facts
	}
	return chat.Shorten(r.Description, maxStarter-chat.Length(facts)-2) + "\n\n" + facts
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(text))) // as Discord trims it
	return hex.EncodeToString(sum[:8])
}

// project returns the post that a record should have.
func (r record) project(tags tagSet) post {
	p := post{Forum: tags.forum, Name: r.name(), Tags: tags.of(r.Task), Archived: r.Status == Closed, Own: r.base.Own, Starter: r.base.Starter, Status: r.Status}
	if p.Own {
		p.Starter = hash(r.starter())
	}
	return p
}

// A tagSet is what the tags of a forum mean.
type tagSet struct {
	guild chat.GuildID
	forum chat.ChannelID
	ids   map[string]string // by name, in small letters
	names map[string]string // by ID
}

// newTagSet names the tags of a forum: as the map does, or else as the forum does.
func newTagSet(forum chat.Channel, named map[string]string) tagSet {
	s := tagSet{guild: forum.Guild, forum: forum.ID, ids: map[string]string{}, names: map[string]string{}}
	for _, t := range forum.Tags {
		s.ids[strings.ToLower(t.Name)] = t.ID
		s.names[t.ID] = t.Name
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		id := named[name]
		if _, there := s.names[id]; there { // a tag that was deleted stays in the file
			s.ids[strings.ToLower(labelName(name))] = id
			s.names[id] = labelName(name)
		}
	}
	return s
}

// content are the names of the tags that are not a status.
func (s tagSet) content() []string {
	var names []string
	for id, name := range s.names {
		if s.status(id) == "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// status is the status that a tag stands for, or empty.
func (s tagSet) status(id string) Status {
	name := strings.ReplaceAll(strings.ToLower(s.names[id]), " ", "_")
	if i := slices.Index(Statuses, Status(name)); i >= 0 {
		return Statuses[i]
	}
	return ""
}

// ofStatus is the tag of a status, or empty.
func (s tagSet) ofStatus(status Status) string {
	if id := s.ids[string(status)]; id != "" {
		return id
	}
	return s.ids[status.Words()]
}

// ofLabel is the tag of a label, or empty. Labels called like a status mean none.
func (s tagSet) ofLabel(label string) string {
	for _, name := range []string{labelName(label), label} {
		if id := s.ids[strings.ToLower(name)]; id != "" && s.status(id) == "" {
			return id
		}
	}
	return ""
}

// of returns the tags of a task, sorted: those of its labels, as many as Discord takes, and that of its status.
func (s tagSet) of(t Task) []string {
	var ids []string
	status, room := s.ofStatus(t.Status), maxTags
	if status != "" {
		room--
	}
	for _, l := range t.Labels {
		if id := s.ofLabel(l); id != "" && len(ids) < room && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if status != "" {
		ids = append(ids, status)
	}
	slices.Sort(ids)
	return ids
}
