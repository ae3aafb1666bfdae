package prompt

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
)

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
	req := r.first(actions.Hint{Text: strings.Join(about, "\n"), Operates: r.Operates}, earlier,
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
