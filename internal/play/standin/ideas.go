package standin

import (
	"cmp"
	"slices"
	"strings"

	"discoclaw/internal/fakediscord"
)

// An Idea is a request worth trying.
type Idea struct {
	Text    string `json:"text"`
	As      string `json:"as,omitempty"`
	Channel string `json:"channel,omitempty"`
	Why     string `json:"why"`
	Where   string `json:"where"` // Server or Direct

	needs string // a member or channel that the text names without a sign; may be empty
}

// Where an idea fits.
const (
	Server = "server"
	Direct = "dm"
)

// Ideas all work in a new world, in any order.
var Ideas = append([]Idea{
	{Text: "Make a channel called ideas and pin a welcome message there.",
		Why: "several actions in one reply; the later ones use what the first made"},
	{Text: "Every Friday at 17:00, post the open tasks in #ops.", Why: "a scheduled job, which the bot does by itself from now on"},
	{Text: "Delete the channels that have been quiet since March.", Why: "looks first, and asks before it deletes anything"},
	{Text: "what did I miss?", Why: "reads the channels and tells you what is there"},
	{Text: "who wrote about the release?", Why: "searches what was said, in the channels that you can read"},
	{Text: "make a task: fix the login, urgent", Why: "work to be done, as a post in the forum tasks that follows it"},
	{Text: "what's still open?", Why: "the open tasks"},
	{Text: "start a poll: Lunch? pizza, pasta or soup", Why: "posts a poll; vote in it, also as sam"},
	{Text: "remind me in 20 seconds to stretch", Why: "does something later, by itself"},
	{Text: "every minute, tell us to breathe", Why: "a job that runs soon; or move the clock on, above"},
	{Text: "what is scheduled?", Why: "the jobs, and when they run next"},
	{Text: "show me plan 1", Why: "a change to the club's program; then write: approve plan 1, and: run plan 1", needs: "noor"},
	{Text: "make an event: Harbour walk on Saturday at 15:00 at the pier", Why: "an event, as Discord shows it to everybody"},
	{Text: "give sam the role helpers", Why: "makes the role if there is none, then gives it", needs: "sam"},
	{Text: "start a thread about lunch", Why: "makes a thread"},
	{Text: "ask in help: how do I deploy?", Why: "posts in a forum", needs: "help"},
	{Text: "react to the last message in #ops with 🎉", Why: "looks first, then acts on what it found"},
	{Text: "rename #news to updates", Why: "then write !undo, which takes back what the bot did last here"},
	{Text: "remember that I prefer tea", Why: "about you, in all your conversations, and in nobody else's"},
	{Text: "make a times table", Why: "what would flood the channel becomes a file"},
	{Text: "tell me a story", Why: "watch it grow, and stop it"},
	{Text: "ban sam", Why: "moderation is switched off unless the operator wants it", needs: "sam"},
	{Text: "say hi in #ops", As: "sam", Why: "sam may not write there, so neither may the bot for sam"},
	{Text: "hello?", As: "zed", Why: "a stranger gets no answer"},
	{Text: "!trace", Why: "what the bot did here, and what it cost"},
}, directIdeas...)

// directIdeas are for direct messages, where no action runs.
var directIdeas = []Idea{
	{Text: "hello", Why: "a conversation of your own", Where: Direct},
	{Text: "what time is it?", Why: "the prompt says so", Where: Direct},
	{Text: "!memory remember I live in Ulm", Why: "a command, which needs no model; it counts in all your conversations", Where: Direct},
	{Text: "what do you know about me?", Why: "what it remembers is in the prompt", Where: Direct},
	{Text: "!memory", Why: "all that it remembers, as a command", Where: Direct},
}

// callIdeas are for where there is sound.
var callIdeas = []Idea{
	{Text: "come to the Lounge", Channel: "Lounge", needs: "Lounge",
		Why: "enter it yourself, and talk with the bot: it hears what you type, and you read what it says"},
}

// IdeasFor are the ideas that can be tried on a world, which may lack members and channels of a new one, and may have no sound.
func IdeasFor(w *fakediscord.World, sound bool) []Idea {
	fits, all := []Idea{}, Ideas
	if sound {
		all = slices.Concat(callIdeas, Ideas)
	}
	for _, i := range all {
		_, here := w.Channel(i.needs)
		_, known := w.Member(cmp.Or(i.As, i.needs))
		if i.As+i.needs != "" && !here && !known {
			continue
		}
		if m := channelNamed().FindStringSubmatch(i.Text); m != nil {
			if _, found := w.Channel(m[1]); !found {
				continue
			}
		}
		i.Where = cmp.Or(i.Where, Server)
		fits = append(fits, i)
	}
	return fits
}

// channelNamed is a channel in the text of an idea.
var channelNamed = lazily(`#([\p{L}\p{N}_-]+)`)

// shownIdeas is how many ideas a terminal shows.
const shownIdeas = 12

// Suggestions are some of the ideas as a list, for a terminal.
func Suggestions() string {
	lines := []string{"Try one of these:"}
	for _, i := range Ideas[:shownIdeas] {
		lines = append(lines, "- "+i.Text)
	}
	return strings.Join(lines, "\n")
}
