package app

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/test/skip"
)

// TestNothingHiddenIsQuoted: on random servers, a model does everything with every channel that it is told of, by ID, and
// people use the commands afterwards. No message of the bot has a word of a channel that some reader of the message
// cannot see: of its name, its topic, or what was said there. The model itself writes none of these words.
func TestNothingHiddenIsQuoted(t *testing.T) {
	skip.UnderRace(t, "it is the bot of the other tests, with every action")
	seen := make(chan int, leakServers)
	t.Run("servers", func(t *testing.T) {
		for seed := range uint64(leakServers) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { seen <- newLeaky(t, seed).live() })
			})
		}
	})
	all := 0
	for range leakServers {
		all += <-seen
	}
	if all < 5*leakServers {
		t.Errorf("only %d words of channels were quoted where they may be: it cannot see much", all)
	}
}

const leakServers = 6

// leaky is a random server, each channel of which has words of its own.
type leaky struct {
	t     *testing.T
	r     *rand.Rand
	world *discordtest.World
	mu    sync.Mutex
	next  string // what the model answers next; guarded by mu, since deferred runs ask at any time

	words   map[string]chat.ChannelID // that belong to a channel
	readers map[chat.ChannelID][]string
	said    map[chat.ChannelID]chat.MessageID
	events  []chat.EventID // in the voice channel
}

var leakPeople = []string{"ada", "bob", "cat", "dan"}

func newLeaky(t *testing.T, seed uint64) *leaky {
	l := &leaky{
		t: t, r: rand.New(rand.NewPCG(seed, 2)),
		words: map[string]chat.ChannelID{}, readers: map[chat.ChannelID][]string{}, said: map[chat.ChannelID]chat.MessageID{},
	}
	layout := "guild disco: #general #plum0 #plum1 #plum2 plum3:forum plum4:voice\ncategory plum5: #plum6 #plum7\n" +
		"thread \"plum8\" in #plum1\npost \"plum9\" in plum3: pear9 is ripe\nrole helpers: Administrator\nmember ada: owner\nmember bob: helpers\nmember cat\nmember dan\nbot DiscoClaw: Administrator\n"
	for i := range 8 {
		name := fmt.Sprint("plum", i)
		if l.r.IntN(2) == 0 {
			layout += fmt.Sprintf("deny %s @everyone: View Channel\n", name)
		}
		if l.r.IntN(2) == 0 {
			layout += fmt.Sprintf("allow %s %s: View Channel\n", name, leakPeople[2+l.r.IntN(2)])
		}
	}
	l.world = discordtest.New(t, layout)
	return l
}

// fill gives every channel its words, and notes who reads it.
func (l *leaky) fill() {
	for _, ch := range l.world.Channels() {
		if n, is := strings.CutPrefix(ch.Name, "plum"); is {
			l.words[ch.Name], l.words["pear"+n] = ch.ID, ch.ID
			if ch.Type == fakediscord.TextChannel {
				l.words["fig"+n] = ch.ID
				l.patch(ch.ID, fmt.Sprintf(`{"topic":"all about fig%s"}`, n))
			}
			if ch.Type == fakediscord.VoiceChannel {
				l.words["fig"+n] = ch.ID
				l.announce(ch.ID, "fig"+n+" tasting")
			}
			if m, err := l.world.Say("ada", string(ch.ID), "pear"+n+" is ripe"); err == nil {
				l.said[ch.ID] = m.ID
			}
		}
		for _, who := range leakPeople {
			view, err := l.world.ViewOf(who)
			if err != nil {
				l.t.Fatal(err)
			}
			if _, sees := view.Channel(ch.ID); sees {
				l.readers[ch.ID] = append(l.readers[ch.ID], who)
			}
		}
	}
}

// announce puts events into a channel.
func (l *leaky) announce(ch chat.ChannelID, name string) {
	for day := range 3 {
		e, err := l.world.AddEvent("ada", fakediscord.ScheduledEvent{Name: name, Channel: ch, Start: time.Now().AddDate(0, 1, day)})
		if err != nil {
			l.t.Fatal(err)
		}
		l.events = append(l.events, e.ID)
	}
}

func (l *leaky) patch(ch chat.ChannelID, body string) {
	req, err := http.NewRequest("PATCH", l.world.APIURL()+"/channels/"+string(ch), strings.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bot "+l.world.Token())
	req.Header.Set("Content-Type", "application/json")
	resp, err := l.world.HTTP().Do(req)
	if err != nil || resp.StatusCode != 200 {
		l.t.Fatalf("%v, %+v", err, resp)
	}
	resp.Body.Close()
}

// live lets the bot do everything, and returns how many words were quoted where they may be.
func (l *leaky) live() (fine int) {
	l.fill()
	core := mustCore(l.t, nil)
	settings := []string{fmt.Sprint("DISCOCLAW_ACTION_FOLLOWUP_DEPTH=", l.r.IntN(2))}
	for _, cat := range core.registry.Categories() {
		if env := cat.Flag().Env; env != "" {
			settings = append(settings, env+"=1")
		}
	}
	env := apptest.Env(l.t, l.world, settings...)
	env["DISCORD_ALLOW_USER_IDS"] = string(l.world.UserID("ada")) + "," + string(l.world.UserID("bob"))
	env["DISCOCLAW_RESPOND"] = "all"
	bot, err := NewBot(env, Externals{HTTP: l.world.HTTP(), NoCalls: true, Runtime: script.Func(l.answer), Log: l.t.Output()})
	if err != nil {
		l.t.Fatal(err)
	}
	stop := apptest.Start(bot)
	var types []string
	for _, a := range core.registry.All() {
		types = append(types, a.Name)
	}
	l.r.Shuffle(len(types), func(i, j int) { types[i], types[j] = types[j], types[i] })
	for some := range slices.Chunk(types, 4) {
		l.ask(some)
	}
	if _, err := stop(); err != nil {
		l.t.Error(err)
	}
	return l.check()
}

// answer is the model: it says what is next, and after that nothing of interest.
func (l *leaky) answer(context.Context, llm.Request) iter.Seq2[llm.Event, error] {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := l.next
	l.next = "Noted."
	return func(yield func(llm.Event, error) bool) { yield(llm.TextDelta{Text: text}, nil) }
}

// ask has somebody ask for actions of some types somewhere, approves them, and uses the commands.
func (l *leaky) ask(types []string) {
	at, answer := l.somewhere(), "Here you are."
	for _, name := range types {
		if name != "channelPermissions" { // it would change who sees what
			answer += "\n<discord-action>" + l.about(tried(name)) + "</discord-action>"
		}
	}
	l.mu.Lock()
	l.next = answer
	l.mu.Unlock()
	who := leakPeople[l.r.IntN(2)]
	if _, err := l.world.Say(who, string(at), "do it"); err != nil {
		return // the channel is gone
	}
	l.settle()
	l.approve(at)
	for _, command := range []string{"!trace", "!why " + l.link(at), "!undo", "!status"} {
		_, _ = l.world.Say(who, string(at), command) // the channel may be gone
		l.settle()
	}
	l.approve(at)
}

func (l *leaky) settle() {
	time.Sleep(2 * time.Second)
	synctest.Wait()
}

// somewhere is a channel to write in.
func (l *leaky) somewhere() chat.ChannelID {
	if names := []string{"general", "plum0", "plum1", "plum2"}; l.r.IntN(3) > 0 {
		for _, ch := range l.world.Channels() {
			if ch.Name == names[l.r.IntN(len(names))] {
				return ch.ID
			}
		}
	}
	return l.world.ChannelID("general")
}

// about changes the request of a trial so that it is about any channel with words, and about what was said there.
func (l *leaky) about(request string) string {
	ids := slices.Sorted(maps.Values(l.words))
	if strings.Contains(request, "{m}") {
		ids = slices.Sorted(maps.Keys(l.said))
	}
	ch := ids[l.r.IntN(len(ids))]
	for _, name := range []string{"ops", "news", "ideas", "Lounge", "Projects", "help me"} {
		request = strings.ReplaceAll(request, `"`+name+`"`, `"`+string(ch)+`"`)
	}
	request = strings.ReplaceAll(request, "{m}", string(l.said[ch]))
	request = strings.ReplaceAll(request, "{made}", string(l.events[l.r.IntN(len(l.events))]))
	for _, name := range []string{"gus", "kim", "zed", "bob"} {
		request = strings.ReplaceAll(request, "{@"+name+"}", string(l.world.UserID("cat")))
	}
	return request
}

// approve presses the first button of every card in a channel, as the owner.
func (l *leaky) approve(at chat.ChannelID) {
	for _, m := range l.world.Messages(string(at)) {
		if all := m.Buttons(); len(all) > 0 && !strings.HasPrefix(all[0].CustomID, chat.BelowAnswer) {
			_, _ = l.world.Press("ada", m.ID, all[0].CustomID) // it may be over already
			l.settle()
		}
	}
}

// link is the address of the bot's last message in a channel.
func (l *leaky) link(at chat.ChannelID) string {
	for _, m := range slices.Backward(l.world.Messages(string(at))) {
		if m.Author == l.world.UserID("bot") {
			return fmt.Sprintf("https://discord.com/channels/%s/%s/%s", l.world.GuildID(), at, m.ID)
		}
	}
	return ""
}

// check looks for words in the wrong places.
func (l *leaky) check() (fine int) {
	bot := l.world.UserID("bot")
	for _, ch := range l.world.Channels() {
		for _, m := range l.world.Messages(string(ch.ID)) {
			for word, of := range l.words {
				if m.Author != bot || !strings.Contains(m.Content, word) {
					continue
				}
				fine++
				for _, who := range l.readers[ch.ID] {
					if !slices.Contains(l.readers[of], who) {
						l.t.Errorf("%s reads %q in #%s:\n%s", who, word, ch.Name, m.Content)
					}
				}
			}
		}
	}
	return fine
}
