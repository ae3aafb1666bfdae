package app

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/confirm"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/flow"
	"discoclaw/internal/imagegen/imagetest"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/store"
	"discoclaw/internal/voice/speech/speechtest"
	"discoclaw/internal/websearch/searchtest"
)

// trialWorld has an object for every action. Bob has all permissions that any action needs, through
// one role, so that each can be removed. The roles go from low to high.
const trialWorld = `
guild disco: #general #ops news:announcement ideas:forum tasks:forum crons:forum Lounge:voice Projects:category
tag bug in ideas
thread "help me" in #ops
bot DiscoClaw: View Channel, Send Messages, Read Message History, Attach Files, Add Reactions, Manage Messages, Pin Messages, Create Public Threads, Manage Threads, Manage Channels, Manage Webhooks, Manage Roles, Manage Nicknames, Timeout Members, Kick Members, Ban Members, Connect, Speak, Change Nickname, Mention Everyone, Create Polls, Create Events, Manage Events, Create Invite, View Audit Log, Manage Server, Send Messages in Threads
role @everyone:
role low
role helpers: View Channel, Send Messages, Read Message History, Attach Files, Add Reactions, Manage Messages, Pin Messages, Create Public Threads, Manage Threads, Manage Channels, Manage Webhooks, Manage Roles, Manage Nicknames, Timeout Members, Kick Members, Ban Members, Connect, Speak, Create Polls, Create Events, Manage Events, Create Invite, View Audit Log, Manage Server
role high
member ada: owner
member bob: helpers
member gus: low
member kim: high
member zed
`

// A trial is an example of an action. In its requests {m} is the ID of a message in #ops, {@gus}
// that of a member, and {made} that of what the request before created.
type trial struct {
	request string            // one that bob may make
	also    []chat.Permission // that this request needs besides the action's Needs
	tooHigh string            // a request about somebody or something above bob
	before  string            // requests that have to be executed first, a line each
	text    string            // a request for which all text fields are valid, if that is another one
	unseen  string            // the error for somebody who cannot see the channel; empty means that it is missing
	free    bool              // needs no permission
	fails   string            // the error of all its requests, since what it is about is not there; empty means that they succeed

	bot   chat.Permission // that Discord requires of the bot, if any
	alone bool            // it is required of the bot, but not of the requester
	says  string          // the error if the bot lacks it; empty means that it names the permission
}

// someJob schedules a job.
const someJob = `{"type":"cronCreate","name":"weather","schedule":"daily at 7","channel":"ops","prompt":"x"}`

// noSuchOps is the error for a channel that the bot cannot see.
const noSuchOps = `I can't see a channel #ops`

// someEvent creates an event that is not bob's.
const someEvent = `{"type":"eventCreate","name":"x","startTime":"2027-05-01T18:00:00Z"}`

// someTask opens a task.
const someTask = `{"type":"taskCreate","title":"x"}`

// Plans as trials need them.
const (
	somePlan     = `{"type":"planCreate","description":"x"}`
	approvedPlan = somePlan + "\n" + `{"type":"planApprove","planId":"1"}`
	someForge    = `{"type":"forgeCreate","description":"Count words"}`
)

// inNoVoice is the error for somebody who cannot see the voice channel that the bot is in.
const inNoVoice = "I'm not in a voice channel here"

// trials has a trial of every action.
var trials = map[string]trial{
	"sendMessage":   {request: `{"channel":"ops","content":"hi"}`, bot: chat.SendMessages},
	"sendFile":      {request: `{"channel":"ops","filePath":"report.txt","content":"hi"}`, bot: chat.AttachFiles},
	"react":         {request: `{"channelId":"ops","messageId":"{m}","emoji":"👍"}`, bot: chat.AddReactions},
	"unreact":       {request: `{"channelId":"ops","messageId":"{m}","emoji":"👍"}`, before: `{"type":"react","channelId":"ops","messageId":"{m}","emoji":"👍"}`, bot: chat.ReadHistory},
	"readMessages":  {request: `{"channel":"ops"}`, bot: chat.ReadHistory},
	"fetchMessage":  {request: `{"channelId":"ops","messageId":"{m}"}`, bot: chat.ReadHistory},
	"editMessage":   {request: `{"channelId":"ops","messageId":"last","content":"x"}`, before: `{"type":"sendMessage","channel":"ops","content":"hi"}`, bot: chat.ViewChannel, says: noSuchOps},
	"deleteMessage": {request: `{"channelId":"ops","messageId":"{m}"}`, bot: chat.ManageMessages},
	"bulkDelete":    {request: `{"channelId":"ops","count":2}`, bot: chat.ManageMessages},
	"crosspost":     {request: `{"channelId":"news","messageId":"last"}`, before: `{"type":"sendMessage","channel":"news","content":"hi"}`, bot: chat.ViewChannel, says: `I can't see a channel #news`},
	"threadCreate":  {request: `{"channelId":"ops","name":"x"}`, text: `{"channelId":"ideas"}`, also: []chat.Permission{chat.CreateThreads}, bot: chat.CreateThreads},
	"pinMessage":    {request: `{"channelId":"ops","messageId":"{m}"}`, bot: chat.PinMessages},
	"unpinMessage":  {request: `{"channelId":"ops","messageId":"{m}"}`, before: `{"type":"pinMessage","channelId":"ops","messageId":"{m}"}`, bot: chat.PinMessages},
	"listPins":      {request: `{"channel":"ops"}`, bot: chat.ReadHistory},

	"reactionPrompt": {request: `{"question":"shall we?","choices":["✅","❌"]}`, bot: chat.AddReactions, alone: true},

	"channelList":        {request: `{}`, free: true},
	"channelInfo":        {request: `{"channelId":"ops"}`, bot: chat.ViewChannel, says: noSuchOps},
	"channelCreate":      {request: `{"name":"new","parent":"Projects","topic":"x"}`, bot: chat.ManageChannels},
	"categoryCreate":     {request: `{"name":"New"}`, bot: chat.ManageChannels},
	"channelEdit":        {request: `{"channelId":"ops","name":"new","topic":"x"}`, bot: chat.ManageChannels},
	"channelMove":        {request: `{"channelId":"ops","parent":"Projects"}`, bot: chat.ManageChannels},
	"channelDelete":      {request: `{"channelId":"help me"}`, also: []chat.Permission{chat.ManageThreads}, bot: chat.ManageThreads},
	"threadListArchived": {request: `{"channelId":"ops"}`, bot: chat.ReadHistory},
	"threadEdit":         {request: `{"threadId":"help me","name":"new"}`, bot: chat.ManageThreads},
	"forumTagList":       {request: `{"channelId":"ideas"}`, bot: chat.ViewChannel, says: `I can't see a channel #ideas`},
	"forumTagCreate":     {request: `{"channelId":"ideas","name":"new"}`, bot: chat.ManageChannels},
	"forumTagEdit":       {request: `{"channelId":"ideas","tagId":"bug","name":"defect"}`, bot: chat.ManageChannels},
	"forumTagDelete":     {request: `{"channelId":"ideas","tagId":"bug"}`, bot: chat.ManageChannels},
	"channelPermissions": {request: `{"channelId":"ops","userId":"{@gus}","allow":["Send Messages"],"deny":["Add Reactions"],"clear":["Attach Files"]}`,
		also: []chat.Permission{chat.ManageRoles, chat.SendMessages, chat.AddReactions, chat.AttachFiles}, bot: chat.ManageRoles, says: "I need *Manage Permissions*"},
	"webhookList": {request: `{"channelId":"ops"}`, bot: chat.ManageWebhooks},

	"memberInfo":     {request: `{"userId":"{@gus}"}`, free: true},
	"memberList":     {request: `{}`, free: true},
	"memberNickname": {request: `{"userId":"{@gus}","nickname":"x"}`, also: []chat.Permission{chat.ManageNicknames}, tooHigh: `{"userId":"{@kim}","nickname":"x"}`, bot: chat.ManageNicknames},
	"roleInfo":       {request: `{}`, free: true},
	"roleAdd":        {request: `{"userId":"{@zed}","role":"low"}`, tooHigh: `{"userId":"{@bob}","role":"high"}`, bot: chat.ManageRoles},
	"roleRemove":     {request: `{"userId":"{@gus}","role":"low"}`, tooHigh: `{"userId":"{@kim}","role":"low"}`, bot: chat.ManageRoles},
	"roleCreate":     {request: `{"name":"new","permissions":["Kick Members"]}`, also: []chat.Permission{chat.KickMembers}, bot: chat.ManageRoles},
	"roleEdit":       {request: `{"role":"low","allow":["Kick Members"]}`, also: []chat.Permission{chat.KickMembers}, tooHigh: `{"role":"helpers","name":"x"}`, bot: chat.ManageRoles},
	"roleDelete":     {request: `{"role":"low"}`, tooHigh: `{"role":"high"}`, bot: chat.ManageRoles},

	"searchMessages": {request: `{"channel":"ops","query":"message"}`, bot: chat.ReadHistory},
	"eventList":      {request: `{}`, free: true},
	"eventCreate":    {request: `{"name":"x","startTime":"2027-05-01T18:00:00Z"}`, bot: chat.CreateEvents},
	"eventEdit":      {request: `{"eventId":"{made}","name":"x"}`, before: someEvent},
	"eventDelete":    {request: `{"eventId":"{made}"}`, before: someEvent},
	"inviteCreate":   {request: `{"channel":"ops"}`, bot: chat.CreateInvite},
	"inviteList":     {request: `{}`, also: []chat.Permission{chat.ManageServer}, bot: chat.ManageServer},
	"auditLog":       {request: `{}`, bot: chat.ViewAuditLog},
	"emojiList":      {request: `{}`, free: true},

	"poll":    {request: `{"channel":"ops","question":"when?","answers":["now","never"]}`, bot: chat.CreatePolls},
	"pollEnd": {request: `{"channel":"ops","messageId":"last"}`, before: `{"type":"poll","channel":"ops","question":"when?","answers":["now","never"]}`, also: []chat.Permission{chat.ManageMessages}, bot: chat.ReadHistory},

	"generateImage": {request: `{"channel":"ops","prompt":"a fox"}`, bot: chat.AttachFiles},

	"timeout":   {request: `{"userId":"{@gus}","reason":"x"}`, tooHigh: `{"userId":"{@kim}"}`, bot: chat.ModerateMembers},
	"untimeout": {request: `{"userId":"{@gus}"}`, before: `{"type":"timeout","userId":"{@gus}"}`, tooHigh: `{"userId":"{@kim}"}`, bot: chat.ModerateMembers},
	"kick":      {request: `{"userId":"{@gus}","reason":"x"}`, tooHigh: `{"userId":"{@kim}"}`, bot: chat.KickMembers},
	"ban":       {request: `{"userId":"{@gus}","reason":"x"}`, tooHigh: `{"userId":"{@ada}"}`, bot: chat.BanMembers},
	"unban":     {request: `{"userId":"{@gus}","reason":"x"}`, before: `{"type":"ban","userId":"{@gus}"}`, bot: chat.BanMembers},

	"botSetStatus":   {request: `{"status":"idle"}`},
	"botSetActivity": {request: `{"name":"x"}`, before: `{"type":"botSetActivity","name":"y"}`},
	"botSetNickname": {request: `{"nickname":"Claw"}`, bot: chat.ChangeNickname, alone: true},

	"voiceJoin":   {request: `{"channel":"Lounge"}`},
	"voiceLeave":  {request: `{}`, before: `{"type":"voiceJoin","channel":"Lounge"}`},
	"voiceStatus": {request: `{}`, free: true},
	"voiceMute":   {request: `{"mute":true}`, before: `{"type":"voiceJoin","channel":"Lounge"}`, unseen: inNoVoice},
	"voiceNote":   {request: `{"text":"good morning"}`, before: `{"type":"voiceJoin","channel":"Lounge"}`, bot: chat.AttachFiles},
	"voicePlay":   {request: `{"messageId":"{m}"}`, before: `{"type":"voiceJoin","channel":"Lounge"}`, unseen: inNoVoice, also: []chat.Permission{chat.ReadHistory}, fails: "there is no such message"},
	"voiceDeafen": {request: `{"deafen":true}`, before: `{"type":"voiceJoin","channel":"Lounge"}`, unseen: inNoVoice},

	"defer":       {request: `{"channel":"ops","prompt":"look again","delaySeconds":60}`, bot: chat.ViewChannel, says: noSuchOps},
	"deferList":   {request: `{}`, free: true},
	"deferCancel": {request: `{"id":1}`, free: true, before: `{"type":"defer","channel":"ops","prompt":"look again","delaySeconds":60}`},

	"remind":       {request: `{"channel":"ops","text":"look again","in":"1h"}`, bot: chat.ViewChannel, says: noSuchOps},
	"remindList":   {request: `{}`, free: true},
	"cardWithdraw": {request: `{"card":"5dec3f4b"}`, free: true, fails: confirm.ErrNotWaiting.Error()},

	"remindCancel": {request: `{"id":1}`, free: true, before: `{"type":"remind","channel":"ops","text":"look again","in":"1h"}`},

	"memoryRemember": {request: `{"text":"likes tea"}`, free: true},
	"memoryForget":   {request: `{"substring":"likes tea"}`, free: true, before: `{"type":"memoryRemember","text":"likes tea"}`},
	"memoryTier":     {request: `{"tier":3,"match":"likes tea"}`, free: true},
	"memoryShow":     {request: `{}`, free: true},
	"memorySearch":   {request: `{"query":"tea"}`, free: true},
	"memoryErase":    {request: `{}`, free: true},

	"conversationSummary": {request: `{}`, bot: chat.ReadHistory},

	"taskCreate":   {request: `{"title":"x"}`},
	"taskUpdate":   {request: `{"taskId":"ws-1","priority":0}`, before: someTask, text: `{"taskId":"ws-1"}`},
	"taskClose":    {request: `{"taskId":"ws-1"}`, before: someTask},
	"taskShow":     {request: `{"taskId":"ws-1"}`, before: someTask},
	"taskList":     {request: `{}`},
	"taskSync":     {request: `{}`},
	"tagMapReload": {request: `{}`},

	"cronCreate":       {request: `{"name":"weather","schedule":"daily at 7","channel":"ops","prompt":"x"}`, bot: chat.ViewChannel, says: noSuchOps},
	"cronUpdate":       {request: `{"cronId":"weather","schedule":"daily at 8"}`, before: someJob, text: `{"cronId":"weather"}`, unseen: "there is no scheduled job `weather` here"},
	"cronList":         {request: `{}`, free: true},
	"cronShow":         {request: `{"cronId":"weather"}`, free: true, before: someJob},
	"cronPause":        {request: `{"cronId":"weather"}`, free: true, before: someJob},
	"cronResume":       {request: `{"cronId":"weather"}`, free: true, before: someJob + "\n" + `{"type":"cronPause","cronId":"weather"}`},
	"cronTrigger":      {request: `{"cronId":"weather"}`, free: true, before: someJob},
	"cronSync":         {request: `{}`, free: true},
	"cronTagMapReload": {request: `{}`, free: true},
	"cronDelete":       {request: `{"cronId":"weather"}`, free: true, before: someJob},

	"planList":    {request: `{}`},
	"planShow":    {request: `{"planId":"1"}`, before: somePlan},
	"planCreate":  {request: `{"description":"x"}`},
	"planApprove": {request: `{"planId":"1"}`, before: somePlan},
	"planClose":   {request: `{"planId":"1"}`, before: somePlan},
	"planRun":     {request: `{"planId":"1"}`, before: approvedPlan},
	"forgeCreate": {request: `{"description":"Count words"}`},
	"forgeResume": {request: `{"planId":"1","wish":"x"}`, before: somePlan},
	"forgeStatus": {request: `{}`},
	"forgeCancel": {request: `{}`, before: someForge},

	"modelSet":   {request: `{"role":"chat","model":"capable"}`},
	"modelShow":  {request: `{}`},
	"calculate":  {request: `{"expression":"1+1"}`, free: true},
	"actionHelp": {request: `{"types":["sendFile"]}`, free: true},
	"webSearch":  {request: `{"query":"tea"}`, free: true},
}

// trialOf returns the trial of an action. Without one in the table, or without a request there, its first example is tried.
func trialOf(a *actions.Action) trial {
	tr := trials[a.Name]
	if tr.request == "" {
		tr.request = strings.Replace(strings.Replace(string(a.Examples()[0]), `"type":"`+a.Name+`"`, "", 1), "{,", "{", 1)
	}
	return tr
}

// TestEveryTrialSaysWhatItNeeds keeps the tests complete that loop over trials.
func TestEveryTrialSaysWhatItNeeds(t *testing.T) {
	for _, a := range mustCore(t, nil).registry.All() {
		tr := trialOf(a)
		takes := slices.Concat(a.Needs, tr.also)
		switch {
		case tr.free && len(takes) > 0:
			t.Errorf("%s is not free", a.Name)
		case !tr.free && len(takes) == 0:
			t.Errorf("%s needs no right at all; if that is meant, say so in the table of trials with {free: true}", a.Name)
		case tr.bot != "" && !tr.alone && !slices.Contains(slices.Concat(takes, a.MayNeed), tr.bot):
			t.Errorf("for %s Discord wants “%s” of the bot, but nobody wants it of who asks", a.Name, tr.bot)
		}
	}
}

// tried returns the request of a trial, with its type.
func tried(name string) string { return withType(name, trials[name].request) }

// withType adds the type to a request.
func withType(name, request string) string {
	return strings.Replace(strings.Replace(request, "{", `{"type":"`+name+`",`, 1), ",}", "}", 1)
}

// A court is a world in which actions are tried, with the real client.
type court struct {
	*discordtest.World
	t      *testing.T
	core   *Core
	said   chat.MessageID // a message in #ops
	made   string         // the ID of what the request before created
	policy access.Policy  // ada and bob are served, and operate the bot
}

// withPictures are settings that have pictures made by a server of the test.
var withPictures = []string{"OPENAI_API_KEY=" + imagetest.Key, "OPENAI_BASE_URL=http://127.0.0.1/v1"}

// withSpeech are settings that have texts spoken by a server of the test.
var withSpeech = []string{"DISCOCLAW_TTS_BASE_URL=" + speechtest.URL, "DISCOCLAW_TTS_API_KEY=" + speechtest.Key}

// outsideServices are a search engine and servers for pictures and speech, the settings that name them, and a client that reaches them.
func outsideServices(t *testing.T) ([]string, *http.Client) {
	search, paint, mouth := searchtest.Listen(), imagetest.New(t), speechtest.New(t)
	t.Cleanup(search.Close)
	return slices.Concat([]string{"DISCOCLAW_WEBSEARCH_PROVIDER=searxng", "DISCOCLAW_WEBSEARCH_URL=" + search.URL}, withPictures, withSpeech),
		&http.Client{Transport: byURL{search.URL: search.HTTP.Transport, speechtest.URL: mouth.HTTP.Transport, "": paint.HTTP.Transport}}
}

// byURL sends requests by the beginning of their addresses. Those of none of them have one that is empty.
type byURL map[string]http.RoundTripper

func (b byURL) RoundTrip(r *http.Request) (*http.Response, error) {
	for url, there := range b {
		if url != "" && strings.HasPrefix(r.URL.String(), url) {
			return there.RoundTrip(r)
		}
	}
	return b[""].RoundTrip(r)
}

// inCourt runs a test in a court.
func inCourt(t *testing.T, test func(c *court)) {
	t.Helper()
	inCourtOf(t, trialWorld, test)
}

// inCourtOf runs a test in a court with another world. Its first server must be disco, with ada,
// bob, #general and #ops.
func inCourtOf(t *testing.T, layout string, test func(c *court)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, layout)
		services, client := outsideServices(t)
		model := script.Func(func(ctx context.Context, _ llm.Request) iter.Seq2[llm.Event, error] {
			return script.Say("They talk.").Stream(ctx)
		})
		core, err := newCore(apptest.Env(t, w, services...), Externals{HTTP: w.HTTP(), ModelHTTP: client, NoCalls: true, Runtime: model})
		if err != nil {
			t.Fatal(err)
		}
		c := &court{World: w, t: t, core: core, policy: access.Policy{Users: []chat.UserID{w.UserID("ada"), w.UserID("bob")}}}
		ctx, stop := context.WithCancel(t.Context())
		c.prepare()
		ended := make(chan error)
		go func() { ended <- core.discord.Run(ctx, discordtest.Deaf{}) }()
		synctest.Wait()
		w.MustSay("ada", "disco/ops", "another message")
		c.said = w.MustSay("ada", "disco/ops", "a message").ID
		test(c)
		core.voice.LeaveAll(ctx)
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := core.db.Close(); err != nil {
			t.Error(err)
		}
	})
}

// prepare creates the files that actions need, and opens the database.
func (c *court) prepare() {
	c.t.Helper()
	c.prepareFiles()
	if err := c.core.db.Open(c.t.Context(), filepath.Join(c.core.dataDir, store.FileName)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *court) prepareFiles() {
	c.t.Helper()
	folder := filepath.Join(c.core.dataDir, sendFolder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "report.txt"), []byte("all is well"), 0o600); err != nil {
		c.t.Fatal(err)
	}
	c.prepareProject()
}

// prepareProject gives plans a repository, which has no commits.
func (c *court) prepareProject() {
	c.t.Helper()
	dir := c.t.TempDir()
	git := filepath.Join(dir, ".git")
	err := cmp.Or(os.MkdirAll(filepath.Join(git, "objects"), 0o700), os.MkdirAll(filepath.Join(git, "refs"), 0o700),
		os.WriteFile(filepath.Join(git, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600),
		os.WriteFile(filepath.Join(c.core.dataDir, "projects.json"), fmt.Appendf(nil, `{"sample": {"dir": %q, "verify": "true"}}`, dir), 0o600))
	if err != nil {
		c.t.Fatal(err)
	}
}

// from returns the origin of a request in #general; an empty name means no requester.
func (c *court) from(who string) actions.Origin {
	o := actions.Origin{Flow: actions.FlowMessage, Place: chat.Place{Guild: c.GuildID(), Channel: c.ChannelID("disco/general"), Message: c.said}}
	if who != "" {
		o.Requester = c.UserID(who)
	}
	return o
}

// try executes an action, as approved, and returns its result line.
func (c *court) try(o actions.Origin, name, args string) string {
	c.t.Helper()
	return c.tryAll(o, actions.Request{Type: name, Args: []byte(c.expand(args))})[0]
}

// tryAll executes all actions of one reply, and returns their result lines.
func (c *court) tryAll(o actions.Origin, requests ...actions.Request) []string {
	c.t.Helper()
	return actions.AllLines(c.carryOut(o, requests...))
}

// carryOut executes all actions of one reply.
func (c *court) carryOut(o actions.Origin, requests ...actions.Request) []actions.Outcome {
	c.t.Helper()
	dispatcher := actions.NewDispatcher(actions.DispatcherOptions{}, access.Guard(c.policy, c.core.discord))
	gate := c.core.registry.Gate(actionstest.Open(c.core.registry), flow.Narrowings(o)...)
	outs := dispatcher.ExecuteApproved(c.t.Context(), o, gate, requests)
	synctest.Wait()
	return outs
}

// tryOut executes an action's trial for ada, as approved.
func (c *court) tryOut(a *actions.Action) actions.Outcome {
	c.t.Helper()
	tr := trialOf(a)
	c.ready(tr)
	return c.carryOut(c.from("ada"), actions.Request{Type: a.Name, Args: []byte(c.expand(tr.request))})[0]
}

// ready executes the request that a trial needs before.
func (c *court) ready(tr trial) {
	c.t.Helper()
	for request := range strings.Lines(tr.before) {
		name := typeOf.FindStringSubmatch(request)[1]
		line := c.try(c.from("ada"), name, request)
		if !strings.HasPrefix(line, "Done: ") {
			c.t.Fatalf("%s: %s", request, line)
		}
		c.made = idOf(line)
		if name == "planCreate" {
			c.fillPlan()
		}
	}
}

// fillPlan writes something into the first plan, as people have to before it can be approved.
func (c *court) fillPlan() {
	c.t.Helper()
	file := filepath.Join(c.core.workFolder(), planFolder, "plan-001-x.md")
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, bytes.Replace(text, []byte("(What is true when this is done, and for whom.)"), []byte("All is well."), 1), 0o600)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

var (
	typeOf      = regexp.MustCompile(`"type":"(\w+)"`)
	anID        = regexp.MustCompile(`(\d{15,20})[)>]`)
	placeholder = regexp.MustCompile(`\{(m|made|@\w+)\}`)
)

// idOf returns the first ID that a line links to or mentions.
func idOf(line string) string {
	if found := anID.FindStringSubmatch(line); found != nil {
		return found[1]
	}
	return ""
}

// expand replaces the placeholders of a request with IDs.
func (c *court) expand(args string) string {
	return placeholder.ReplaceAllStringFunc(args, func(s string) string {
		switch name, isMember := strings.CutPrefix(s[1:len(s)-1], "@"); {
		case isMember:
			return string(c.UserID(name))
		case name == "made":
			return c.made
		}
		return string(c.said)
	})
}
