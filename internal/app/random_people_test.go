package app

import (
	"fmt"
	"strconv"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
)

// people records what people did on a bad day.
type people struct {
	channels  []string // the server's channels, threads and posts in which they talk
	said      []saying
	commands  []saying
	reactions []reacted
}

// A saying is a message to the bot.
type saying struct {
	id      chat.MessageID
	who     string
	channel string
	wish    wish
	deleted bool
}

// A reacted is a message that was not for the bot, until somebody reacted to it.
type reacted struct {
	id chat.MessageID
	// heard means that the bot must have got the event. It need not get those of the time when it
	// was offline.
	heard bool
	// written means that the event was accepted. Otherwise it may be lost with the process.
	written bool
}

// act has a random person do something at random, and at times something about tasks as well.
func (d *badDay) act() {
	if d.tasks.r.IntN(3) == 0 {
		d.work()
	}
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

// some returns one of the people whom the bot serves.
func (d *badDay) some() string { return []string{"ada", "bob"}[d.r.IntN(2)] }

// somewhere returns one of the channels.
func (d *badDay) somewhere() string { return d.channels[d.r.IntN(len(d.channels))] }

// words returns the text of the next saying.
func (d *badDay) words(w wish) string {
	return fmt.Sprintf("<@%s> %s", d.world.UserID("bot"), w.saying(len(d.said)))
}

// say lets somebody say something in a channel.
func (d *badDay) say() {
	who, where, w := d.some(), d.somewhere(), wishes[d.r.IntN(len(wishes))]
	d.tell(who, where, w)
	for d.hasty && d.r.IntN(2) == 0 {
		d.pass(5 * time.Second)
		d.tell(who, where, wishes[d.r.IntN(len(wishes))])
	}
}

// tell has a person tell the bot a wish.
func (d *badDay) tell(who, where string, w wish) {
	d.note("%s says %d in %s: %s", who, len(d.said), where, w)
	m := d.world.MustSay(who, where, d.words(w))
	d.said = append(d.said, saying{id: m.ID, who: who, channel: where, wish: w})
}

// greet opens the direct messages with the bot. Before that, it cannot know of them.
func (d *badDay) greet() {
	for _, who := range []string{"ada", "bob"} {
		d.confide(who)
		d.pass(10 * time.Second)
	}
}

// confide lets one of the people send a direct message.
func (d *badDay) confide(people ...string) {
	who := people[d.r.IntN(len(people))]
	d.note("%s says %d in private", who, len(d.said))
	m := d.world.MustSay(who, "@bot", d.words(nothing))
	d.said = append(d.said, saying{id: m.ID, who: who, channel: "@" + who})
}

// command lets somebody write a command.
func (d *badDay) command() {
	who, where := d.some(), d.somewhere()
	d.note("%s writes a command in %s", who, where)
	m := d.world.MustSay(who, where, "!help")
	d.commands = append(d.commands, saying{id: m.ID, who: who, channel: where})
}

// listens reports whether the bot certainly gets the events of the server: it has a session, and no disturbance was so
// recent that the bot may still be reconnecting. Without a session it waits longer for each attempt that fails.
func (d *badDay) listens() bool {
	return d.world.Gateway().Sessions() > 0 && !d.out && !d.away && !d.doomed && time.Since(d.disturbed) > 30*time.Second && time.Since(*d.turned.Load()) > 30*time.Second
}

// hasAccepted reports whether the inbox has an event about a message.
func (d *badDay) hasAccepted(m chat.MessageID) (accepted bool) {
	err := d.bot.Load().core.db.QueryRowContext(d.t.Context(), "SELECT COUNT(*) > 0 FROM inbox WHERE message = ?", string(m)).Scan(&accepted)
	return err == nil && accepted // a killed process has no database
}

// react lets somebody react to a message that was not for the bot.
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

// late returns one of the last sayings; nil if it was deleted.
func (d *badDay) late() *saying {
	if s := &d.said[len(d.said)-1-d.r.IntN(3)]; !s.deleted {
		return s
	}
	return nil
}

// edit lets somebody edit a saying.
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

// remove lets somebody delete a saying.
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

// open lets somebody create a channel, a thread on a saying, or a post that is a saying itself.
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
			return // it is deleted, has a thread already, or is where threads are impossible
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
