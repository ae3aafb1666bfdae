package dialect

import (
	"encoding/json"
	"strings"

	"discoclaw/internal/actions"
)

// voiceNote is the type of requests for speech.
const voiceNote = "voiceNote"

// Spoken takes requests for speech out where the gate does not let them through, because it is switched off or nothing can speak. Their texts
// are paragraphs for the reply then: words are not lost for want of sound.
func Spoken(g actions.Gate, reqs []actions.Request) (rest []actions.Request, paragraphs []string) {
	if g.Verdict(voiceNote).Decision == actions.Allowed {
		return reqs, nil
	}
	for _, req := range reqs {
		given := fields{}
		if req.Type != voiceNote || json.Unmarshal(req.Args, &given) != nil {
			rest = append(rest, req)
			continue
		}
		if text := strings.TrimFunc(given.text("text"), isSpace); text != "" {
			paragraphs = append(paragraphs, text)
		} else {
			rest = append(rest, req)
		}
	}
	return rest, paragraphs
}
