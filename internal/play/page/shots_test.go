package page_test

import (
	"errors"
	"os"
	"testing"
)

func TestPicturesOfTrouble(t *testing.T) {
	if os.Getenv("DISCOCLAW_SHOTS") == "" {
		t.Skip("DISCOCLAW_SHOTS names no folder for pictures")
	}
	s := exampleStub(t)
	b := show(t, s, noisyDesktop)
	s.press = func(button string) (string, error) {
		if button == "keep" {
			return "It is kept, and **nobody else** knows.", nil
		}
		return "", errors.New("the bot did not answer within three seconds")
	}
	b.run(`document.getElementById('scroller').scrollTop -= 520`)
	b.frames()
	b.click("[data-button=keep]")
	b.wait(`document.querySelector('.note')`)
	b.frames()
	b.shoot("trouble-note")
	b.click("[data-button=undo]")
	b.wait(`document.querySelector('.note[data-tone=error]')`)
	s.say("sam", generalID, "something new", nil)
	b.wait(`document.getElementById('newer').textContent.includes('new')`)
	s.setDown(true)
	b.wait(`!document.getElementById('banner').hidden`)
	b.click("#writing")
	b.keys("is anybody there?\r")
	b.wait(`!document.getElementById('composer-error').hidden`)
	b.frames()
	b.shoot("trouble-lost")
}

// TestPictures takes screenshots of the page for review. It runs when DISCOCLAW_SHOTS
// names a folder.
func TestPictures(t *testing.T) {
	if os.Getenv("DISCOCLAW_SHOTS") == "" {
		t.Skip("DISCOCLAW_SHOTS names no folder for pictures")
	}
	for _, tt := range []struct {
		name string
		look look
	}{
		{"wide-light", desktop},
		{"wide-dark", look{width: 1280, height: 800, dark: true}},
		{"phone-light", phone},
		{"phone-dark", look{width: 390, height: 844, dark: true, touch: true}},
		{"middle", look{width: 900, height: 700}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := exampleStub(t)
			b := show(t, s, tt.look)
			b.wait(`document.querySelector('.idea')`)
			b.frames()
			b.shoot(tt.name + "-first")
			s.publish("turn", exampleTurn())
			s.publish("typing", object{"channel": generalID, "name": "DiscoClaw"})
			b.wait(`document.querySelector('.act') && document.querySelector('.dots')`)
			b.frames()
			b.shoot(tt.name)
			b.run(`document.getElementById('scroller').scrollTop -= 500`)
			b.frames()
			b.shoot(tt.name + "-up")
			b.run(`document.getElementById('scroller').scrollTop = 0`)
			b.frames()
			b.shoot(tt.name + "-top")
			b.run(`document.getElementById('newer').click()`)
			if !tt.look.touch {
				b.click("[data-emoji]")
				b.click(".message:nth-last-child(4) .rich")
				b.frames()
				b.click(".tools [data-do=react]")
				b.frames()
				b.shoot(tt.name + "-emoji")
				b.keys("\u001b")
			}
			b.click("#writing")
			b.keys("hello @")
			b.frames()
			b.shoot(tt.name + "-completion")
			b.run(`location.hash = '#channel/` + forumID + `'`)
			b.wait(`document.querySelector('.post')`)
			b.shoot(tt.name + "-forum")
			b.run(`location.hash = '#channel/` + opsID + `'`)
			b.wait(`document.querySelector('.idea-chip')`)
			b.click("#speak-as")
			b.frames()
			b.shoot(tt.name + "-people")
			b.keys("\u001b")
			b.click("#panel-toggle")
			b.run(`await new Promise((next) => setTimeout(next, 400))`)
			b.shoot(tt.name + "-panel")
			b.keys("\u001b")
			b.run(`location.hash = '#channel/` + forumID + `'`)
			b.wait(`document.querySelector('.forum-head button')`)
			b.run(`document.querySelector('.forum-head button').click()`)
			b.frames()
			b.shoot(tt.name + "-dialog")
			b.keys("\u001b")
			if tt.look.width < 760 {
				b.run(`document.getElementById('sidebar-open').click(); await new Promise((next) => setTimeout(next, 400))`)
				b.shoot(tt.name + "-channels")
			}
		})
	}
}

// TestPicturesOfACard shows a question while it is open, and how it ended.
func TestPicturesOfACard(t *testing.T) {
	if os.Getenv("DISCOCLAW_SHOTS") == "" {
		t.Skip("DISCOCLAW_SHOTS names no folder for pictures")
	}
	for name, l := range map[string]look{"light": desktop, "dark": {width: 1280, height: 800, dark: true}, "phone": phone} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t)
			answer := make(chan struct{})
			s.press = func(string) (string, error) {
				<-answer
				return "", nil
			}
			s.say("you", generalID, "delete #ops", nil)
			ended := s.card()
			s.change(generalID, ended["id"].(string), object{"buttons": [][]object{}, "edited": true, "content": "⚠️ <@" + youID + ">: delete <#5> with all its messages?\n\n✅ Approved by <@" + youID + ">.\nDone: Deleted #random"})
			s.say("you", generalID, "and again", nil)
			s.card()
			s.say("DiscoClaw", generalID, "Only who asked for this, or somebody who may do it too, can answer. You need *Manage Channels* in <#"+opsID+"> for that.", object{"onlyYou": true})
			b := show(t, s, l)
			s.publish("turn", object{"id": "t4", "by": "you", "asked": "delete #ops", "tookMs": 30, "model": "a script", "restCalls": 4, "rounds": []object{{"answerBytes": 80, "actions": []object{{"type": "channelDelete", "verdict": "held", "reason": "Delete <#" + opsID + "> with all its messages.", "line": "Asked: channelDelete: not done yet; a person has been asked to approve it", "tookMs": 0}}}}})
			b.wait(`document.querySelector('.act')`)
			b.frames()
			b.shoot("card-" + name)
			b.click(".press")
			b.wait(`document.querySelector('.press[aria-busy=true]')`)
			b.frames()
			b.shoot("card-" + name + "-pressed")
			close(answer)
			b.wait(`!document.querySelector('.press[aria-busy=true]')`)
		})
	}
}

// TestPicturesOfAnswers shows the bot's attachments, cards and ephemeral messages.
func TestPicturesOfAnswers(t *testing.T) {
	if os.Getenv("DISCOCLAW_SHOTS") == "" {
		t.Skip("DISCOCLAW_SHOTS names no folder for pictures")
	}
	file := func(name, kind string, size int) object {
		return object{"name": name, "type": kind, "size": size, "url": "/attachments/1/2/" + name}
	}
	for name, l := range map[string]look{
		"wide": desktop, "dark": {width: 1280, height: 800, dark: true}, "phone": phone, "phone-dark": {width: 390, height: 844, dark: true, touch: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t)
			s.commands = exampleCommands()
			s.suggest = func(string) []string {
				return []string{"https://discord.com/channels/1571481233035100160/1571481233035100161/1571481182648926208"}
			}
			b := show(t, s, l)
			s.say("you", generalID, "what is on these two?", object{"attachments": []object{file("harbour.png", "image/png", 20480), file("notes from the meeting with everybody who came to the harbour.txt", "text/plain", 1842)}})
			s.say("DiscoClaw", generalID, "Here are three views of it.", object{"attachments": []object{file("one.png", "image/png", 20480), file("two.png", "image/png", 20480), file("three.png", "image/png", 20480)}})
			b.wait(`document.querySelectorAll('.picture img').length === 4 && [...document.querySelectorAll('.picture img')].every((i) => i.complete)`)
			b.frames()
			b.shoot("answers-" + name + "-pictures")
			s.say("DiscoClaw", generalID, "The program is long, so it is attached.\n\nIt reads the map first.", object{"attachments": []object{file("code-1.go", "text/plain; charset=utf-8", 18420), file("code-2.sql", "text/plain; charset=utf-8", 5120), file("answer.md", "text/markdown", 7000)}})
			s.say("DiscoClaw", generalID, "Let me look at how it begins.\n-# 14 s · reading src/main.go", object{"edited": true, "buttons": [][]object{{{"id": "stop", "label": "Stop", "style": 2, "disabled": false}}}})
			b.wait(`document.querySelector('.press')`)
			b.frames()
			b.shoot("answers-" + name + "-files")
			s.say("DiscoClaw", generalID, "**How the bot has been doing**\n```text\nturns        12\nactions      31 done, 2 failed\nmemory       31 MB\n```\nIt runs since <t:1700000000:R>.", object{"onlyYou": true})
			s.say("DiscoClaw", generalID, "- settings are in order\n- the model answers\n\n-# Nothing else was found.", object{"onlyYou": true})
			s.say("DiscoClaw", generalID, "And the last part, with a file.", object{"onlyYou": true, "attachments": []object{file("report.txt", "text/plain", 9000)}})
			s.say("DiscoClaw", generalID, "", object{"onlyYou": true, "loading": true})
			b.wait(`document.querySelector('.thinking')`)
			b.frames()
			b.shoot("answers-" + name + "-whispers")
			b.click("#writing")
			b.slash("")
			b.frames()
			b.shoot("answers-" + name + "-commands")
			b.run(`document.getElementById('writing').value = '/discoclaw health '; document.getElementById('writing').dispatchEvent(new Event('input'))`)
			b.wait(`document.querySelector('.completion-hint').textContent`)
			b.frames()
			b.shoot("answers-" + name + "-choices")
			b.run(`document.getElementById('writing').value = '/discoclaw why '; document.getElementById('writing').dispatchEvent(new Event('input'))`)
			b.wait(`document.querySelector('.completion-hint').textContent.startsWith('link') && document.querySelector('.completion-option')`)
			b.frames()
			b.shoot("answers-" + name + "-suggestions")
			if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("%d pixels stand out to the right", over)
			}
		})
	}
}
