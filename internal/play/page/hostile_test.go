package page_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestHostileServerContentCannotRun puts code into every field that members or the bot
// can fill.
func TestHostileServerContentCannotRun(t *testing.T) {
	t.Parallel()
	const attack = `"><img src=x onerror="window.hurt=1"><script>window.hurt=1</script><svg onload=window.hurt=1>`
	s := newStub(t)
	s.people[1]["name"], s.people[1]["note"] = attack, attack
	s.about["speaker"], s.about["version"] = attack, attack
	s.ideas = []object{{"text": attack, "why": attack, "as": attack, "channel": attack}}
	s.channels[0]["name"], s.channels[0]["topic"] = attack, attack+" [x](javascript:window.hurt=1)"
	s.channels[4]["name"] = attack
	s.channels[3]["tags"] = []object{{"id": "1", "name": attack, "emoji": attack}}
	s.channels[4]["appliedTags"] = []string{"1"}
	s.commands = []object{{"name": "/" + attack, "summary": attack, "options": []object{}}, {"name": "/bot why", "summary": "x", "options": []object{{"name": attack, "summary": attack, "required": true, "suggests": true, "choices": []string{}}}}}
	s.suggest = func(string) []string { return []string{attack} }
	s.say(samID, generalID, attack, object{
		"replyTo":     object{"id": attack, "author": attack, "excerpt": attack},
		"attachments": []object{{"name": attack, "type": "image/png", "size": 1, "url": "javascript:window.hurt=1"}, {"name": attack, "type": "image/png", "size": 1, "url": "https://elsewhere.example/attachments/a.png"}, {"name": attack, "type": "image/svg+xml", "size": 1, "url": "/attachments/1/2/a.svg"}, {"name": attack, "type": "text/html", "size": 1, "url": "//elsewhere.example/attachments/x"}},
		"embeds":      []object{{"title": attack, "description": attack, "url": "javascript:window.hurt=1", "color": `red;background:url(x)`, "footer": attack, "fields": []object{{"name": attack, "value": attack, "inline": attack}}}},
		"buttons":     [][]object{{{"id": attack, "label": attack, "style": attack, "disabled": false}, {"id": "", "label": attack, "style": 5, "url": "javascript:window.hurt=1"}}},
		"reactions":   []object{{"emoji": attack, "count": 1, "mine": false, "who": []string{attack}}},
		"poll":        object{"question": attack, "answers": []object{{"text": attack, "votes": 1}}, "closed": false},
	})
	s.say(samID, generalID, attack, object{"system": "thread"})
	s.say(samID, generalID, attack, object{"system": attack})
	b := show(t, s, desktop)
	s.publish("typing", object{"channel": generalID, "name": attack})
	turn := exampleTurn()
	turn["asked"], turn["by"], turn["model"], turn["error"] = attack, attack, attack, attack
	turn["restCalls"] = []any{attack, object{"method": attack}}
	turn["rounds"] = []object{{"sections": []object{{"name": attack, "bytes": 1}}, "actions": []object{{"type": attack, "verdict": attack, "reason": attack, "line": attack}}}}
	s.publish("turn", turn)
	s.publish("nonsense", attack)
	b.wait(`document.querySelector('.act') && document.getElementById('typing').textContent`)
	b.run(`location.hash = '#channel/` + forumID + `'`)
	b.wait(`document.querySelector('.post')`)
	b.run(`location.hash = '#channel/` + generalID + `'`)
	b.wait(rows + ` === 3`)
	b.click("#writing")
	b.keys("/")
	b.wait(`document.querySelectorAll('.completion-option').length === 2`)
	b.keys("bot why ")
	b.wait(`document.querySelector('.completion-hint').textContent && document.querySelectorAll('.completion-option').length === 1`)
	b.keys(kb.Tab)
	b.wait(`document.getElementById('writing').value.includes('window.hurt')`)
	b.frames()
	b.click("#speak-as")
	b.wait(`document.querySelector('.person')`)
	b.frames()

	if eval[bool](b, `'hurt' in window`) {
		t.Error("the code ran")
	}
	for _, fault := range eval[[]string](b, `(() => {
		const faults = [];
		for (const node of document.querySelectorAll('body script, iframe, object, embed, body link, style, form[action], svg [onload]')) faults.push(node.outerHTML);
		for (const node of document.querySelectorAll('*')) {
			for (const { name, value } of node.attributes) {
				if (name.startsWith('on')) faults.push(name);
				if (name === 'src' && !/^(mark\.svg|main\.js|theme\.js|\/attachments\/.*)$/.test(value)) faults.push('src ' + value);
				if (name === 'href' && !/^(#.*|https:\/\/.*|\/attachments\/.*|[\w]+\.(css|svg))$/.test(value)) faults.push('href ' + value);
			}
		}
		return faults;
	})()`) {
		t.Error(fault)
	}
	if n := strings.Count(b.text("body"), "window.hurt=1"); n < 20 {
		t.Errorf("the words are shown %d times only", n)
	}
}

// TestStrangeAnswersDoNotBreakThePage: missing fields and those of another type are left out.
func TestStrangeAnswersDoNotBreakThePage(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	b := show(t, s, desktop)
	s.publish("message", object{"id": id(60), "channel": generalID, "author": s.person("sam"), "content": "bare", "time": "not a time"})
	b.wait(rows + ` === 1`)
	s.publish("channel", object{"id": id(61), "name": "bare", "kind": "text", "parent": "unknown", "position": 0})
	b.wait(`document.querySelector('.channel[title=bare]')`)
	b.run(`document.querySelector('.channel[title=bare]').click()`)
	b.wait(`document.querySelector('h1').textContent === 'bare' && document.getElementById('writing').disabled`)
}
