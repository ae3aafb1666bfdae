package page_test

import (
	"testing"
	"time"
)

// exampleStub is a server with every kind of message.
func exampleStub(t *testing.T) *stub {
	t.Helper()
	s := newStub(t)
	s.ideas = []object{
		{"text": "make me a channel called ideas and pin a welcome message there", "why": "the bot makes the channel, writes, and pins"},
		{"text": "remind me in ten minutes to stretch", "why": "it keeps time"},
		{"text": "delete the channel ops", "as": "sam", "channel": "general", "why": "sam may not do that himself, so the bot will not do it for him"},
	}
	hello := s.say("you", generalID, "good morning! can you tell me what you can do here?", nil)
	s.say("DiscoClaw", generalID, exampleAnswer, object{"edited": true, "replyTo": object{"id": hello["id"], "author": "you", "excerpt": "good morning! can you tell me what you can do here?"},
		"reactions": []object{{"emoji": "★", "count": 2, "mine": true, "who": []string{"you", "sam"}}, {"emoji": "☕", "count": 1, "mine": false, "who": []string{"sam"}}}})
	s.say("you", generalID, "nice. make me a channel called ideas and pin a welcome message there", nil)
	s.say("DiscoClaw", generalID, "Done: <#"+opsID+"> is there, and the welcome message is pinned.", object{
		"embeds":  []object{{"title": "Welcome", "description": "Write down **whatever** comes to mind.", "url": "", "color": 0x0c6f6b, "footer": "pinned by DiscoClaw", "fields": []object{{"name": "Rule one", "value": "be kind", "inline": true}, {"name": "Rule two", "value": "be brief", "inline": true}}}},
		"buttons": [][]object{{{"id": "keep", "label": "Keep it", "style": 1, "disabled": false}, {"id": "undo", "label": "Undo", "style": 2, "disabled": false}, {"id": "delete", "label": "Delete", "style": 4, "disabled": true}}},
		"thread":  threadID,
	})
	s.say("DiscoClaw", generalID, "", object{"system": "pin", "replyTo": object{"id": hello["id"], "author": "you", "excerpt": "good morning"}})
	s.say("sam", generalID, "here is the picture from yesterday <@"+youID+">", object{"pinned": true, "attachments": []object{
		{"name": "harbour.png", "type": "image/png", "size": len(picture()), "url": "/attachments/1/2/harbour.png"},
		{"name": "notes from the meeting.txt", "type": "text/plain", "size": 1842, "url": "/attachments/1/3/notes.txt"},
	}})
	s.say("sam", generalID, "and a second thought", nil)
	s.say("DiscoClaw", generalID, "Only you can read this.", object{"onlyYou": true})
	s.say("DiscoClaw", generalID, "Which day suits you?", object{"poll": object{"question": "When do we meet?", "answers": []object{{"text": "Tuesday", "votes": 3}, {"text": "Thursday", "votes": 1}}, "closed": false}})
	s.say("DiscoClaw", opsID, "quiet here", nil)
	s.say("you", postID, "how do I start?", nil)
	s.messages[opsID] = nil
	return s
}

const exampleAnswer = "# What I can do\nI read what you write and act on it, **within limits you set**:\n" +
	"- make, rename and sort *channels*\n- write, edit and pin messages\n  - also in threads\n- keep tasks and plans\n" +
	"> Everything I do is reported, and nothing is done twice.\n" +
	"Ask with words; I answer with actions such as `channelCreate`:\n" +
	"```json\n{\"type\": \"channelCreate\", \"name\": \"ideas\"}\n```\n" +
	"More is at https://example.com/docs, and ||the secret|| is patience.\n-# This was written by a script."

func exampleTurn() object {
	return object{
		"id": "t1", "channel": generalID, "by": "you", "asked": "nice. make me a channel called ideas and pin a welcome message there",
		"began": time.Now().UTC(), "tookMs": 1840, "model": "demo", "error": "", "restCalls": 7,
		"rounds": []object{
			{
				"sections":    []object{{"name": "instructions", "bytes": 1830}, {"name": "actions", "bytes": 9200}, {"name": "server", "bytes": 640}, {"name": "conversation", "bytes": 2210}},
				"promptBytes": 13880, "answerBytes": 412, "inputTokens": 3420, "outputTokens": 118,
				"actions": []object{
					{"type": "channelCreate", "verdict": "done", "reason": "", "line": "Created #ideas", "tookMs": 41},
					{"type": "sendMessage", "verdict": "done", "reason": "", "line": "Sent to #ideas", "tookMs": 36},
					{"type": "pinMessage", "verdict": "failed", "reason": "the bot lacks the permission Manage Messages", "line": "", "tookMs": 12},
					{"type": "ban", "verdict": "refused", "reason": "moderation is switched off; set DISCOCLAW_DISCORD_ACTIONS_MODERATION=1", "line": ""},
				},
			},
			{"sections": []object{{"name": "results", "bytes": 310}}, "promptBytes": 14190, "answerBytes": 63, "actions": []object{}},
		},
	}
}
