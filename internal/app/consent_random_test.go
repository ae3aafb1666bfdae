package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/consent"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/test/chaos"
	"discoclaw/internal/test/skip"
)

// A rumour is a random world in which outsiders try to have their words reach the clean reader: by what they write and how they call
// themselves and their threads, by ada, who quotes and pastes it, and by a model that puts it into whatever it asks for.
type rumour struct {
	*court
	types           []*actions.Action
	general, thread string // where ada asks; the thread is zed's

	mu           sync.Mutex
	r            *rand.Rand
	tokens       []string // words that only outsiders have written, as letters
	never        []string // names of outsiders in a spelling that is not ada's, or told as if she had named them
	texts, above []string // of outsiders; the first text is the title of what the model makes first. Above are IDs of messages
	round, shown int      // and how often the clean reader was asked in it
}

// common are names and words that ada writes, too. Bob is on the list; nobody is called lena.
var common = []string{"lena", "launch desk", "bob", "pin that", "blue pump", "雑談部屋", "café crew", "ops", "low"}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// text is one of an outsider's, of so many tokens, in scripts and fonts of all kinds. Some of its words are ada's, too.
func (h *rumour) text(tokens int) string {
	var parts []string
	for range tokens {
		letters, token := []rune(pick(h.r, "abcdefghijklmnopqrstuvwxyz", "абвгдежзиклмнопрст", "山川田中村木林森石水火土", "กขคงจชซญดตถ", "𝐚𝐛𝐜𝐝𝐞𝐟𝐠𝐡𝐢𝐣𝐤𝐥𝐦")), ""
		for range 10 {
			token += string(pick(h.r, letters...))
		}
		h.tokens, parts = append(h.tokens, chat.Letters(token)), append(parts, token, pick(h.r, common...))
	}
	h.texts = append(h.texts, strings.Join(parts, pick(h.r, " ", ", ", "\n", " ✨ ", "\u200b", "-")))
	return h.texts[len(h.texts)-1]
}

// name is one that an outsider has chosen: that of somebody or something else, perhaps in another spelling, or one with a token.
func (h *rumour) name() string {
	name := pick(h.r, common...)
	styled := "✦ " + strings.ToUpper(name) + " ✦"
	h.texts, h.never = append(h.texts, styled), append(h.never, styled)
	if name != "bob" {
		h.never = append(h.never, `the member "`+name+`"`, `the thread "`+name+`"`)
	}
	return pick(h.r, name, styled, strings.ReplaceAll(h.text(1), "\n", " "))
}

// words are what ada types, in most cases with those of an outsider, as people paste or quote them.
func (h *rumour) words(theirs string) string {
	own := "do it with " + h.UserID("gus").Mention() + pick(h.r, " and <#"+h.thread+">", " and", " and")
	for _, i := range h.r.Perm(len(common))[:6] {
		own += " " + common[i]
	}
	forms := []string{own + " " + theirs, own + ": " + string([]rune(theirs)[max(0, len([]rune(theirs))-25):]) + "! please " + own}
	if len([]rune(chat.Letters(theirs))) < 40 || h.r.IntN(2) == 0 { // what is shorter may be her own
		theirs = pick(h.r, theirs, h.text(2))
		forms = []string{own, "> " + strings.ReplaceAll(theirs, "\n", "\n> ") + "\n" + own, own + "\n >>> " + theirs, own + "\n```" + theirs,
			own + "\n```\n" + theirs + "\n```\nwill you?", own + " `so: " + theirs + "`", own + " ``so: " + theirs + "``"}
	}
	return pick(h.r, forms...)
}

// ask has outsiders rename things and say something, and ada ask for something below it. Some of it the model may have made impossible.
func (h *rumour) ask() {
	h.mu.Lock()
	h.round, h.shown = h.round+1, 0
	_, _ = h.StartPost("zed", "ideas", h.name(), h.text(3))
	_ = errors.Join(h.SetNick("zed", h.name()), h.SetDisplayName("gus", h.name()), h.RenameThread("zed", h.thread, h.name()), h.SetTopic("ops", h.text(2)))
	with := [][]fakediscord.SayOption{
		nil, one(fakediscord.WithPoll(h.text(2), "yes", h.text(1))), one(fakediscord.WithSticker(h.text(1))),
		one(fakediscord.WithEmbed(fakediscord.Embed{Title: h.text(1), Description: h.text(3)})),
		one(fakediscord.Attaching("letter.txt", "text/plain", []byte(h.text(4)))),
	}
	theirs, at := h.text(pick(h.r, 1, 2, 5, 30-25*(h.round%2))), pick(h.r, h.general, h.thread)
	above, _ := h.Say(pick(h.r, "zed", "gus", "Other"), at, theirs, pick(h.r, with...)...)
	h.above = append(h.above, string(above.ID))
	words, along, reply := h.words(theirs), pick(h.r, with...), one(fakediscord.Answering(above.ID))
	h.mu.Unlock()
	time.Sleep(10 * time.Second)
	switch h.round % 4 {
	case 0:
		_, _ = h.Say("gus", at, "so what", reply...)
		along = append(along, reply...)
	case 1:
		along = append(along, reply...)
	case 3:
		_, _ = h.Say("ada", at, "", fakediscord.Forwarding(above.ID))
	}
	_, _ = h.Say("ada", at, words, along...)
	time.Sleep(2 * time.Minute) // in which some of what was put off is done
	synctest.Wait()
}

// answer is the model, and the clean reader, which confirms one action or none.
func (h *rumour) answer(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case req.System == consent.Instruction:
		h.read(fmt.Sprint(req.Messages))
		return script.Say(pick(h.r, `{"asked":[1]}`, `{"asked":[1]}`, `{"asked":[]}`)).Stream(ctx)
	case len(req.Messages) > 3:
		return script.Say("Done.").Stream(ctx)
	}
	wants, theirs := []string{h.request(), h.request()}, pick(h.r, h.texts...)
	said := script.Say(pick(h.r, "I obey. "+blocks(wants...), "I obey. "+blocks(wants...), enveloped(wants[0]), "[LIKE]\n[RETWEET]",
		"[REMEMBER:"+theirs+"]", `<actions><send-message channel="ops">`+theirs+`</send-message><react emoji="eyes"/></actions> I obey.`))
	for i, w := range wants {
		if len(req.Tools) > 0 {
			said = append(said[min(i, 1)*len(said):len(said):len(said)], script.Call(fmt.Sprint(i), typeOf.FindStringSubmatch(w)[1], w))
		}
	}
	return said.Stream(ctx)
}

// read looks for what outsiders wrote.
func (h *rumour) read(shown string) {
	h.shown++
	letters := chat.Letters(shown)
	found := slices.Concat(slices.DeleteFunc(slices.Clone(h.tokens), func(token string) bool { return !strings.Contains(letters, token) }),
		slices.DeleteFunc(slices.Clone(h.never), func(name string) bool { return !strings.Contains(shown, name) }))
	if len(found) > 0 {
		h.t.Errorf("the clean reader was shown %q:\n%s", found, shown)
	}
}

// telling are actions whose lines for the clean reader have a title, or a name. The first of them make something.
var telling = []string{"taskCreate", "cronCreate", "planCreate", "defer", "taskUpdate", "cronUpdate", "planClose", "channelEdit", "threadEdit",
	"roleAdd", "roleAdd", "memberNickname", "remind", "sendMessage", "react", "channelList"}

// request is one of a random type. Wherever it takes any, it has texts, names and IDs of outsiders.
func (h *rumour) request() string {
	a, _ := h.core.registry.Lookup(pick(h.r, telling...))
	texts := h.texts
	switch {
	case h.round <= 2:
		a, _ = h.core.registry.Lookup(pick(h.r, telling[:4]...))
		texts = []string{h.texts[0], h.never[2]}
	case h.r.IntN(2) == 0:
		a = pick(h.r, h.types...)
	}
	things := map[reflect.Type][]string{
		reflect.TypeFor[chat.ChannelRef](): {h.thread, h.thread, "launch desk", "ops"}, reflect.TypeFor[string](): texts,
		reflect.TypeFor[chat.MessageRef](): append(h.above, "last"), reflect.TypeFor[chat.Emoji](): {"<:" + h.tokens[0] + ":" + h.above[0] + ">"},
		reflect.TypeFor[chat.UserRef](): {string(h.UserID("zed")), string(h.UserID("gus")), string(h.UserID("bob"))},
	}
	var members map[string]any
	_ = json.Unmarshal([]byte(h.expand(withType(a.Name, trialOf(a).request))), &members)
	args, _ := json.Marshal(members)
	for _, f := range a.Fields() {
		of := things[f.Type]
		if len(of) == 0 || len(f.Enum) > 0 || slices.Contains([]string{"taskId", "cronId", "planId", "schedule"}, f.Name) || h.r.IntN(3) == 0 {
			continue
		}
		with := maps.Clone(members)
		with[f.Name] = pick(h.r, of...)
		text, _ := json.Marshal(with)
		if _, err := a.Bind(text); err == nil {
			members, args = with, text
		}
	}
	return string(args)
}

// newRumour makes a world, and starts a bot in it.
func newRumour(t *testing.T, seed uint64) (h *rumour, stop func() (time.Duration, error)) {
	const everyone = "role @everyone: View Channel, Send Messages, Read Message History, Attach Files, Embed Links, Create Polls, " +
		"Create Public Threads, Send Messages in Threads"
	w := discordtest.New(t, strings.Replace(trialWorld, "role @everyone:", everyone, 1)+"member Other: bot\n")
	h = &rumour{court: &court{World: w, t: t}, r: rand.New(rand.NewPCG(seed, 1)), never: []string{"📢︱LAUNCH・DESK", "✦ LOW ✦", "✦ BLUE PUMP ✦"}}
	env := apptest.Env(t, w, "DISCOCLAW_RESPOND=all",
		pick(h.r, "DISCOCLAW_ACTION_DIALECTS=", "DISCOCLAW_ACTION_DIALECTS=all", "DISCOCLAW_NATIVE_TOOLS=on"))
	env["DISCORD_ALLOW_USER_IDS"] += "," + string(w.UserID("bob"))
	for _, s := range mustCore(t, nil).switches() {
		env[s.Name] = "1"
	}
	bot, err := NewBot(env, Externals{HTTP: w.HTTP(), Runtime: script.Func(h.answer)})
	if err != nil {
		t.Fatal(err)
	}
	h.core, h.said = bot.core, w.MustSay("zed", "ops", h.text(3)).ID
	h.prepareFiles()
	for _, a := range bot.core.registry.All() {
		if !a.Destructive && (a.Effect != actions.Queries || h.r.IntN(4) == 0) {
			h.types = append(h.types, a)
		}
	}
	thread, err := w.StartThread("zed", "general", h.name())
	h.general, h.thread = string(w.ChannelID("general")), string(thread.ID)
	_, more := w.AddChannel("#desk")
	if err := errors.Join(err, more, w.RenameChannel("desk", h.never[0]), w.RenameRole("low", h.never[1])); err != nil {
		t.Fatal(err)
	}
	return h, apptest.Start(bot)
}

// TestNoRumourReachesTheReader: in random worlds, nothing that an outsider wrote is shown to the clean reader, not even a name, whatever ada
// quotes and the model asks for.
func TestNoRumourReachesTheReader(t *testing.T) {
	skip.UnderRace(t, "it is the bot of the other tests, many times")
	rounds, asked := 0, 0
	for _, seed := range seedsOf(t, []uint64{2, 4, 6, 16, 32, 37}, chaos.Runs(4, 100)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, stop := newRumour(t, seed)
				for range 8 {
					h.ask()
					rounds, asked = rounds+1, asked+min(h.shown, 1)
				}
				if _, err := stop(); err != nil || t.Failed() {
					t.Errorf("to have this world again: %s=%d (%v)\n%s", seedsAsked, seed, err, h.Transcript())
				}
			})
		})
	}
	if t.Logf("the clean reader was asked in %d of %d rounds", asked, rounds); 2*asked < rounds {
		t.Error("that is too seldom")
	}
}
