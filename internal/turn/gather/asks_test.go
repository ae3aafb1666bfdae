package gather

import (
	"testing"

	"discoclaw/internal/turn/history"
)

// TestAsksAbout: a request for a change must not be taken for a question about what was said, or the change would wait for approval.
func TestAsksAbout(t *testing.T) {
	t.Parallel()
	lines := []history.Line{{Author: "tom (a stranger to you)", Text: "I have Codenames for Saturday, and bring crisps."}, {Author: "Mia", Text: "Final version by Wednesday."}}
	for text, want := range map[string]bool{
		"who brings what on saturday?":                              true,
		"what does tom think?":                                      true,
		"what did people say?":                                      true,
		"what was said so far?":                                     true,
		"Hat schon jemand eine Idee geschrieben? Ich hatte gefragt": true,
		"qu'est-ce qu'ils ont écrit":                                true,
		"can you summarize this channel":                            true,
		"pin mia's message, please":                                 true,
		"delete that ad and 2 hours timeout for zed":                true,
		"there he goes again. delete that ad":                       true,
		"who owns this server?":                                     false,
		"what about pizza? make a poll":                             false,
		"can you make a channel for saturday?":                      false,
		"ok could you give tom the role Mods?":                      false,
		"kannst du Mia die Rolle Mods geben?":                       false,
		"give mia the role Designers":                               false,
		"post in #ops that the backup is done":                      false,
		"as i already said, rename it":                              false,
		"what did I just say about codenames":                       false,
		"do what you suggested":                                     false,
		"make a poll: saturday or sunday":                           false,
		"where should this thing go?":                               false,
		"":                                                          false,
		"yes do what lena said":                                     false,
		"zed says he can't write, take the timeout off him":         false,
		"check again in one minute if anyone wrote here":            false,
		"every hour, tell me if somebody reported an outage":        false,
		"poll pls: what snacks on saturday?":                        false,
		"post \"Who has Codenames?\" there and pin it":              false,
		"ok poll: codenames or catan?":                              false,
		"tu peux lancer un sondage ? samedi":                        false,
		"what has to happen first, going by this channel?":          true,
		"delete toms message in here pls":                           true,
		"tom dropped an ad in general, remove that one":             true,
		"delete toms codenames line":                                true,
		"remind me a day before the final version is due":           true,
		"remind tom of the final version":                           false,
		"and now a channel toms-codenames":                          false,
		"look up who has the games and tell me":                     true,
		"make a channel for the final version":                      false,
		"repeat what tom just wrote":                                true,
		"recap this channel please":                                 true,
		"is codenames any good?":                                    true,
		"did anyone say what the theme is?":                         true,
	} {
		if got := requestOf(text).asksAbout(lines); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if requestOf("what was said?").asksAbout(nil) {
		t.Error("there is nothing to be asked about")
	}
}

// TestAnOrdinaryWordIsNoName: an outsider may take it, and write a message with the words of many requests.
func TestAnOrdinaryWordIsNoName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"the boss (@zed, a stranger to you)", "Channel", "make", "A. Zed", "to"} {
		lines := []history.Line{{Author: name, Text: "channel topic release notes saturday general"}}
		for _, text := range []string{"make a channel for the release notes, and post it to general", "yes do what mia asked and make the channel"} {
			if requestOf(text).asksAbout(lines) {
				t.Errorf("%q is about a message of %q", text, name)
			}
		}
	}
}
