package voice

import (
	"context"

	"discoclaw/internal/doctor"
)

// Check implements [doctor.Checker]: it says what the bot can do in calls.
func (c *Category) Check(context.Context) []doctor.Finding {
	f := doctor.Finding{What: "calls", State: "the bot hears people in calls, and answers aloud"}
	switch {
	case !c.Joins:
		return nil
	case c.Lacking != "":
		f.State, f.Wrong = c.Lacking, true
	case !c.Hears && c.Speech == nil:
		f.State, f.Note = "the bot can join calls, but neither hears nor speaks there; set DISCOCLAW_STT_BASE_URL or DEEPGRAM_API_KEY, and "+
			"DISCOCLAW_TTS_BASE_URL, CARTESIA_API_KEY or DEEPGRAM_API_KEY", true
	case !c.Hears:
		f.State, f.Note = "the bot hears nothing in calls; set DISCOCLAW_STT_BASE_URL or DEEPGRAM_API_KEY", true
	case c.Speech == nil:
		f.State, f.Note = "the bot hears people in calls, and answers in writing; to have it speak, set DISCOCLAW_TTS_BASE_URL, CARTESIA_API_KEY or DEEPGRAM_API_KEY", true
	}
	return []doctor.Finding{f}
}
