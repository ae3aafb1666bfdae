package standin

import (
	"regexp"
	"slices"
	"strings"
)

// A task is one of those that the prompt lists.
type task struct{ id, title, rest string }

// A club is what the prompt tells of the server. Without a part of the prompt, that part is empty.
type club struct {
	channels, texts, voice, roles, people, plans []string // texts are the channels in which people write
	tasks                                        []task
}

var (
	channelsLine = lazily(`(?m)^Channels: (.*)$`)
	rolesLine    = lazily(`(?m)^Roles, highest first: (.*)$`)
	peopleLine   = lazily(`(?m)^People, as last seen: (.*)$`)
	planLine     = lazily(`(?m)^(plan-\d+) [A-Z“]`)
	openTask     = lazily(`(?m)^(\w+-\d+): \w+, "(.*?)"(.*)$`)
	category     = lazily(`(?:^|; )[^:;,]+: `)
	bracketed    = lazily(` ?\([^()]*\)`)
	voiceChannel = lazily(`^([^()]+?) \(voice\b`)
	textChannel  = lazily(`^([^()]+?)(?: \(announcement\))?$`)
	pastAuthor   = lazily(`(?m)^(?:m\d+ )?\[([^\]]*)\]: `)
)

// readClub finds what a prompt tells of the server.
func readClub(prompt string) (c club) {
	listed := func(p *regexp.Regexp, sep string) []string {
		m := p.FindStringSubmatch(prompt)
		if m == nil {
			return nil
		}
		return strings.Split(bracketed().ReplaceAllString(category().ReplaceAllString(m[1], sep), ""), sep)
	}
	for _, name := range listed(channelsLine(), ", ") {
		if name = strings.TrimSpace(strings.TrimLeft(name, "#; ")); name != "" {
			c.channels = append(c.channels, strings.ToLower(name))
		}
	}
	for _, part := range strings.FieldsFunc(channelsLine().FindString(prompt), func(r rune) bool { return strings.ContainsRune(",;:", r) }) {
		if m := textChannel().FindStringSubmatch(strings.TrimSpace(part)); m != nil && c.hasChannel(m[1]) {
			c.texts = append(c.texts, m[1])
		}
		if m := voiceChannel().FindStringSubmatch(strings.TrimSpace(part)); m != nil {
			c.voice = append(c.voice, m[1])
		}
	}
	c.roles, c.people = listed(rolesLine(), ", "), listed(peopleLine(), ", ")
	for _, m := range pastAuthor().FindAllStringSubmatch(prompt, -1) {
		c.people = append(c.people, m[1])
	}
	for _, m := range planLine().FindAllStringSubmatch(prompt, -1) {
		c.plans = append(c.plans, m[1])
	}
	for _, m := range openTask().FindAllStringSubmatch(prompt, -1) {
		c.tasks = append(c.tasks, task{id: m[1], title: m[2], rest: m[3]})
	}
	return c
}

func (c club) hasChannel(name string) bool {
	return slices.Contains(c.channels, strings.ToLower(strings.TrimPrefix(name, "#")))
}

// role is the role that a word means, also in the plural.
func (c club) role(word string) (string, bool) {
	for _, r := range c.roles {
		if strings.EqualFold(r, word) || strings.EqualFold(r, word+"s") || strings.EqualFold(r+"s", word) {
			return r, true
		}
	}
	return "", false
}

func (c club) hasPerson(name string) bool {
	return strings.HasPrefix(strings.TrimPrefix(name, "<"), "@") && !strings.Contains(name, ": ") ||
		slices.ContainsFunc(c.people, func(p string) bool { return strings.EqualFold(p, person(name)) })
}

// task is the open task that has most words in common with a text.
func (c club) task(words string) (best task, ok bool) {
	most := 0
	for _, t := range c.tasks {
		if n := nearness(words, t.title); n > most {
			best, most = t, n
		}
	}
	return best, most > 0
}

func (c club) hasVoice(name string) bool {
	return slices.ContainsFunc(c.voice, func(v string) bool { return strings.EqualFold(v, name) })
}
