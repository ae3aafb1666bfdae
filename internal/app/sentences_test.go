package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
	"discoclaw/internal/flow"
	"discoclaw/internal/test/golden"
)

// held are requests that, together with those of the trials and the examples of their actions, have all fields of all types that are held.
var held = map[string][]string{
	"sendMessage":        {`{"channel":"ops","content":"**Open points**\n- does <@{@gus}> bring “ice”?","replyTo":"{m}"}`},
	"sendFile":           {`{"channel":"ops","filePath":"report.txt","kind":"file","cleanup":true}`},
	"react":              {`{"messageId":"{m}","channelId":"ops","emoji":"party:123456789012345678"}`},
	"threadCreate":       {`{"channelId":"ops","name":"x","messageId":"{m}","autoArchiveMinutes":60}`, `{"channelId":"ideas","name":"x","content":"y z","appliedTags":["bug"]}`, `{"channelId":"ops","name":"x","private":true,"members":["gus","{@bob}"]}`},
	"channelCreate":      {`{"name":"pit","parent":"Projects","private":true,"roles":["low","helpers"]}`, `{"name":"board","channelType":"forum","tags":["open","done"]}`, `{"name":"room","channelType":"voice","userLimit":5}`},
	"categoryCreate":     {`{"name":"New","position":2}`},
	"channelEdit":        {`{"channelId":"ops","topic":"","slowmode":30}`, `{"channelId":"Lounge","userLimit":0}`, `{"channelId":"ideas","requireTag":true}`, `{"channelId":"ideas","requireTag":false}`},
	"channelMove":        {`{"channelId":"ops","parent":"","position":1}`},
	"threadEdit":         {`{"threadId":"help me","archived":true}`, `{"threadId":"{post}","appliedTags":["bug","323456789012345678"],"archived":false}`, `{"threadId":"{post}","appliedTags":[],"locked":true}`, `{"threadId":"{post}","locked":false}`, `{"threadId":"{post}","pinned":true}`, `{"threadId":"{post}","pinned":false}`, `{"threadId":"{post}","autoArchiveMinutes":10080}`},
	"forumTagCreate":     {`{"channelId":"ideas","name":"new","emoji":{"name":"✅"}}`, `{"channelId":"ideas","name":"new","emoji":{"id":"123456789012345678"}}`},
	"forumTagEdit":       {`{"channelId":"ideas","tagId":"bug","name":"defect","emoji":{"name":"🔧"}}`, `{"channelId":"ideas","tagId":"bug","emoji":{}}`},
	"channelPermissions": {`{"channelId":"ops","role":"everyone","deny":["View Channel"]}`},
	"memberNickname":     {`{"userId":"{@gus}","nickname":""}`},
	"roleCreate":         {`{"name":"new","color":"#ff0000","hoist":true,"mentionable":false}`},
	"roleEdit":           {`{"role":"low","name":"lowest","color":"none","hoist":false,"mentionable":true,"permissions":[]}`, `{"role":"low","allow":["Pin Messages","Kick Members"],"deny":["Manage Events"]}`, `{"role":"low","permissions":["Kick Members"]}`, `{"role":"low","above":"helpers"}`, `{"role":"low","below":"high"}`},
	"eventCreate":        {`{"name":"Summer Party","startTime":"2027-08-20T16:00:00Z","endTime":"2027-08-20T23:00:00Z","location":"Garden","description":"bring ice"}`, `{"name":"Talk","startTime":"2027-08-20T16:00:00Z","channelId":"Lounge"}`},
	"eventEdit":          {`{"eventId":"{made}","startTime":"2027-08-20T16:00:00Z","endTime":"2027-08-20T23:00:00Z","location":"Garden","description":""}`, `{"eventId":"x","channelId":"Lounge"}`},
	"inviteCreate":       {`{"channel":"ops","maxAge":0,"maxUses":3,"temporary":true,"unique":true}`, `{"maxAge":3600}`},
	"poll":               {`{"question":"Food for the summer party?","answers":["Tacos","Pizza","BBQ"],"allowMultiselect":true,"durationHours":50}`},
	"taskCreate":         {`{"title":"Fix it","description":"at once","priority":1,"due":"2027-05-01T18:00+02:00","assignee":"gus","tags":["bug"]}`},
	"taskUpdate":         {`{"taskId":"ws-1","title":"Fix it","description":"","status":"in_progress","due":"","assignee":"","tags":["bug"],"note":"ask ben first"}`},
	"taskClose":          {`{"taskId":"ws-1","reason":"it is done"}`},
	"cronCreate": {`{"name":"weather","schedule":"daily at 7","prompt":"x","timezone":"Europe/Berlin","silent":true,"missed":"once","allowedActions":["sendMessage"],"chain":["tides"],"routingMode":"json","model":"fast","tags":["a"],"state":"{\"seen\":[\"a\",1,true],\"by\":{}}"}`,
		`{"name":"paper","channel":"ops","schedule":"tuesdays at 9","every":"2 weeks","from":"2027-01-05","until":"2027-05-01","skip":["2027-02-02"],"prompt":"x"}`,
		`{"name":"hook","prompt":"x","triggerType":"manual"}`},
	"cronUpdate": {`{"cronId":"weather","name":"rain","channel":"general","prompt":"y","timezone":"Europe/Berlin","silent":false,"missed":"all","allowedActions":["sendMessage"],"chain":[],"routingMode":"","model":"","tags":["a","b"],"state":"{\"seen\":1}"}`,
		`{"cronId":"weather","schedule":"tuesdays at 9","every":"2 weeks","from":"2027-01-05","until":"2027-05-01","skip":["2027-02-02"]}`,
		`{"cronId":"weather","schedule":"","triggerType":"manual"}`},
	"planRun":        {`{"planId":"1","skipCompletionNotify":true}`},
	"planCreate":     {`{"description":"x","context":"they talked","project":"sample"}`},
	"forgeCreate":    {`{"description":"x","context":"they talked","project":"sample"}`},
	"botSetActivity": {`{"name":"chess","activityType":"Watching"}`},
	"generateImage":  {`{"prompt":"a fox","provider":"openai","size":"1024x1024","quality":"hd","caption":"here"}`, `{"prompt":"a fox","model":"gpt-image-1"}`},
	"voiceLeave":     {`{"guildId":"{guild}"}`},
	"voiceMute":      {`{"mute":false}`},
	"voiceNote":      {`{"text":"good morning","aloud":true}`},
	"voiceDeafen":    {`{"deafen":false}`},
	"defer":          {`{"channel":"ops","prompt":"look again","delaySeconds":90}`},
	"remind":         {`{"text":"look again","at":"2027-05-01T18:00+02:00","userId":"{@gus}"}`},
	"untimeout":      {`{"userId":"{@gus}","reason":"x y"}`},
	"memoryRemember": {`{"text":"likes tea","kind":"preference","importance":1,"replaces":"likes juice"}`},
}

// never are types that are never held, though they change something: they are about the requester alone, and nothing changes on Discord.
var never = []string{"memoryForget", "remindCancel"}

// itsOwn has the types whose cards never have their sentence, since they approve something themselves.
var itsOwn = []string{"planApprove"}

// TestCardsAreSentences: what a card says of every type that changes something.
func TestCardsAreSentences(t *testing.T) {
	var mu sync.Mutex
	said := map[string]string{}
	t.Run("types", func(t *testing.T) {
		for _, a := range mustCore(t, nil).registry.All() {
			if a.Effect == actions.Queries {
				continue
			}
			if a.Destructive == (a.Sentence != "") {
				t.Errorf("%s needs a Sentence or, if it is destructive, none", a.Name)
			}
			t.Run(a.Name, func(t *testing.T) {
				t.Parallel()
				inCourt(t, func(c *court) {
					var lines []string
					for _, card := range c.cards(a) {
						requireReadable(t, strings.Replace(card, "\n", " ", 1)) // a question may go on
						lines = append(lines, c.legible(card))
					}
					mu.Lock()
					said[a.Name] = strings.Join(lines, "\n")
					mu.Unlock()
				})
			})
		}
	})
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(said)) {
		if said[name] != "" {
			all.WriteString(name + "\n" + said[name] + "\n\n")
		}
	}
	golden.Equal(t, "testdata/cards.golden", all.String())
}

// cards are what is said of the requests of a type. It fails the test if a field is in none of them, or not on its card.
func (c *court) cards(a *actions.Action) (cards []string) {
	c.t.Helper()
	c.ready(trial{before: `{"type":"cronCreate","name":"tides","schedule":"daily at 7","channel":"ops","prompt":"x"}`})
	c.made = ""
	tr := trialOf(a)
	c.ready(tr)
	post, err := c.StartPost("ada", "disco/ideas", "a post", "text")
	if err != nil {
		c.t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, request := range slices.Concat([]string{tr.request}, held[a.Name], examplesOf(a)) {
		if i > len(held[a.Name]) && (a.Destructive || len(seen) == len(a.Fields())) {
			break // examples are for fields that the others lack
		}
		request = strings.NewReplacer("{post}", string(post.ID), "{guild}", string(c.GuildID())).Replace(c.expand(request))
		asked := c.asked(a.Name, request)
		if asked == nil {
			continue
		}
		cards = append(cards, asked.What)
		if !a.Destructive && !slices.Contains(itsOwn, a.Name) {
			c.requireFields(a, *asked, seen)
		}
	}
	if len(cards) == 0 && !slices.Contains(never, a.Name) {
		c.t.Errorf("%s is not held", a.Name)
	}
	for _, f := range a.Fields() {
		if !seen[f.Name] && !a.Destructive && !slices.Contains(slices.Concat(itsOwn, never), a.Name) {
			c.t.Errorf("the field %s of %s is in no request here", f.Name, a.Name)
		}
	}
	return cards
}

// examplesOf returns the examples of an action.
func examplesOf(a *actions.Action) (list []string) {
	for _, example := range a.Examples() {
		list = append(list, string(example))
	}
	return list
}

// requireFields requires that each field of a held request makes a difference on its card, and that texts are there in full.
func (c *court) requireFields(a *actions.Action, asked actions.Pending, seen map[string]bool) {
	c.t.Helper()
	var members map[string]any
	if err := json.Unmarshal(asked.Request.Args, &members); err != nil {
		c.t.Fatal(err)
	}
	for _, f := range a.Fields() {
		value, ok := members[f.Name]
		if !ok {
			continue
		}
		seen[f.Name] = true
		if text, ok := value.(string); ok && !slices.Contains(references, f.Name) {
			if whole := strings.NewReplacer("“", "‘", "”", "’", `\<@`, "<@", `\>`, ">").Replace(chat.Literal(text)); !strings.Contains(asked.What, whole) {
				c.t.Errorf("%s of %s: the card lacks %q: %s", f.Name, a.Name, whole, asked.What)
			}
		}
		without := maps.Clone(members)
		delete(without, f.Name)
		fewer, err := json.Marshal(without)
		if err != nil {
			c.t.Fatal(err)
		}
		other := c.asked(a.Name, string(fewer)) // nil if the field is required
		if other != nil && other.What == asked.What && f.Default != strings.Trim(fmt.Sprint(value), "[]") {
			c.t.Errorf("%s of %s makes no difference: %s", f.Name, a.Name, asked.What)
		}
	}
}

// asked returns what a card would ask about a request, nil if it is not held.
func (c *court) asked(name, args string) *actions.Pending {
	c.t.Helper()
	if held := c.askedAll(actions.Request{Type: name, Args: []byte(args)}); len(held) > 0 {
		return &held[0]
	}
	return nil
}

// askedAll returns what a card would ask about the requests of a reply of which all changes are held.
func (c *court) askedAll(requests ...actions.Request) []actions.Pending {
	c.t.Helper()
	var p pile
	d := actions.NewDispatcher(actions.DispatcherOptions{
		Messages: c.core.discord.Message, Readable: c.core.discord.Readable,
		Hold: &p, Mass: 1, Taint: actions.TaintConfirm, Channels: c.core.discord.Channel, Users: c.core.discord.User,
	}, access.Guard(c.policy, c.core.discord))
	o := c.from("ada")
	o.Outside = "a page of example.org"
	gate := c.core.registry.Gate(actionstest.Open(c.core.registry), flow.Narrowings(o)...)
	d.Resume(c.t.Context(), o, gate, requests, nil, 5)
	synctest.Wait()
	return p.held
}

// TestAHeldChangeIsAboutAMemberWhoeverTakesTheName: the role is made by another change of the reply, so it has no ID yet.
func TestAHeldChangeIsAboutAMemberWhoeverTakesTheName(t *testing.T) {
	inCourt(t, func(c *court) {
		held := c.askedAll(
			actions.Request{Type: "roleCreate", Args: []byte(`{"name":"Party Crew"}`)},
			actions.Request{Type: "roleAdd", Args: []byte(`{"userId":"gus","role":"Party Crew"}`)},
		)
		if len(held) != 2 || held[1].What != "Give "+c.UserID("gus").Mention()+" the role “Party Crew”" {
			t.Errorf("held %+v", held)
			return
		}
		if got := string(held[1].Request.Args); !strings.Contains(got, string(c.UserID("gus"))) {
			t.Errorf("what gets approved is %s", got)
		}
	})
}

// unreadable finds what is for machines. IDs may be in mentions, links, custom emoji and code.
var unreadable = []*regexp.Regexp{
	regexp.MustCompile(`\[\\?"|\{\\?"`),                      // JSON
	regexp.MustCompile(`\b(true|false|null)\b`),              // of JSON
	regexp.MustCompile(`(^|[^\d/:#@&` + "`" + `])\d{15,20}`), // a bare ID
	regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d`),          // a time for machines
	regexp.MustCompile(`\s,|[,:]\s*$|[,:]\s*,|\s\s|\n`),      // a gap in the sentence
}

// code is what is formatted as code, and may be for machines.
var code = regexp.MustCompile("`[^`]*`")

// requireReadable fails the test if a card has something that is for machines.
func requireReadable(t *testing.T, card string) {
	t.Helper()
	for _, bad := range unreadable {
		if found := bad.FindString(code.ReplaceAllString(card, "code")); found != "" {
			t.Errorf("%q is not for people: %s", found, card)
		}
	}
}

var jobID = regexp.MustCompile(`cron-[0-9a-f]{8}`)

// legible is a text with names in place of IDs.
func (c *court) legible(text string) string {
	names := []string{string(c.GuildID()), "disco", string(c.said), "said"}
	for _, name := range []string{"general", "ops", "news", "ideas", "tasks", "crons", "Lounge", "Projects", "help me", "a post"} {
		names = append(names, string(c.ChannelID("disco/"+name)), name)
	}
	for _, name := range []string{"ada", "bob", "gus", "kim", "zed"} {
		names = append(names, string(c.UserID(name)), name)
	}
	for _, role := range c.Roles() {
		names = append(names, string(role.ID), role.Name)
	}
	if c.made != "" {
		names = append(names, c.made, "made")
	}
	return jobID.ReplaceAllString(strings.NewReplacer(names...).Replace(text), "cron-…")
}
