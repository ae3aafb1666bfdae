package play

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// suggestions are worth trying, and all understood.
const suggestions = "Try one of these:\n" +
	"- pin a welcome message in #ops\n" +
	"- what was said in #ops?\n" +
	"- what is pinned in #ops?\n" +
	"- say good morning in #ops\n" +
	"- react to the last message in #ops with 🎉\n" +
	"- start a thread about lunch\n" +
	"- delete the last message in #ops\n" +
	"- what is 342 * 15?\n" +
	"- which models do you use?"

// A skill is one kind of request that the demo understands.
type skill struct {
	asked *regexp.Regexp
	begin func(m []string) string              // the first answer, given the parts of the request
	goOn  func(m []string, s situation) string // the next, given results; nil says Done
}

const channel = `#?([\p{L}\p{N}_-]+)`

// skills in the order in which they are tried.
var skills = []skill{
	{
		asked: asking(`pin (?:a |the )?(.+?) (?:in|to) ` + channel),
		begin: func(m []string) string {
			return "I will write it and pin it." +
				block("sendMessage", "channel", m[2], "content", welcome(m[1])) +
				block("pinMessage", "channelId", m[2], "messageId", "last")
		},
	},
	{
		asked: asking(`(?:what(?:'s| is| are)?|show|list).*\bpin(?:s|ned)?\b.*\b(?:in|of) ` + channel),
		begin: func(m []string) string { return "Let me look." + block("listPins", "channel", m[1]) },
		goOn:  func(m []string, s situation) string { return tellMessages(m[1], "pinned", s.results) },
	},
	{
		asked: asking(`(?:what (?:was|has been|is) (?:said|written|new)|read|summari[sz]e|catch me up).*?(?:in|on|of)? ?` + `#([\p{L}\p{N}_-]+)`),
		begin: func(m []string) string { return "One moment." + block("readMessages", "channel", m[1]) },
		goOn:  func(m []string, s situation) string { return tellMessages(m[1], "written", s.results) },
	},
	{
		asked: asking(`react to the (?:last|latest) message in ` + channel + ` with (\S+)`),
		begin: func(m []string) string {
			return "Looking for it." + block("readMessages", "channel", m[1], "limit", "5")
		},
		goOn: func(m []string, s situation) string {
			return withLatest(s, func(id string) string {
				return "Found it." + block("react", "channelId", m[1], "messageId", id, "emoji", m[2])
			})
		},
	},
	{
		asked: asking(`(?:delete|remove) the (?:last|latest) message in ` + channel),
		begin: func(m []string) string {
			return "Looking for it." + block("readMessages", "channel", m[1], "limit", "5")
		},
		goOn: func(m []string, s situation) string {
			return withLatest(s, func(id string) string {
				return "Found it." + block("deleteMessage", "channelId", m[1], "messageId", id)
			})
		},
	},
	{
		asked: asking(`(?:start|open|create|make) a thread (?:about|called|on) (.+?)(?: in ` + channel + `)?`),
		begin: func(m []string) string {
			where := m[2]
			if where == "" {
				where = "general"
			}
			return "Here it is." + block("threadCreate", "channelId", where, "name", m[1])
		},
	},
	{
		asked: asking(`(?:say|send|post|write|tell) (.+?) (?:in|to|into) ` + channel),
		begin: func(m []string) string {
			return fmt.Sprintf("I am writing it in #%s.", m[2]) +
				block("sendMessage", "channel", m[2], "content", strings.Trim(m[1], `"'“”`))
		},
	},
	{
		asked: asking(`(?:what(?:'s| is)|calculate|compute|how much is) ([-+*/%^().\d\s]*\d[-+*/%^().\d\s]*)`),
		begin: func(m []string) string {
			return "Let me see." + block("calculate", "expression", strings.TrimSpace(m[1]))
		},
	},
	{
		asked: asking(`(?:which|what) models?\b.*`),
		begin: func([]string) string { return "I will look that up." + block("modelShow") },
		goOn: func([]string, situation) string {
			return "That is what a real bot would use. Here in the demonstration, no model is asked at all."
		},
	},
	{
		asked: asking(`(?:hi|hello|hey|good (?:morning|evening|day)|help|what can you do)\b.*`),
		begin: func([]string) string {
			return "Hello! I am a demonstration: what I say is scripted, but what I do goes through the real bot. " + suggestions
		},
	},
}

// asking matches a whole request, politely or not.
func asking(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:please |can you |could you |would you )*` + pattern + `(?: please)?[?.! ]*$`)
}

// welcome makes a text out of what should be written.
func welcome(what string) string {
	if strings.Contains(strings.ToLower(what), "welcome") {
		return "Welcome! Say hello, and tell us what you are working on."
	}
	return strings.TrimPrefix(strings.TrimPrefix(what, "message saying "), "message that says ")
}

// line is a message in the results of an action.
var line = regexp.MustCompile(`^\[([^\]]*)\] (.*) \((?:.*, )?id:(\d+)\)$`)

// messagesIn are the messages in results. Notices of Discord's own, such as "a
// message was pinned", have no text.
func messagesIn(results []string) [][]string {
	var found [][]string
	for _, r := range results {
		if m := line.FindStringSubmatch(r); m != nil && m[2] != "(no text)" {
			found = append(found, m)
		}
	}
	return found
}

// tellMessages puts the results of a look-up into words.
func tellMessages(where, how string, results []string) string {
	found := messagesIn(results)
	if len(found) == 0 {
		return fmt.Sprintf("Nothing is %s in #%s.", how, where)
	}
	latest := found[len(found)-1]
	return fmt.Sprintf("In #%s, %d message(s) are %s. The last of them is by %s: “%s”", where, len(found), how, latest[1], latest[2])
}

// withLatest goes on with the ID of the last message in the results. Once it has
// been used, there is nothing more to do.
func withLatest(s situation, goOn func(id string) string) string {
	if s.rounds > 1 {
		return "Done."
	}
	found := messagesIn(s.results)
	if len(found) == 0 {
		return "There is no message there."
	}
	return goOn(found[len(found)-1][3])
}

func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always encodes
	}
	return string(text)
}
