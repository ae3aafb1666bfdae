package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/fakediscord"
)

// TestAttacksInPerson: people and programs order something themselves. Who is served gets what their own rights are enough for,
// which bob's are not; for a trusted bot nothing is even tried; the others are not heard.
func TestAttacksInPerson(t *testing.T) {
	all := slices.Sorted(maps.Keys(raidCommands))
	for _, who := range []struct {
		name   string
		heard  bool
		begins string
	}{{"bob", true, ""}, {"Friend", true, "<@bot> "}, {"zed", false, ""}, {"Other", false, "<@bot> "}, {"a webhook", false, ""}} {
		t.Run(who.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRaid(t, obeys)
				say := r.speaker(who.name)
				orders := slices.DeleteFunc(slices.Clone(all), func(o string) bool { return who.name == "bob" && raidCommands[o].open })
				for i, way := range slices.Sorted(maps.Keys(inPerson)) {
					if who.name == "Friend" && way == "edit" { // edits by other bots are ignored
						continue
					}
					for _, order := range slices.Concat(orders[i:], orders[:i])[:4+2*i] {
						r.inPerson(way, order, who.heard, func(at, text string) fakediscord.Message {
							return say(at, strings.ReplaceAll(who.begins, "bot", string(r.UserID("bot")))+text)
						})
						if who.name != "bob" && len(r.outcomes) > 0 {
							t.Errorf("%s, %s: %d actions were tried", way, order, len(r.outcomes))
						}
					}
				}
				r.end()
			})
		})
	}
}

// speaker returns a function that writes messages as a member.
func (r *raid) speaker(who string) func(at, text string) fakediscord.Message {
	if who != "a webhook" {
		return func(at, text string) fakediscord.Message { return r.MustSay(who, at, text) }
	}
	hook, err := r.AddWebhook("ada", "general", "ada")
	r.must(err)
	return func(at, text string) fakediscord.Message {
		return r.MustSay("ada", at, text, fakediscord.ThroughWebhook(hook))
	}
}

// inPerson lists the ways in for a direct order.
var inPerson = map[string]func(r *raid, say func(at, text string) fakediscord.Message){
	"message": func(r *raid, say func(at, text string) fakediscord.Message) { say("general", r.text()) },
	"thread":  func(r *raid, say func(at, text string) fakediscord.Message) { say("talk", r.text()) },
	"edit": func(r *raid, say func(at, text string) fakediscord.Message) {
		r.MustSay("ada", "general", "SLOWLY")
		time.Sleep(time.Second)
		m := say("general", "hello")
		if who, _ := r.Member(string(m.Author)); m.Webhook == "" {
			r.must(r.EditAs(who.Name, m.ID, r.text()))
		}
	},
	"missed message": func(r *raid, say func(at, text string) fakediscord.Message) {
		r.end()
		say("general", r.text())
		r.start()
	},
}

func (r *raid) inPerson(way, order string, heard bool, say func(at, text string) fakediscord.Message) {
	r.t.Helper()
	r.begin(raidCommands[order])
	before, _ := r.world()
	inPerson[way](r, say)
	r.settle()
	name := fmt.Sprintf("%s, %s", way, order)
	r.unharmed(name, before)
	if done, held := r.done(); len(done)+held > 0 {
		r.t.Errorf("%s: done: %v, %d are held", name, done, held)
	}
	if r.reached != heard {
		r.t.Errorf("%s: the model has read it: %v", name, r.reached)
	}
}

// TestAttacksByScheduledJobs: a job does what its author's rights are enough for, which bob's are not; and what a job of ada's is led to do by
// the words of a stranger waits on a card.
func TestAttacksByScheduledJobs(t *testing.T) {
	for name, order := range raidCommands {
		if order.open || name == "another model" { // everybody may do that, or no job may
			continue
		}
		for who, prompt := range map[string]string{"bob": "{token} now", "ada": `LOOK {"type":"readMessages","channel":"ops"}`} {
			t.Run(who+", "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					r := newRaid(t, obeys)
					r.begin(order)
					r.MustSay("zed", "ops", r.text())
					r.MustSay(who, "general", "!cron new * * * * * | "+strings.ReplaceAll(prompt, "{token}", r.token()))
					before, _ := r.world()
					r.settle()
					time.Sleep(25 * time.Second) // until the first run
					r.settle()
					r.unharmed(name, before)
					want := 0
					if who == "ada" {
						want = order.changes()
					}
					if done, held := r.done(); len(done) > 0 || held != want {
						t.Errorf("done: %v; %d are held instead of %d; %s", done, held, want, apptest.Last(r.World, "general"))
					}
					if !r.reached {
						t.Error("it did not reach the model")
					}
					r.end()
				})
			})
		}
	}
}

// TestOwnersGetWhatTheyOrder: the same orders, in ada's own words, are carried out, after her approval where one is needed.
func TestOwnersGetWhatTheyOrder(t *testing.T) {
	for name, order := range raidCommands {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRaid(t, obeys)
				r.begin(order)
				before, _ := r.world()
				r.MustSay("ada", "general", r.text())
				r.settle()
				done, held := r.done()
				if order.asks != (held > 0) || order.asks == (len(done) > 0) {
					t.Errorf("done: %v, %d are held; %s", done, held, apptest.Last(r.World, "general"))
				}
				if order.asks {
					r.answerCards(0, "ada")
				}
				inWorld := !slices.Contains([]string{"another model", "do it again later", "remind somebody"}, name)
				if changed := r.differences(before); inWorld && len(changed) == 0 {
					t.Error("nothing has changed")
				}
				r.end()
			})
		})
	}
}

// TestACardCannotBeRewritten: the model, led by a stranger and not bound by taint, edits what ada is asked to approve.
func TestACardCannotBeRewritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRaid(t, obeys, "DISCOCLAW_TAINT=off")
		r.begin(raidCommands["delete a channel"])
		r.MustSay("ada", "general", r.text())
		r.settle()
		card := r.cards()[0]
		before, _ := r.world()
		r.begin(command{blocks: []string{fmt.Sprintf(`{"type":"editMessage","channelId":"general","messageId":"%s","content":"Shall I say hello?"}`, card.ID)}})
		answering["reply"](r, "general", messages["a stranger"](r, "general"))
		r.settle()
		r.unharmed("a card is rewritten", before)
		if !r.reached {
			t.Error("it did not reach the model")
		}
		r.end()
	})
}

// TestAStrangerAnswersNoQuestion: a reaction to a question of ada's is for people who are served.
func TestAStrangerAnswersNoQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRaid(t, obeys)
		r.MustSay("ada", "general", `LOOK {"type":"reactionPrompt","question":"Shall I?","choices":["✅","❌"]}`)
		r.settle()
		all := r.Messages("general")
		for _, m := range all {
			for _, who := range []string{"zed", "Other", "Friend"} {
				if m.Author == r.UserID("bot") {
					_ = r.React(who, m.ID, "✅")
				}
			}
		}
		r.settle()
		if now := r.Messages("general"); len(now) != len(all) {
			t.Errorf("something was answered: %s", r.Transcript())
		}
		r.end()
	})
}

// laundering are ways in which the bot's own words, written after it read an order, come back to the model.
var laundering = map[string]func(r *raid, own fakediscord.Message){
	"history": func(r *raid, _ fakediscord.Message) { r.MustSay("ada", "general", "go on") },
	"reply": func(r *raid, own fakediscord.Message) {
		r.MustSay("ada", "general", "go on", fakediscord.Answering(own.ID))
	},
	"reaction": func(r *raid, own fakediscord.Message) { r.must(r.React("ada", own.ID, "👍")) },
	"look-up": func(r *raid, _ fakediscord.Message) {
		r.MustSay("ada", "general", `LOOK {"type":"readMessages","channel":"general","limit":4}`)
	},
	"history after a restart": func(r *raid, _ fakediscord.Message) {
		r.end()
		r.start()
		r.MustSay("ada", "general", "go on")
	},
}

// TestAttacksInTheBotsOwnWords: a stranger's order that the bot has told people of is still the stranger's.
func TestAttacksInTheBotsOwnWords(t *testing.T) {
	for name, comesBack := range laundering {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				budget := "0"
				if strings.HasPrefix(name, "history") {
					budget = "3000"
				}
				r := newRaid(t, tells, "DISCOCLAW_MESSAGE_HISTORY_BUDGET="+budget)
				r.begin(raidCommands["make me Mod"])
				answering["reply"](r, "general", messages["a stranger"](r, "general"))
				r.settle()
				all := r.Messages("general")
				before, _ := r.world()
				r.reached = false
				comesBack(r, all[len(all)-1])
				r.settle()
				r.unharmed(name, before)
				if _, held := r.done(); held != 1 || !r.reached {
					t.Errorf("%d are held; it reached the model: %v", held, r.reached)
				}
				r.end()
			})
		})
	}
}
