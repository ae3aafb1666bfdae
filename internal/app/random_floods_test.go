package app

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"discoclaw/internal/chaos"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fulldisk"
)

// TestBadDaysOnAFullDiskLoseAndDoubleNothing: besides everything else, nothing can be written
// down at times. People are answered all the same, and nothing is done that was refused.
func TestBadDaysOnAFullDiskLoseAndDoubleNothing(t *testing.T) {
	t.Parallel()
	days := chaos.Runs(2, 200)
	sum := haveDays(t, days, func(d *badDay) { d.wet = true })
	table := sum.table(days)
	table.Head = append(table.Head, "cut short, and said so", "answered again, since nobody could know")
	table.Rows[0] = append(table.Rows[0], row("", sum.cutShort, sum.repeated)[1:]...)
	chaos.Publish(t, chaos.WetDays, table)
}

// rain makes the disk full that has room, or gives it room again, at once or between any two
// of its next writes. A full disk may leave what the bot has set aside, or nothing.
func (d *badDay) rain() {
	state := fulldisk.Roomy
	if d.disk.State() == fulldisk.Roomy {
		state = []fulldisk.State{fulldisk.Full, fulldisk.Spent, fulldisk.Spent, fulldisk.Broken}[d.r.IntN(4)]
	}
	writes := d.r.IntN(2) * d.r.IntN(80)
	d.note("the disk will be %v in %d writes", state, writes)
	d.disk.Become(state, writes)
}

// slip has one of the next writes fail.
func (d *badDay) slip() {
	writes := d.r.IntN(40)
	d.note("the disk stumbles in %d writes", writes)
	d.disk.Stumble(writes)
}

// forgive expects no answer to reactions that were not written down: they are lost with the
// process.
func (d *badDay) forgive() {
	for i := range d.reactions {
		d.reactions[i].heard = d.reactions[i].heard && d.reactions[i].written
	}
}

// A confessor reads in the log what the bot knows that it cannot promise.
type confessor struct {
	next io.Writer

	mu     sync.Mutex
	unread []chat.MessageID // of which nobody could say whether they were answered before
	untold []chat.MessageID // posts whose ID could not be written down, and that could not be deleted again either
}

var confessions = regexp.MustCompile(`msg="(nobody can say whether this was answered before|cannot delete a post whose ID is not written down)" .*?message=(\d+)`)

func (c *confessor) Write(line []byte) (int, error) {
	if found := confessions.FindSubmatch(line); found != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		list := &c.unread
		if strings.HasPrefix(string(found[1]), "cannot") {
			list = &c.untold
		}
		*list = append(*list, chat.MessageID(found[2]))
	}
	return c.next.Write(line)
}

// mayBeDoubled says whether the bot could not know that a message was answered by a process
// that could write nothing down: the channel could not be read, or the answer is to several
// messages, and the one that it replies to is deleted.
func (j *judge) mayBeDoubled(n int) bool {
	for _, other := range append(j.model.together(n), n) {
		s := j.people.said[other]
		if s.deleted || slices.Contains(j.log.unread, s.id) {
			return j.wet
		}
	}
	return false
}

// isCutShort says whether only the first part of an answer is there, and the reader was told
// that nobody goes on with it. That process could not write down what it had said.
func (j *judge) isCutShort(n int) bool {
	begun := j.about(looking, n)
	return j.wet && len(begun) > 0 && slices.ContainsFunc(j.world.Messages(string(begun[0].Channel)), func(m fakediscord.Message) bool {
		return m.ID.After(begun[0].ID) && strings.Contains(m.Content, "Please ask again")
	})
}

// judgePlaceholders makes sure that none is left, but for those of a process that could neither
// write them down nor delete them, if nobody looks at what they are about again.
func (j *judge) judgePlaceholders() {
	for _, m := range j.own {
		isLooked := slices.ContainsFunc(j.people.said, func(s saying) bool { return s.id == m.ReplyTo && !s.deleted })
		if len(m.Components) > 0 && (isLooked || !slices.Contains(j.log.untold, m.ID)) {
			j.t.Errorf("a reply in %s is never finished: %s", m.Channel, m.Content)
		}
	}
}
