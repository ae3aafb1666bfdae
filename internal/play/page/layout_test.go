package page_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// tooWide lists elements that overflow the page to the right.
const tooWide = `(() => {
	const found = [];
	if (document.documentElement.scrollWidth > innerWidth) found.push('the page is ' + document.documentElement.scrollWidth + ' wide');
	for (const node of document.querySelectorAll('body *')) {
		const box = node.getBoundingClientRect();
		const inert = node.closest('[inert], .sr-only, .code-block pre, svg');
		if (!inert && box.width > 0 && box.right > innerWidth + 1) found.push(node.localName + '.' + node.className + ' ends at ' + Math.round(box.right));
	}
	for (const node of document.querySelectorAll('#scroller, #channels, #panel, #forum')) {
		if (node.scrollWidth > node.clientWidth + 1) found.push(node.id + ' scrolls sideways');
	}
	return found;
})()`

func TestNothingIsTooWide(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Donaudampfschifffahrtsgesellschaft", 12)
	for name, l := range map[string]look{"phone": phone, "desktop": desktop, "middle": {width: 800, height: 700}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := exampleStub(t)
			s.people[1]["name"] = long
			s.say("you", generalID, long, nil)
			s.say("DiscoClaw", generalID, "`"+long+"` **"+long+"**\n```\n"+long+"\n```\n> "+long+"\n- "+long+"\n# "+long, object{
				"embeds":      []object{{"title": long, "description": long, "url": "https://example.com/" + long, "footer": long, "fields": []object{{"name": long, "value": long, "inline": true}, {"name": long, "value": long, "inline": true}}}},
				"attachments": []object{{"name": long + ".txt", "type": "text/plain", "size": 1, "url": "/attachments/1/2/x"}},
				"buttons":     [][]object{{{"id": "a", "label": long, "style": 1}, {"id": "b", "label": "short", "style": 2}}},
				"reactions":   []object{{"emoji": long, "count": 123456, "mine": false, "who": []string{long}}},
				"poll":        object{"question": long, "answers": []object{{"text": long, "votes": 3}}, "closed": true},
				"replyTo":     object{"id": "1", "author": long, "excerpt": long},
			})
			s.say(samID, generalID, "", object{"system": "pin"})
			b := show(t, s, l)
			turn := exampleTurn()
			turn["asked"], turn["error"] = long, long
			s.publish("turn", turn)
			b.wait(`document.querySelector('.act')`)
			b.frames()
			for _, place := range []string{"", "500", "1500", "0"} {
				if place != "" {
					b.run(`document.getElementById('scroller').scrollTop = ` + place)
				}
				b.frames()
				if found := eval[[]string](b, tooWide); len(found) > 0 {
					t.Errorf("at %q: %s", place, strings.Join(found, "\n"))
				}
			}
			b.shoot("long-" + name)
			b.run(`location.hash = '#channel/` + forumID + `'`)
			b.wait(`document.querySelector('.post')`)
			if found := eval[[]string](b, tooWide); len(found) > 0 {
				t.Errorf("the forum: %s", strings.Join(found, "\n"))
			}
		})
	}
}

func TestChannelsAreADrawerOnAPhone(t *testing.T) {
	t.Parallel()
	b := show(t, newStub(t), phone)
	drawn := `document.getElementById('sidebar').getBoundingClientRect().left === 0`
	if eval[bool](b, drawn) {
		t.Error("the channels are open from the start")
	}
	if !eval[bool](b, `document.getElementById('sidebar').inert && document.getElementById('panel').inert`) {
		t.Error("what cannot be seen can get the focus")
	}
	b.click("#sidebar-open")
	b.wait(drawn + ` && !document.getElementById('sidebar').inert && document.getElementById('main').inert`)
	if got := eval[string](b, focused); got != "general" {
		t.Errorf("the focus is at %q", got)
	}
	b.keys(kb.Escape)
	b.wait(`document.getElementById('sidebar').getBoundingClientRect().right <= 0 && document.activeElement.id === 'sidebar-open'`)

	// Choosing a channel closes it, and so does a touch next to it.
	b.click("#sidebar-open")
	b.wait(drawn)
	b.click(`a[href="#channel/` + opsID + `"]`)
	b.wait(`document.querySelector('h1').textContent === 'ops' && document.getElementById('sidebar').inert`)
	b.click("#sidebar-open")
	b.wait(drawn)
	b.run(`document.getElementById('shade').click()`)
	b.wait(`document.getElementById('sidebar').inert && !document.getElementById('main').inert`)

	b.click("#panel-toggle")
	b.wait(`!document.getElementById('panel').inert && Math.round(document.getElementById('panel').getBoundingClientRect().right) === innerWidth`)
	b.click("#panel-close")
	b.wait(`document.getElementById('panel').inert`)
}

func TestPanelCanBeHidden(t *testing.T) {
	t.Parallel()
	b := show(t, newStub(t), desktop)
	before := eval[float64](b, `document.getElementById('main').offsetWidth`)
	b.click("#panel-toggle")
	b.wait(`document.getElementById('panel').offsetWidth === 0`)
	if after := eval[float64](b, `document.getElementById('main').offsetWidth`); after <= before {
		t.Errorf("the messages are %.0f pixels wide without the panel, %.0f with it", after, before)
	}
	b.click("#panel-toggle")
	b.wait(`document.getElementById('panel').offsetWidth > 200`)
}

func TestColoursFollowTheSystemUntilChosen(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	b := show(t, s, desktop)
	bright := `(() => { const [r, g, b] = getComputedStyle(document.documentElement).backgroundColor.match(/\d+/g).map(Number); return r + g + b > 382 })()`
	b.wait(bright)
	dark := desktop
	dark.dark = true
	b.emulate(dark)
	b.wait(`!` + bright + ` && document.getElementById('theme-switch').title === 'Use light colours'`)
	b.click("#theme-switch")
	b.wait(bright)
	b.visit(s.URL)
	b.wait(bright + ` && document.getElementById('theme-switch').title === 'Use dark colours'`)
}

// TestTextCanBeRead measures the contrast of every pair of colours of text; 4.5 is the
// minimum of WCAG level AA.
func TestTextCanBeRead(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]look{"light": desktop, "dark": {width: 1280, height: 800, dark: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := show(t, newStub(t), l)
			faults := eval[[]string](b, `(() => {
				const probe = document.body.appendChild(document.createElement('i'));
				const colour = (name) => {
					probe.style.color = 'var(--' + name + ')';
					return getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number);
				};
				const light = (name) => {
					const [r, g, b] = colour(name).map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
					return 0.2126 * r + 0.7152 * g + 0.0722 * b;
				};
				const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
				const pairs = { ink: ['paper', 'rail', 'card', 'hover', 'raised', 'tint', 'amber-tint'], soft: ['paper', 'rail', 'card', 'hover', 'tint', 'amber-tint'],
					accent: ['paper', 'rail', 'card', 'hover', 'tint', 'amber-tint'], coral: ['paper', 'rail', 'card', 'coral-tint'], amber: ['paper', 'rail', 'amber-tint'],
					green: ['rail', 'paper'], 'on-accent': ['accent'], 'on-danger': ['danger'], paper: ['green', 'coral'] };
				return Object.entries(pairs).flatMap(([text, grounds]) => grounds.filter((ground) => ratio(text, ground) < 4.5).map((ground) => text + ' on ' + ground + ': ' + ratio(text, ground).toFixed(2)));
			})()`)
			for _, fault := range faults {
				t.Error(fault)
			}
		})
	}
}

func TestReducedMotionIsRespected(t *testing.T) {
	t.Parallel()
	s := exampleStub(t)
	l := desktop
	l.calm = true
	b := show(t, s, l)
	s.publish("typing", object{"channel": generalID, "name": "DiscoClaw"})
	b.wait(`document.querySelector('.dots')`)
	b.click("[data-do=jump]")
	b.frames()
	if n := eval[int](b, `document.getAnimations().length`); n > 0 {
		t.Errorf("%d animations run", n)
	}
}

// TestEverythingHasAName: every control has a name for screen readers.
func TestEverythingHasAName(t *testing.T) {
	t.Parallel()
	s := exampleStub(t)
	b := show(t, s, desktop)
	b.wait(`document.querySelector('.idea')`)
	b.run(`document.querySelector('.message:last-child').focus()`)
	for _, fault := range eval[[]string](b, `(() => {
		const faults = [];
		const name = (node) => (node.getAttribute('aria-label') ?? '').trim() || (node.labels?.[0]?.textContent ?? '').trim() || node.querySelector('img')?.alt || node.textContent.trim();
		for (const node of document.querySelectorAll('button:not([hidden]), a, input, textarea, [role]')) {
			if (!name(node) && !node.matches('[aria-hidden=true], [role=log], [role=status], [role=alert], [role=tablist], [role=listbox], [role=feed], [role=tabpanel]')) faults.push('no name: ' + node.cloneNode().outerHTML);
		}
		for (const img of document.querySelectorAll('img')) if (!img.hasAttribute('alt')) faults.push('no alt: ' + img.src);
		for (const svg of document.querySelectorAll('svg')) if (svg.getAttribute('aria-hidden') !== 'true') faults.push('a drawing that is read out');
		const ids = [...document.querySelectorAll('[id]')].map((node) => node.id);
		if (new Set(ids).size !== ids.length) faults.push('an ID is there twice: ' + ids.filter((id, at) => ids.indexOf(id) !== at));
		for (const [what, n] of [['h1', 1], ['main', 1], ['nav', 1], ['aside', 1], ['[role=feed]', 1], ['[aria-live=polite]', 1], ['[aria-current]', 1]]) {
			const found = document.querySelectorAll(what).length;
			if (found !== n) faults.push(found + ' of ' + what + ', want ' + n);
		}
		for (const node of document.querySelectorAll('[aria-controls], [aria-labelledby], [aria-describedby]')) {
			for (const attribute of ['aria-controls', 'aria-labelledby', 'aria-describedby']) {
				const to = node.getAttribute(attribute);
				if (to && !document.getElementById(to)) faults.push(attribute + ' to nothing: ' + to);
			}
		}
		return faults;
	})()`) {
		t.Error(fault)
	}
}
