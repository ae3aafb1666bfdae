package prompt

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
)

// A Message is the prompt of a turn that messages of one member began.
type Message struct {
	Setting
	Said   []Said // at least one, oldest first
	Spoken bool   // they were said in a call
}

// A Said is a message with its opened attachments.
type Said struct {
	chat.Message
	Opened chat.Opened
}

// First is the request of a turn's first round.
func (m Message) First(context.Context) (llm.Request, error) {
	earlier := m.earlier() // numbers its messages before those below
	var about []string
	for _, said := range m.Said {
		about = append(about, said.Text)
	}
	elsewhere := m.elsewhere(strings.Join(about, "\n"))
	var parts []part
	var images []llm.Image
	var documents []llm.Document
	parts = append(parts, part{name: "named channels", text: elsewhere})
	if len(m.Said) > 1 {
		parts = append(parts, part{name: message, text: fmt.Sprintf("%s wrote %d messages. Answer all of them in one reply; a later one may correct an earlier one.", person(m.Said[0].Author), len(m.Said))})
	}
	for i, said := range m.Said {
		m.read(said)
		words := m.words(said)
		if len(m.Said) > 1 {
			words = fmt.Sprintf("%d. %s", i+1, words)
		}
		parts = append(parts,
			part{name: "replied-to message", text: m.answered(said)},
			part{name: attachments, text: said.along("Sent along with the message below:")},
			part{name: message, text: words})
		images, documents = append(images, said.images()...), append(documents, said.documents()...)
	}
	req := m.first(strings.Join(about, "\n"), earlier, parts...)
	return withFiles(req, images, documents), nil
}

// Names of parts.
const (
	message     = "message"
	attachments = "attachments"
)

// words are the message's own, unchanged: at the end of the prompt they cannot be
// mistaken for another part. Stickers and a poll are their author's, too.
func (m Message) words(said Said) string {
	words := said.OwnNotes()
	if said.Text != "" {
		words = append([]string{said.Text}, words...)
	}
	header := labelled(m.handle(said.Place, said.ID), fmt.Sprintf("[%s %s]: ", m.asker(said.Author), m.where()))
	if m.Spoken {
		header = fmt.Sprintf("[%s says in the call %s]: ", m.asker(said.Author), m.where())
	}
	return header + cmp.Or(strings.Join(words, "\n"), "(no text)")
}

// answered quotes the message that another one replies to.
func (m Message) answered(said Said) string {
	if said.Answers == nil {
		return ""
	}
	return join("The message below answers "+cmp.Or(m.handle(said.Answers.Place, said.Answers.ID), "another one")+
		". "+m.whose(*said.Answers, said.Author.ID), chat.Fenced(content(Said{Message: *said.Answers, Opened: said.Opened},
		maxQuotedLength)), said.alongAnswered())
}

// person is a user's name with the ID, which is unique. Without a name it is the ID.
func person(u chat.User) string {
	if u.Name == "" {
		return "user " + string(u.ID)
	}
	return fmt.Sprintf("%s (user %s)", speaker(u.Name), u.ID)
}

// speaker is a name made safe for one line.
func speaker(name string) string {
	return dialect.DefuseNames(chat.Clip(chat.InBrackets(name), 60))
}

// A Reaction is the prompt of a turn that a reaction began.
type Reaction struct {
	Setting
	Said     // that was reacted to
	By       chat.User
	Emoji    chat.Emoji
	Removed  bool   // the reaction was taken back
	Question string // of the bot, which the reaction answers; may be empty
}

// First is the request of a turn's first round.
func (r Reaction) First(context.Context) (llm.Request, error) {
	earlier := r.earlier() // numbers its messages before those below
	r.read(Said{Message: r.Message, Opened: r.Opened})
	about := []string{r.Message.Text, r.Question}
	for _, e := range r.Message.Embeds {
		about = append(about, e.Title)
	}
	req := r.first(strings.Join(about, "\n"), earlier,
		part{name: attachments, text: join(r.alongAnswered(), Said{Opened: r.Opened}.along("Sent along with the message that is quoted below:"))},
		r.words())
	return withFiles(req, r.images(), r.documents()), nil
}

// words describe the reaction. The message is fenced, since it was not written to the
// bot.
func (r Reaction) words() part {
	it := r.handle(r.Message.Place, r.Message.ID)
	if r.Question != "" {
		return part{name: "reaction", text: join(
			fmt.Sprintf("[%s chose %s as the answer to your question %s]: You had asked:", r.asker(r.By), shown(r.Emoji), labelled(it, r.where())),
			chat.Fenced(r.Question),
			"Act on this choice. Do not ask again.",
		)}
	}
	it = cmp.Or(it, "a message")
	did, now := "reacted with %s to "+it, "Take the message up in the sense of the reaction."
	if r.Removed {
		did, now = "removed their %s reaction to "+it, "They may have changed their mind; take that up."
	}
	return part{name: "reaction", text: join(
		fmt.Sprintf("[%s "+did+" %s]: %s", r.asker(r.By), shown(r.Emoji), r.where(), r.whose(r.Message, r.By.ID)),
		chat.Fenced(content(r.Said, maxQuotedLength)),
	), ask: "\n\n" + now + " If there is nothing to say or do, reply " + dialect.Silent + " and nothing else."}
}

// shown is an emoji as text.
func shown(e chat.Emoji) string {
	if name, _, own := strings.Cut(string(e), ":"); own {
		return ":" + speaker(name) + ":"
	}
	return speaker(string(e))
}
