package standin_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/app"
	"discoclaw/internal/config"
	"discoclaw/internal/test/skip"
)

// A row is a kind of request: several wordings that lead to the same.
type row struct {
	kinds   string // the types of the requests, and behind > those of the next answer
	asked   []string
	want    string // the requests of the first answer, a line each, without braces; or its words, if it asks for nothing
	results string // what comes of them
	then    string // how the next answer begins: its words, or its first request
}

const (
	channelResults = "Done: (no category): #general (id:1, active 2026-11-18 12:29 UTC), #random (id:2, active 2026-02-03 10:00 UTC), " +
		"#old (id:3)\n" +
		"Work: #ops (id:4, active 2026-11-17 09:00 UTC), #help (id:5) forum, #tasks (id:6) forum"
	memberResults = "Done: Members (3):\nDiscoClaw (@DiscoClaw, id:9): DiscoClaw; bot\nyou (@you, id:1): no roles\nada (@ada, id:7): crew"
	readResults   = "Done: Messages in #ops:\nm1 [ada] Is the boat ready? (2026-11-17 09:00:00 UTC)\nm2 [ben] The boat needs paint. " +
		"(2026-11-17 09:05:00 UTC)"
	foundResults = "Done: Search results for \"boat\" in the channels that the asker may read (2 found):\n" +
		"m3 [2026-11-18 12:30:00 UTC] in #general [you] who wrote about the boat?\nm1 [2026-11-17 09:00:00 UTC] in #ops [ada] Is the boat ready?"
	taskResults = "Done: 2 tasks:\nws-001 “Paint the boat”: open, priority 2 (normal), due 2027-05-01 09:00, for @sam, <#123>\nws-002 " +
		"“Buy rope”: open, priority 2 (normal), <#124>"
	jobResults = "Done: 1 scheduled job:\n“Open tasks” by @you: runs every Friday at 17:00 in <#4>, next Fri " +
		"2026-11-20 17:00 +00:00, no run yet"
	roleResults = "Done: Roles (2):\nDiscoClaw (id:8, 1 member)\ncrew (id:10, 2 members)"
)

var rows = []row{
	// Channels.
	{"channelCreate sendMessage pinMessage", []string{"Make a channel called ideas and pin a welcome message there.",
		"please make me a channel named ideas and pin a welcome message in it",
		"create a new channel: ideas, then post a welcome message there"},
		`"name":"ideas"` + "\n" +
			`"channel":"ideas","content":"Welcome! Say hello, and tell us what you are working on."` + "\n" +
			`"channelId":"ideas","messageId":"last"`, "", ""},
	{"channelCreate",
		[]string{"make a channel called boat trips", "Could you create a boat trips channel?", "we need a channel for the boat trips",
			"add a new channel named #boat-trips"}, `"name":"boat-trips"`, "", ""},
	{"channelCreate",
		[]string{"make a private channel called crew", "create a secret channel named crew"}, `"name":"crew","private":true`, "", ""},
	{"channelCreate", []string{"make a voice channel called lounge in Work", "add a voice channel named lounge under the category Work"},
		`"name":"lounge","parent":"Work","channelType":"voice"`, "", ""},
	{"channelEdit", []string{"rename #news to updates", "Rename the news channel to updates.", "please change the name of #news to #updates",
		"call #news updates"}, `"channelId":"news","name":"updates"`, "", ""},
	{"channelDelete", []string{"delete #random", "Please remove the channel random", "get rid of the random channel", "drop #random, please"},
		`"channelId":"random"`, "Asked: delete #random", "Nothing is done yet"},
	{"channelMove", []string{"move #news to Work", "put #news under the category Work", "move the channel news into the Work category"},
		`"channelId":"news","parent":"Work"`, "", ""},
	{"channelMove", []string{"move #news to the top", "move news to top"}, `"channelId":"news","position":0`, "", ""},
	{"channelEdit", []string{"set the topic of #ops to All hands on deck", "change #ops topic to All hands on deck",
		"change the topic in ops to All hands on deck."}, `"channelId":"ops","topic":"All hands on deck"`, "", ""},
	{"channelEdit", []string{"set slowmode in #ops to 2 minutes", "turn on slow mode for ops of 120 seconds", "set slowmode to 120s in #ops"},
		`"channelId":"ops","slowmode":120`, "", ""},
	{"channelEdit", []string{"turn off slowmode in #ops", "disable the slow mode in ops"}, `"channelId":"ops","slowmode":0`, "", ""},
	{"channelPermissions", []string{"make #ops private", "hide #ops from everyone", "make the ops channel private"},
		`"channelId":"ops","role":"everyone","deny":["View Channel"]`, "", ""},
	{"channelPermissions",
		[]string{"lock #ops", "please freeze #ops"}, `"channelId":"ops","role":"everyone","deny":["Send Messages"]`, "", ""},
	{"categoryCreate", []string{"make a category called Projects", "create a new category named Projects"}, `"name":"Projects"`, "", ""},
	{"channelList",
		[]string{"what channels do we have?", "list the channels", "Show me all channels", "which channels are there?"}, ``, channelResults,
		"There are 6 channels: #general, #random"},
	{"channelInfo", []string{"what is #ops about?", "tell me about #ops"}, `"channelId":"ops"`,
		"Done: Name: #ops\nType: text\nCategory: Work\nTopic: Ships", "#ops is a text channel in Work. Its topic: Ships."},
	{"channelList > channelDelete channelDelete",
		[]string{"Delete the channels that have been quiet since March.", "delete all channels that are silent since March",
			"remove the quiet channels since March", "delete the channels where nobody has written since March"},
		``, channelResults, "Quiet since 1 March 2026: #random, #old. They go only if you approve."},
	{"channelList",
		[]string{"which channels are quiet?", "show me the dead channels"}, ``, channelResults, "Quiet since 18 October: #random, #old."},

	// Roles and people.
	{"roleCreate",
		[]string{"make a role called crew", "create the role crew", "add a crew role", "make a new role named crew"}, `"name":"crew"`, "", ""},
	{"roleCreate",
		[]string{"make a blue role called crew", "create a role crew with the color blue"}, `"name":"crew","color":"#3498db"`, "", ""},
	{"roleInfo > roleAdd",
		[]string{"give sam the role crew", "give the role crew to sam", "give @sam the crew role", "add sam to the role crew"}, ``, roleResults,
		`"userId":"sam","role":"crew"`},
	{"roleInfo > roleCreate roleAdd",
		[]string{"give sam the role helpers", "assign the role helpers to sam"}, ``, roleResults, `"name":"helpers"`},
	{"roleRemove",
		[]string{"take the role crew from sam", "remove the crew role from sam", "take away sam's role crew"}, `"userId":"sam","role":"crew"`,
		"", ""},
	{"memberList", []string{"who has the role crew?", "who has the crew role?", "who is in the role crew"}, `"role":"crew"`, memberResults,
		"you and ada have the role crew."},
	{"roleInfo",
		[]string{"what roles are there?", "list the roles", "which roles do we have"}, ``, roleResults, "The roles are: DiscoClaw, crew."},
	{"memberInfo searchMessages", []string{"who is ada?", "who's @ada", "tell me about @ada", "when did ada join?"}, `"userId":"ada"` + "\n" + `"userId":"ada"`,
		"Done: Username: ada\nDisplay: Ada\nID: 7\nJoined: 2026-11-01 10:00:00 UTC\nRoles: crew",
		"Ada has been here since 2026-11-01 and has these roles: crew."},
	{"memberList", []string{"who is here?", "who's on this server?", "list the members", "how many people are here?"}, ``, memberResults,
		"2 members: you, ada."},
	{"memberNickname",
		[]string{"set sam's nickname to Sammy", "call sam Sammy", "change the nickname of sam to Sammy"}, `"userId":"sam","nickname":"Sammy"`,
		"", ""},
	{"ban", []string{"ban sam", "please ban @sam"}, `"userId":"sam"`, "Ignored: ban is not an action you may use here", "Done."},
	{"inviteCreate", []string{"make an invite link", "how can I invite a friend?", "create an invite"}, ``, "", ""},

	// Events, polls, questions.
	{"eventCreate", []string{"make an event: Harbour walk on Saturday at 15:00 at the pier",
		"schedule an event called Harbour walk on Saturday at 3pm at the pier",
		"create an event on Saturday at 15:00 at the pier called Harbour walk"},
		`"name":"Harbour walk","startTime":"2026-11-21T15:00+00:00","location":"the pier"`, "", ""},
	{"eventList", []string{"what events are there?", "list the events", "when is the next event?", "what's coming up?"}, ``,
		"Done: Scheduled events:\nParty (id:5) — 2027-05-01 18:00:00 UTC to 2027-05-01 19:00:00 UTC — Harbour",
		"Coming up:\n- Party, Saturday, 1 May 2027, 18:00, Harbour"},
	{"poll", []string{"start a poll: Lunch? pizza, pasta or soup", "make a poll: Lunch? pizza, pasta, or soup",
		"create a poll asking Lunch? pizza / pasta / soup"}, `"channel":"general","question":"Lunch?","answers":["pizza","pasta","soup"]`, "",
		""},
	{"reactionPrompt", []string{"ask us whether to order pizza", "ask everyone if we should order pizza"},
		`"question":"Shall we order pizza? ✅ means yes, ❌ means no.","choices":["✅","❌"]`, "", ""},

	// Messages.
	{"sendMessage",
		[]string{"say good morning in #ops", "post good morning to ops", "write \"good morning\" in #ops", "in #ops, say good morning",
			"tell #ops good morning"}, `"channel":"ops","content":"good morning"`, "", ""},
	{"sendMessage pinMessage", []string{"pin a message saying Mind the gap in #ops", "pin a note: Mind the gap in ops"},
		`"channel":"ops","content":"Mind the gap"` + "\n" + `"channelId":"ops","messageId":"last"`, "", ""},
	{"readMessages > pinMessage",
		[]string{"pin the last message in #ops", "pin the latest message from ops"}, `"channel":"ops","limit":5`, readResults,
		`"channelId":"ops","messageId":"m2"`},
	{"listPins", []string{"what is pinned in #ops?", "show me the pins of #ops", "list pinned messages in ops"}, `"channel":"ops"`,
		"Done: Pinned messages in #ops:\nm1 [ada] Hi. (2026-11-17 09:00:00 UTC)", "1 pinned message in #ops. The latest, by ada: “Hi.”"},
	{"readMessages > react",
		[]string{"react to the last message in #ops with 🎉", "react with 🎉 to the latest message in ops"}, `"channel":"ops","limit":5`,
		readResults, `"channelId":"ops","messageId":"m2","emoji":"🎉"`},
	{"readMessages > deleteMessage",
		[]string{"delete the last message in #ops", "remove the latest message from ops"}, `"channel":"ops","limit":5`, readResults,
		`"channelId":"ops","messageId":"m2"`},
	{"threadCreate", []string{"start a thread about lunch", "open a thread called lunch", "make a new thread: lunch"},
		`"channelId":"general","name":"lunch"`, "", ""},
	{"threadCreate",
		[]string{"start a thread about lunch in #ops", "create a thread in #ops about lunch"}, `"channelId":"ops","name":"lunch"`, "", ""},
	{"threadCreate", []string{"ask in help: how do I deploy?", "post a question in the help forum: how do I deploy?",
		"make a post in help: how do I deploy?"}, `"channelId":"help","name":"How do I deploy?","content":"How do I deploy? Who knows more?"`,
		"", ""},
	{"readMessages",
		[]string{"what was said in #ops?", "summarise #ops", "what's going on in #ops?", "catch me up on #ops", "what did I miss in #ops"},
		`"channel":"ops","limit":50`, readResults,
		"#ops: 2 messages by ada and ben. Last: ada: “Is the boat ready?” ben: “The boat needs paint.”"},
	{"conversationSummary", []string{"summarise this channel", "recap", "sum up the conversation", "tl;dr"}, ``,
		"Done: Summary of the latest 50 messages here:\nTwo people talk about a boat.", "Two people talk about a boat."},
	{"channelList > readMessages readMessages readMessages eventList",
		[]string{"what did I miss?", "what's new?", "catch me up", "what happened while I was away?"}, ``, channelResults,
		`"channel":"general","limit":30`},
	{"searchMessages", []string{"who wrote about the boat?", "find boat", "did anyone mention the boat?", "where did we talk about the boat?",
		"search for boat"}, `"query":"boat"`, foundResults, "Ada wrote about it:\n- ada in #ops, yesterday: “Is the boat ready?”"},
	{"searchMessages",
		[]string{"what did ada say about the boat?", "what has ada said about the boat"}, `"userId":"ada","query":"boat"`, foundResults,
		"Ada wrote about it:"},

	// Tasks.
	{"taskCreate",
		[]string{"make a task: fix the login, urgent", "create an urgent task to fix the login", "add a task: fix the login, it's urgent"},
		`"title":"Fix the login","priority":0`, "", ""},
	{"taskCreate", []string{"make a task to paint the boat, due Friday", "add a task: paint the boat by Friday",
		"create a task: paint the boat, due on Friday at 9:00"}, `"title":"Paint the boat","due":"2026-11-20T09:00+00:00"`, "", ""},
	{"taskCreate", []string{"make a task: paint the boat, for @sam", "create a task to paint the boat and assign it to sam",
		"add a task paint the boat, assigned to sam"}, `"title":"Paint the boat","assignee":"sam"`, "", ""},
	{"taskCreate taskList > taskClose",
		[]string{"make a task: buy milk, and close it"}, `"title":"Buy milk"` + "\n", "Done: opened “Buy milk” (ws-003)\n" + taskResults,
		`"taskId":"ws-003"`},
	{"taskList",
		[]string{"what's still open?", "whats open", "what is open?", "list the open tasks", "show me the tasks", "what do we have to do?",
			"which tasks are open?"}, ``, taskResults,
		"Still open, 2 tasks:\n- Paint the boat (ws-001, due 2027-05-01 09:00, for @sam)\n- Buy rope (ws-002)"},
	{"taskClose", []string{"close task 1", "task 1 is done", "finish task 1", "mark task 1 as done"}, `"taskId":"1"`, "", ""},
	{"taskList > taskClose", []string{"close the task about the boat", "finish paint the boat"}, ``, taskResults, `"taskId":"ws-001"`},
	{"taskUpdate", []string{"assign task 2 to sam", "give task 2 to @sam", "let sam do task 2"}, `"taskId":"2","assignee":"sam"`, "", ""},
	{"taskUpdate", []string{"task 2 is due tomorrow", "set the due date of task 2 to tomorrow", "make task 2 due tomorrow"},
		`"taskId":"2","due":"2026-11-19T09:00+00:00"`, "", ""},
	{"taskUpdate", []string{"start task 2", "I'm working on task 2"}, `"taskId":"2","status":"in_progress"`, "", ""},
	{"taskList > sendMessage", []string{"post the open tasks in #ops", "send the tasks to #ops"}, ``, taskResults, "Posting it in #ops."},

	// Later, and again and again.
	{"remind", []string{"remind me in 20 seconds to stretch", "remind me to stretch in 20 seconds", "in 20 seconds, remind me to stretch",
		"set a reminder to stretch in 20 seconds"}, `"text":"stretch","in":"20s"`, "", ""},
	{"remind",
		[]string{"remind me tomorrow at 9 to call mum", "remind me to call mum tomorrow at 9am", "tomorrow at 9:00 remind me to call mum",
			"remind me to call mum tomorrow morning"}, `"text":"call mum","at":"2026-11-19T09:00+00:00"`, "", ""},
	{"remind", []string{"remind sam at 17:00 to go home", "remind @sam to go home at 5pm"},
		`"text":"go home","userId":"sam","at":"2026-11-18T17:00+00:00"`, "", ""},
	{"defer", []string{"remind us in 5 minutes to stretch", "remind everyone to stretch in five minutes"},
		`"channel":"general","delaySeconds":300,"prompt":"Tell everybody to stretch."`, "", ""},
	{"cronCreate", []string{"remind us on Friday at 15:00 to go home", "remind everybody to go home on Friday at 3 pm"},
		`"name":"Tell everybody to go home","schedule":"once 2026-11-20 15:00","prompt":"Tell everybody to go home."`, "", ""},
	{"defer", []string{"in 10 minutes, post the open tasks in #ops", "post the open tasks in #ops in 10 minutes"},
		`"channel":"ops","delaySeconds":600,"prompt":"Post the open tasks."`, "", ""},
	{"remindList deferList", []string{"what are my reminders?", "list my reminders", "show me the reminders"}, "\n",
		"Done: 1 reminder of @you is waiting:\n1: <t:1795000000:f>: stretch", "Still to come:\n- stretch (reminder 1, <t:1795000000:f>)"},
	{"remindCancel", []string{"cancel reminder 1", "delete my reminder 1"}, `"id":"1"`, "", ""},
	{"cronCreate", []string{"Every Friday at 17:00, post the open tasks in #ops.", "post the open tasks in #ops every Friday at 17:00",
		"every friday at 17:00 post the open tasks to #ops", "post the open tasks every Friday at 17:00 in #ops"}, `in #ops at 17`, "", ""},
	{"cronCreate", []string{"at 9:00 on Mondays, say good morning in #ops", "at 9:00 on mondays say good morning to #ops"},
		`"name":"Say good morning","schedule":"at 9:00 on mondays","channel":"ops","prompt":"Say good morning."`, "", ""},
	{"cronCreate", []string{"every day at 7:00, tell us to water the plants", "remind us to water the plants every day at 7:00",
		"tell us to water the plants every day at 7:00"},
		`"name":"Water the plants","schedule":"every day at 7:00","prompt":"Tell everybody to water the plants."`, "", ""},
	{"cronCreate", []string{"every day at 8:00, tell us to get up, but never late"},
		`"name":"Get up","schedule":"every day at 8:00","prompt":"Tell everybody to get up.","missed":"skip"`, "", ""},
	{"cronCreate", []string{"every morning, say good morning", "say good morning every morning", "each morning say good morning"},
		`"name":"Say good morning","schedule":"every day at 9:00","prompt":"Say good morning."`, "", ""},
	{"cronCreate", []string{"every minute, tell us to breathe", "tell us to breathe every minute"},
		`"name":"Breathe","schedule":"every minute","prompt":"Tell everybody to breathe."`, "", ""},
	{"cronList", []string{"what is scheduled?", "list the jobs", "what jobs are there?", "show me the scheduled jobs"}, ``, jobResults,
		"Scheduled:\n- Open tasks: every Friday at 17:00 in <#4>"},
	{"cronList > cronPause",
		[]string{"pause the job open tasks", "pause the open tasks job"}, ``, jobResults, `"cronId":"Open tasks"`},
	{"cronList > cronResume",
		[]string{"resume the job open tasks", "continue the open tasks job"}, ``, jobResults, `"cronId":"Open tasks"`},
	{"cronList > cronTrigger", []string{"run the job open tasks", "trigger the open tasks job"}, ``, jobResults, `"cronId":"Open tasks"`},
	{"cronList > cronDelete", []string{"delete the job open tasks", "cancel the open tasks job"}, ``, jobResults, `"cronId":"Open tasks"`},
	{"cronList", []string{"delete the job nonsense", "pause the nonsense job"}, ``, jobResults, "I don't see a job called “nonsense”."},

	// Plans.
	{"forgeCreate", []string{"make a plan to add a greeting", "write a plan for add a greeting", "forge a plan to add a greeting",
		"draft a plan: add a greeting"}, `"description":"Add a greeting"`, "", ""},
	{"planList",
		[]string{"list the plans", "what plans are there?", "show me the plans"}, ``, "Done: there are no plans yet", "There are no plans yet."},
	{"planShow", []string{"show plan 1", "what is in plan 1?", "describe the plan 1"},
		`"planId":"1"`, "Done: plan-001 “Greet”", "plan-001 “Greet”"},
	{"planApprove", []string{"approve plan 1", "approve plan-1"}, ``, "", ""},
	{"planRun", []string{"run plan 1", "carry out plan 1", "execute the plan 1"}, `"planId":"1"`, "", ""},

	// Memory.
	{"memoryRemember",
		[]string{"remember that I prefer tea", "Please remember: I prefer tea.", "keep in mind that I prefer tea"}, `"text":"Prefers tea."`, "",
		""},
	{"memoryForget", []string{"forget that I prefer tea", "forget about I prefer tea"}, `"substring":"Prefers tea"`, "", ""},
	{"memoryShow", []string{"what do you know about me?", "what do you remember?", "show me what you know about me"}, ``,
		"Done: - [fact] Prefers tea. (2026-11-18) durable-014eece6", "What I remember about you:\n- Prefers tea."},

	// The rest.
	{"calculate", []string{"what is 342 * 15?", "calculate 342 * 15", "342 * 15 = ?"}, `"expression":"342 * 15"`, "Done: 342 * 15 = 5130",
		"342 × 15 = 5130."},
	{"calculate", []string{"what is 12 times 7?", "how much is 12 times 7"}, `"expression":"12 * 7"`, "Done: 12 * 7 = 84", "12 × 7 = 84."},
	{"modelShow", []string{"which models do you use?", "what model are you"}, ``, "Done: Models by role:", "None: in this playground"},
	{"", []string{"what time is it?", "what's the time", "what day is it today?"}, "It is Wednesday, 18 November 2026, 12:30.", "", ""},
	{"", []string{"undo that", "undo", "take that back", "revert it"},
		"I see nothing that I changed in this conversation. `!undo`, written by you, takes back what I did last in this channel, one thing each time.", "", ""},
	{"", []string{"thanks!", "Thank you so much", "great, thanks"}, "You're welcome!", "", ""},
	{"", []string{"hello", "hi there", "Good morning!", "hey"},
		"Hello! A script speaks for me here, but what I do goes through the real bot. Try: “Make a channel called ideas and pin a welcome " +
			"message there.”", "", ""},
}

func TestItUnderstandsManyWordings(t *testing.T) {
	skip.UnderRace(t, "a script is a value")
	for _, tt := range rows {
		for _, text := range tt.asked {
			t.Run(text, func(t *testing.T) {
				req := said(t, text)
				first := answered(t, req)
				checkFirst(t, tt, first)
				kinds, second := types(t, first), ""
				if tt.results != "" {
					second = answered(t, next(req, first, tt.results))
					kinds = strings.TrimSuffix(kinds+" > "+types(t, second), " > ")
				}
				if kinds != tt.kinds {
					t.Errorf("it asks for %s, want %s", kinds, tt.kinds)
				}
				if tt.then == "" {
					return
				}
				if !strings.HasPrefix(shown(second), tt.then) {
					t.Errorf("after the results it says\n%s\nwant\n%s", shown(second), tt.then)
				}
			})
		}
	}
}

// types are those of the requests of an answer.
func types(t *testing.T, answer string) string {
	t.Helper()
	var list []string
	for _, fields := range blocksIn(t, answer) {
		kind, _ := fields["type"].(string)
		list = append(list, kind)
	}
	return strings.Join(list, " ")
}

// shown is an answer as rows have it: the fields of its requests, or its words.
func shown(answer string) string {
	blocks, text := requests(answer)
	if text != "" {
		return text
	}
	return strings.Join(blocks, "\n")
}

func checkFirst(t *testing.T, tt row, first string) {
	t.Helper()
	blocks, text := requests(first)
	if len(blocks) == 0 {
		if diff := cmp.Diff(tt.want, text); diff != "" {
			t.Errorf("answer (-want +got):\n%s", diff)
		}
		return
	}
	if text != "" && text != "Posting it in #ops." {
		t.Errorf("beside its requests it says %q before anything is done", text)
	}
	want := strings.ReplaceAll(tt.want, "in #ops at 17", `"name":"Open tasks","schedule":"every friday at `+
		`17:00","channel":"ops","prompt":"Post the open tasks."`)
	got := strings.Join(blocks, "\n")
	if want == "" {
		return // without fields that matter
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// TestRequestsFitTheirActions decodes every request of every row, of both answers.
func TestRequestsFitTheirActions(t *testing.T) {
	skip.UnderRace(t, "a script is a value")
	core, err := app.NewCore(config.Env{})
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	check := func(text, answer string) {
		for _, m := range blockText.FindAllStringSubmatch(answer, -1) {
			var kind string
			for _, fields := range blocksIn(t, m[0]) {
				kind, _ = fields["type"].(string)
			}
			kinds[kind] = true
			action, ok := core.Inspect.Registry.Lookup(kind)
			if !ok {
				t.Errorf("%q asks for %q, which is no action", text, kind)
				continue
			}
			if bound, err := action.Bind([]byte(strings.ReplaceAll(m[1], `"m2"`, `"last"`))); err != nil || len(bound.Ignored) > 0 {
				t.Errorf("%q asks for %s: %v, ignored %q", text, m[1], err, bound.Ignored)
			}
		}
	}
	for _, tt := range rows {
		for _, text := range tt.asked {
			req := said(t, text)
			first := answered(t, req)
			check(text, first)
			check(text, answered(t, next(req, first, tt.results)))
		}
	}
	if len(kinds) < 40 {
		t.Errorf("only %d kinds of actions are asked for: %v", len(kinds), kinds)
	}
}
