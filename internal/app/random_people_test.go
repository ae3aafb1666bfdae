package app

import (
	"fmt"
	"strconv"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
)

// people are what people did on a bad day.
type people struct {
	channels  []string // of the server, with threads and posts, in which they talk
	said      []saying
	commands  []saying
	reactions []reacted
}

// A saying is something that somebody said to the bot.
type saying struct {
	id      chat.MessageID
	who     string
	channel string
	wish    wish
	deleted bool
}

// A reacted remark is one that was not for the bot, until somebody reacted to it.
type reacted struct {
	id chat.MessageID
	// heard says that the bot must have heard of it. It need not hear of what happened while
	// it was not there.
	heard bool
	// written says that the bot has written it down. Otherwise it may be lost with the process.
	written bool
}

// act has somebody do something.
func (d *badDay) act() {
	switch k := d.r.IntN(20); {
	case k < 9:
		d.say()
	case k < 11:
		d.confide("ada", "bob")
	case k < 13:
		d.command()
	case k < 15:
		d.react()
	case k < 16:
		d.edit()
	case k < 17:
		d.remove()
	case len(d.channels) < 8:
		d.open()
	}
}

// some is one of the people whom the bot serves.
func (d *badDay) some() string { return []string{"ada", "bob"}[d.r.IntN(2)] }

// somewhere is one of the channels.
func (d *badDay) somewhere() string { return d.channels[d.r.IntN(len(d.channels))] }

// words are how the next saying is worded.
func (d *badDay) words(w wish) string {
	return fmt.Sprintf("<@%s> %s", d.world.UserID("bot"), w.saying(len(d.said)))
}

// say has somebody say something somewhere.
func (d *badDay) say() {
	who, where, w := d.some(), d.somewhere(), wishes[d.r.IntN(len(wishes))]
	d.note("%s says %d in %s: %s", who, len(d.said), where, w)
	m := d.world.MustSay(who, where, d.words(w))
	d.said = append(d.said, saying{id: m.ID, who: who, channel: where, wish: w})
}

// greet opens the conversations with the bot that nobody else sees. Before that, it cannot
// know of them.
func (d *badDay) greet() {
	for _, who := range []string{"ada", "bob"} {
		d.confide(who)
		d.pass(10 * time.Second)
	}
}

// confide has one of some people say something that nobody else sees.
func (d *badDay) confide(people ...string) {
	who := people[d.r.IntN(len(people))]
	d.note("%s says %d in private", who, len(d.said))
	m := d.world.MustSay(who, "@bot", d.words(nothing))
	d.said = append(d.said, saying{id: m.ID, who: who, channel: "@" + who})
}

// command has somebody write a command.
func (d *badDay) command() {
	who, where := d.some(), d.somewhere()
	d.note("%s writes a command in %s", who, where)
	m := d.world.MustSay(who, where, "!help")
	d.commands = append(d.commands, saying{id: m.ID, who: who, channel: where})
}

// listens says whether the bot certainly hears what happens on the server: nothing has come
// between them for so long that it is back.
func (d *badDay) listens() bool {
	return !d.out && !d.away && !d.doomed && time.Since(d.disturbed) > 30*time.Second && time.Since(*d.turned.Load()) > 30*time.Second
}

// hasAccepted says whether the bot has written down that somebody did something to a message.
func (d *badDay) hasAccepted(m chat.MessageID) (accepted bool) {
	err := d.bot.Load().core.db.QueryRowContext(d.t.Context(), "SELECT COUNT(*) > 0 FROM inbox WHERE message = ?", string(m)).Scan(&accepted)
	return err == nil && accepted // who is dead has written down nothing
}

// react has somebody react to a remark that was not for the bot.
func (d *badDay) react() {
	who, where, n := d.some(), d.somewhere(), len(d.reactions)
	m := d.world.MustSay("cat", where, fmt.Sprintf("remark %d", n))
	d.pass(2 * time.Second)
	if err := d.world.React(who, m.ID, "👀"); err != nil {
		d.t.Fatal(err)
	}
	synctest.Wait()
	written := d.hasAccepted(m.ID)
	heard := d.listens() || written
	d.note("%s reacts to remark %d in %s; certainly heard: %v, written down: %v", who, n, where, heard, written)
	d.reactions = append(d.reactions, reacted{id: m.ID, heard: heard, written: written})
}

// late is one of the last things that were said and are still there.
func (d *badDay) late() *saying {
	if s := &d.said[len(d.said)-1-d.r.IntN(3)]; !s.deleted {
		return s
	}
	return nil
}

// edit has somebody change what they said.
func (d *badDay) edit() {
	s := d.late()
	if s == nil {
		return
	}
	m, _ := d.world.Message(s.id)
	d.note("%s changes %q", s.who, m.Content)
	if err := d.world.EditAs(s.who, s.id, m.Content+", indeed"); err != nil {
		d.t.Fatal(err)
	}
}

// remove has somebody delete what they said.
func (d *badDay) remove() {
	s := d.late()
	if s == nil {
		return
	}
	m, _ := d.world.Message(s.id)
	d.note("%s deletes %q", s.who, m.Content)
	if err := d.world.DeleteAs(s.who, s.id); err != nil {
		d.t.Fatal(err)
	}
	s.deleted = true
}

// open has somebody make a channel, a thread on something that was said before, or a post,
// which says something.
func (d *badDay) open() {
	name, who := "new"+strconv.Itoa(len(d.channels)), d.some()
	switch d.r.IntN(3) {
	case 0:
		d.note("#%s is made", name)
		if _, err := d.world.AddChannel("#" + name); err != nil {
			d.t.Fatal(err)
		}
	case 1:
		s := d.said[d.r.IntN(len(d.said))]
		if _, err := d.world.StartThreadOn(who, s.id, name); err != nil {
			return // it is deleted, or has one, or is in no place for it
		}
		d.note("%s starts the thread %s in %s", who, name, s.channel)
	default:
		d.note("%s says %d in the post %s", who, len(d.said), name)
		post, err := d.world.StartPost(who, "ideas", name, d.words(nothing))
		if err != nil {
			d.t.Fatal(err)
		}
		d.said = append(d.said, saying{id: chat.MessageID(post.ID), who: who, channel: name})
	}
	d.channels = append(d.channels, name)
}
