package standin

import "strings"

// voiceShapes are about calls.
func voiceShapes() []shape {
	inCalls := func(s situation, _ match) bool { return s.calls }
	return []shape{
		{
			asked: wordings(`(?:join|enter|hop in(?:to)?|come (?:over |in)?to|come into|talk in|speak in) (?:me in |us in )?(?:the |my |our )?(?P<channel>#?[\p{L}\p{N} _-]+?)(?: (?:voice )?(?:channel|call|chat))?`,
				`(?:join|call|talk (?:to|with)|speak (?:to|with)) (?:me|us)(?: (?:in|on) (?:the |a )?(?:call|voice))?`),
			fits: inCalls,
			begin: func(s situation, m match) string {
				room := strings.TrimSpace(strings.TrimPrefix(m["channel"], "#"))
				if !s.club.hasVoice(room) {
					if len(s.club.voice) == 0 {
						return "I see no voice channel here; make one first: “make a voice channel called lounge”."
					}
					room = s.club.voice[0]
				}
				return act("voiceJoin", "channel", room)
			},
		},
		{
			asked: wordings(`(?:leave|go out of|get out of|quit) (?:the |this |our )?(?:lounge|voice|vc|call|voice (?:channel|call|chat))`, `hang up`),
			fits:  inCalls,
			begin: func(situation, match) string { return act("voiceLeave") },
		},
		{
			// Actions for sums are off in calls, where a model would do them by itself.
			asked: wordings(`(?:what(?:'s| is)|calculate|compute|how much is|work out) [-+*/%^().,\d\s×÷x]*\d[-+*/%^().,\d\s×÷x]*`),
			fits:  func(s situation, _ match) bool { return s.call },
			begin: func(situation, match) string { return "I do sums only in writing. Ask me in the chat." },
			talk:  true,
		},
	}
}

// unheard is what the script says in a call when it does not understand.
const unheard = "Sorry, I didn't get that: a script speaks for me, which knows little. Try: what's still open? Or: what day is it?"
