package actionstest

import (
	"context"
	"strings"

	"discoclaw/internal/actions"
)

// catalogue has the names of all planned types, by category, so that code that depends on
// names alone can be tested before the categories exist.
var catalogue = []struct{ category, types string }{
	{"messaging", "sendMessage sendFile react unreact readMessages fetchMessage editMessage deleteMessage bulkDelete crosspost threadCreate pinMessage unpinMessage listPins"},
	{"reactionPrompt", "reactionPrompt"},
	{"channels", "channelList channelInfo channelCreate channelEdit channelDelete channelMove categoryCreate threadListArchived threadEdit forumTagList forumTagCreate forumTagEdit forumTagDelete"},
	{"guild", "memberInfo roleInfo roleAdd roleRemove searchMessages eventList eventCreate eventEdit eventDelete"},
	{"moderation", "timeout kick ban"},
	{"polls", "poll"},
	{"tasks", "taskCreate taskUpdate taskClose taskShow taskList taskSync tagMapReload"},
	{"crons", "cronCreate cronUpdate cronList cronShow cronPause cronResume cronDelete cronTrigger cronSync cronTagMapReload"},
	{"botProfile", "botSetStatus botSetActivity botSetNickname"},
	{"forge", "forgeCreate forgeResume forgeStatus forgeCancel"},
	{"plan", "planList planShow planApprove planClose planCreate planRun"},
	{"memory", "memoryRemember memoryForget memoryShow memorySearch memoryTier conversationSummary"},
	{"defer", "defer deferList deferCancel"},
	{"reminders", "remind remindList remindCancel"},
	{"config", "modelSet modelShow"},
	{"imagegen", "generateImage"},
	{"voice", "voiceJoin voiceLeave voiceStatus voiceMute voiceDeafen voiceNote voicePlay"},
	{"web", "webSearch"},
	{"utility", "calculate"},
}

var topLevel = map[string]bool{"forgeCreate": true, "forgeResume": true, "planRun": true}

// Catalogue has a category for each row, with actions that do nothing but report
// that they ran; ran may be nil. reactionPrompt is on the switch of messaging, and
// tasks takes over old planClose requests.
func Catalogue(ran func(name string)) []actions.Category {
	var cats []actions.Category
	for _, row := range catalogue {
		c := Category{Called: row.category}
		if c.Called == "reactionPrompt" {
			c.Switch = actions.Flag{Shares: "messaging"}
		}
		for name := range strings.FieldsSeq(row.types) {
			c.List = append(c.List, Define(name, func(s *Spec) {
				s.TopLevel = topLevel[name]
				s.Do = func(context.Context, actions.Call, struct{}) (actions.Result, error) {
					if ran != nil {
						ran(name)
					}
					return actions.Result{Summary: name}, nil
				}
			}))
		}
		if c.Called == "tasks" {
			cats = append(cats, tasks{c})
			continue
		}
		cats = append(cats, c)
	}
	return cats
}

type tasks struct{ Category }

func (tasks) Rewrite(r actions.Request) (actions.Request, bool) { return actions.PlanCloseOfTask(r) }
