package dialect

import (
	"fmt"
	"strings"

	"discoclaw/internal/actions"
)

// An effect is what a name means that is no action's.
type effect string

const (
	nothing   effect = "none"
	ignores   effect = "ignore"
	continues effect = "continue"
	stops     effect = "stop"
	resumes   effect = "resume"
)

// controlNames are the names that an envelope may have in place of an action's, by their effect.
var controlNames = map[effect]string{
	nothing:   "NONE NO_ACTION NO_RESPONSE NO_REACTION RESPONSE REPLY RESPOND DEFAULT SOCIAL_ENGAGE",
	ignores:   "IGNORE SKIP",
	continues: "CONTINUE ELABORATE KEEP_TALKING",
	stops:     "STOP STOP_TALKING STOP_CHATTING STOP_CONVERSATION END_CONVERSATION MUTE_ROOM UNFOLLOW_ROOM",
	resumes:   "UNMUTE_ROOM FOLLOW_ROOM RESUME_CONVERSATION",
}

// byControlName returns the effects by folded names.
func byControlName() map[string]effect {
	all := map[string]effect{}
	for e, names := range controlNames {
		for name := range strings.FieldsSeq(names) {
			all[actions.FoldName(name)] = e
		}
	}
	return all
}

// checkNames reports whether an action answers to a name that means something else in an envelope.
func checkNames(named func(string) (string, bool)) error {
	for _, names := range controlNames {
		for name := range strings.FieldsSeq(names) {
			if typ, taken := named(name); taken {
				return fmt.Errorf("the action %s answers to %s, which is no action in an envelope", typ, name)
			}
		}
	}
	return nil
}
