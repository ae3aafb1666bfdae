package mutants

// Packages with tests of the whole bot.
const (
	app    = "internal/app"
	scenes = "internal/test/scenario"
)

// Table has the defences by what they are against, each with the narrowest tests of the attack suite that see it gone.
var Table = []Mutant{
	// Cards
	{"cards that lie", "editMessage reaches only messages that it was asked to send", []Edit{
		{"internal/actions/messaging/editing.go", "if err == nil && !has {", "if err == nil && !has && false {"},
	}, app, "TestACardCannotBeRewritten"},
	{"cards that lie", "a question cannot be rewritten before it is answered", []Edit{
		{"internal/actions/messaging/editing.go", "has, err := c.sent.Has(ctx, ch.ID, id)", "has, err := true, error(nil)"},
	}, scenes, "TestScenes/abuse-edit-own-words TestScenes/abuse-card-rewritten"},
	{"cards that lie", "a card is one message", []Edit{
		{"internal/confirm/card.go", "whole := r.head() + foot; !r.mass() && chat.Length(whole) <= maxCard {", "whole := r.head() + foot; !r.mass() {"},
	}, "internal/confirm", "TestACardIsOneMessage TestALongCardIsOneMessageWithAFile"},
	{"cards that lie", "what a card has no room for is in a file", []Edit{
		{"internal/confirm/card.go", "return text, r.list()\n}\n\n// ending", "return text, \"\"\n}\n\n// ending"},
	}, "internal/confirm", "TestACardIsOneMessage TestALongCardIsOneMessageWithAFile"},
	{"cards that lie", "a long card shows the gravest first", []Edit{
		{"internal/confirm/card.go", "numbered(r.gravestFirst())", "numbered(r.Items)"},
	}, scenes, "TestScenes/abuse-mass-hidden"},
	{"cards that lie", "a card keeps to the channels that it showed", []Edit{
		{"internal/actions/mass.go", "b = b.withNamed(ctx, call)", ""},
		{"internal/actions/mass.go", "if ch, ok := call.Checked(); ok && ", "if ch, ok := call.Checked(); ok && false && "},
	}, scenes, "TestScenes/abuse-mass-renamed"},
	{"cards that lie", "a card keeps to a channel that the request names by its ID", []Edit{
		{"internal/actions/mass.go", "!chat.IsID(member(r, field)) && ", ""},
	}, "internal/actions", "TestAHeldChangeKeepsTheChannelOfItsCard"},
	{"cards that lie", "a card keeps to the people whom it showed", []Edit{
		{"internal/actions/users.go", "if call.users != nil {", "if false {"},
	}, app, "TestAHeldChangeIsAboutAMemberWhoeverTakesTheName"},
	{"cards that lie", "a card shows every field", []Edit{
		{"internal/actions/sentence.go", "ok && !d.told[f.Name] {", "ok && false {"},
	}, app, "TestCardsAreSentences"},
	{"cards that lie", "a value cannot end its quotes", []Edit{
		{"internal/actions/sentence_values.go", "innerQuotes.Replace(chat.Literal(text))", "chat.Literal(text)"},
	}, "internal/actions", "TestSentences"},
	{"cards that lie", "a value is not read as a part of a card's sentence", []Edit{
		{"internal/actions/sentence.go", `d.add(", " + inWords`, `d.say(", " + inWords`},
	}, "internal/actions", "TestSentences"},
	{"cards that lie", "a card does not tell the name of a hidden channel", []Edit{
		{"internal/actions/sentence_values.go", "case first || d.call.willMake(ref):", "case true:"},
	}, "internal/actions", "TestSentences"},
	{"cards that lie", "role names are settled once, before the rights are checked", []Edit{
		{"internal/access/guard.go", "if b, err = b.WithRoles(ctx, call, m.Role); err != nil {", "if err != nil {"},
	}, scenes, "TestScenes/abuse-mass-role-renamed"},
	{"cards that lie", "names of people are settled once, before the rights are checked", []Edit{
		{"internal/access/guard.go", "if b, err = b.WithUsers(ctx, call, m.User); err != nil {", "if err != nil {"},
	}, scenes, "TestScenes/people-card-keeps-its-person"},
	{"cards that lie", "a card answers only to who asked, or has the rights", []Edit{
		{"internal/confirm/answer.go", "if by.ID == rec.Origin.Requester {", "if by.ID != \"\" {"},
	}, scenes, "TestScenes/confirm-by-whom TestScenes/abuse-confirm"},
	{"cards that lie", "work that begins without a person takes back no cards", []Edit{
		{"internal/actions/utility/withdraw.go", "o.Unattended() || ", ""},
	}, scenes, "TestScenes/abuse-card-withdrawn-by-a-webhook"},
	{"cards that lie", "no sign looks like the end of a quoted text", []Edit{
		{"internal/actions/sentence_values.go", "\"❞\", \"’\", ", ""},
	}, "internal/actions", "TestSentences"},
	{"cards that lie", "a token is valid in the channel of its card alone", []Edit{
		{"internal/confirm/answer.go", "if !found || rec.Origin.Place.Channel != at.Channel {", "if !found {"},
	}, scenes, "TestScenes/abuse-confirm"},
	{"cards that lie", "what cannot be undone is held", []Edit{
		{"internal/actions/dispatcher.go", "case b.Action.Destructive && (!call.approved || call.tainted(b)) && !granted:", "case false:"},
	}, app, "TestOwnersGetWhatTheyOrder"},
	{"cards that lie", "many changes are held", []Edit{
		{"internal/actions/dispatcher.go", "case call.mass && b.Action.counts() && !b.Action.Destructive && !call.approved:", "case false:"},
	}, app, "TestOwnersGetWhatTheyOrder"},

	// Silent losses
	{"silent losses", "a turn that keeps its answer back is gone on with", []Edit{
		{"internal/flow/run.go", "in.Next(r)", "_ = in.Next"},
	}, scenes, "TestScenes/continue-three-times"},
	{"silent losses", "what was kept back is posted when the model says nothing", []Edit{
		{"internal/turn/deliver.go", "if r.owesText(n, text, round) {", "if false && r.owesText(n, text, round) {"},
	}, scenes, "TestScenes/continue-fails"},
	{"silent losses", "what was kept back is posted when the model fails", []Edit{
		{"internal/turn/deliver.go", "\tif r.Before != \"\" {\n", "\tif false {\n"},
	}, scenes, "TestScenes/continue-fails"},
	{"silent losses", "a filter does not make an answer empty", []Edit{
		{"internal/turn/deliver.go", "(!idle(round) || r.emptied)", "!idle(round)"},
	}, scenes, "TestScenes/lifecycle-tool-logs"},
	{"silent losses", "complete means that the reply arrived", []Edit{
		{"internal/flow/progress.go", "len(r.Receipts) > 0\n", "true\n"},
	}, scenes, "TestScenes/lifecycle-every-send-fails"},
	{"silent losses", "a message that is over has no mark that it waits", []Edit{
		{"internal/flow/run.go", "\t\tin.ended(r, report)\n", "\t\t_ = report\n"},
	}, scenes, "TestScenes/lifecycle-full"},
	// Corrections
	{"corrections that cost", "an answer that is whole is committed to before it has any effect", []Edit{
		{"internal/turn/ledger.go", "err = r.commit()", "err = nil"},
	}, "internal/turn", "TestASteeredTurnLeavesNothingBehind"},
	{"corrections that cost", "an answer whose tool has begun to change something is not stopped", []Edit{
		{"internal/turn/runner.go", "if e.Changes {", "if false {"},
	}, "internal/turn", "TestASteeredTurnLeavesNothingBehind"},
	{"corrections that cost", "an answer is not stopped where a program may have changed something", []Edit{
		{"internal/turn/runner.go", "if r.req.Workspace.Level.Allows(llm.ToolsWrite) {", "if false {"},
	}, scenes, "TestScenes/steer-tools"},
	{"corrections that cost", "an answer is stopped only so often in a row", []Edit{
		{"internal/flow/steer.go", "\t\tw.left--\n", ""},
	}, scenes, "TestScenes/steer-three-times"},
	{"corrections that cost", "an answer that was stopped counts as a turn", []Edit{
		{"internal/flow/steer.go", " || !in.cooldown.spend(person, in.UserTurns)", " || person == \"\""},
	}, scenes, "TestScenes/steer-user-turns"},
	{"corrections that cost", "only its own person stops an answer", []Edit{
		{"internal/flow/steer.go", "w.by == e.Joins && ", ""},
	}, scenes, "TestScenes/steer-others-wait"},
	{"corrections that cost", "a message that could not stop an answer is not lost", []Edit{
		{"internal/flow/steer.go", "in.convo.Add(in.work(e))", "_ = e"},
	}, "internal/flow", "TestAFurtherMessageDuringAnOutage TestAPanicLosesNoFurtherMessage"},
	// MCP
	{"MCP", "a client needs the token", []Edit{
		{"internal/mcp/serve/serve.go", "case !s.knows(r.Header.Get(\"Authorization\")):", "case false:"},
	}, "internal/mcp/serve", "TestWhoComesIn"},
	{"MCP", "pages of a browser do not reach the bot under another name", []Edit{
		{"internal/mcp/serve/serve.go", "case r.Host != address || r.Header.Get(\"Origin\") != \"\":", "case r.Header.Get(\"Origin\") != \"\":"},
		{"internal/mcp/serve/serve.go", "PropagateRequestCancellation: true}", "PropagateRequestCancellation: true, DisableLocalhostProtection: true}"},
	}, "internal/mcp/serve", "TestWhoComesIn"},
	{"MCP", "pages of a browser do not reach the bot", []Edit{
		{"internal/mcp/serve/serve.go", "case r.Host != address || r.Header.Get(\"Origin\") != \"\":", "case r.Host != address:"},
	}, "internal/mcp/serve", "TestWhoComesIn"},
	{"MCP", "a request of a client is bounded", []Edit{
		{"internal/mcp/serve/serve.go", "MaxRequestBodyBytes: maxBody", "MaxRequestBodyBytes: -1"},
	}, "internal/mcp/serve", "TestWhoComesIn"},
	{"MCP", "clients are answered a few at a time", []Edit{
		{"internal/mcp/serve/serve.go", "make(chan struct{}, maxRequests)", "make(chan struct{}, 100*maxRequests)"},
	}, "internal/mcp/serve", "TestOnlySoManyAtATime"},
	{"MCP", "a client does not change the bot itself", []Edit{
		{"internal/access/ways.go", "Off:   []string{\"botProfile\", \"config\", \"defer\", \"forge\"},", "Off:   []string{\"botProfile\", \"defer\", \"forge\"},"},
	}, app, "TestAnMCPClientActsOnTheServer"},
	{"MCP", "a client approves no plan", []Edit{
		{"internal/access/ways.go", "Types: []string{\"conversationSummary\", \"planApprove\", ", "Types: []string{\"conversationSummary\", "},
	}, app, "TestAnMCPClientActsOnTheServer"},
	{"MCP", "what a client has read taints what it does", []Edit{
		{"internal/app/mcp.go", "v.outside.Add(out.Result.Outside)", ""},
	}, app, "TestWhatAnMCPClientHasReadTaintsWhatItDoes"},
	{"MCP", "changes of a client count together", []Edit{
		{"internal/app/mcp.go", "v.changes = append(v.changes, v.latest)", ""},
	}, app, "TestManyChangesOfAnMCPClientAreHeld"},
	{"MCP", "nobody is acted for who is not served", []Edit{
		{"internal/app/mcp.go", "case !slices.Contains(c.policy().Users, user):", "case false:"},
	}, app, "TestTheMCPUserIsCertain"},
	{"MCP", "other tools are not offered after outside text", []Edit{
		{"internal/llm/tools/external.go", " || req.Workspace.Tainted {", " {"},
	}, "internal/llm/tools", "TestOtherToolsAreOfferedBesideOurs"},
	{"MCP", "other tools are not offered in projects", []Edit{
		{"internal/llm/tools/external.go", "l.More == nil || req.Workspace.Root != \"\" ||", "l.More == nil ||"},
	}, "internal/llm/tools", "TestOtherToolsAreOfferedBesideOurs"},
	{"MCP", "a server's words do not steer calls of another", []Edit{
		{"internal/llm/tools/call.go", "return t.server == \"\" || from != t.server", "return t.server == \"\""},
	}, "internal/llm/tools", "TestAServersWordsDoNotSteerWhatElseIsDone"},
	{"MCP", "a server's words do not change files", []Edit{
		{"internal/llm/tools/call.go", "return t.server == \"\" || from != t.server", "return t.server != \"\" && from != t.server"},
	}, "internal/llm/tools", "TestAServersWordsDoNotSteerWhatElseIsDone"},
	{"MCP", "a server gets nothing of the bot's environment", []Edit{
		{"internal/mcp/servers/transport.go", "cmd.Env = environment(spec.Env)", "cmd.Env = append(os.Environ(), environment(spec.Env)...)"},
	}, "internal/mcp/servers", "TestToolsOfAProgram"},
	{"MCP", "a server ends with the bot", []Edit{
		{"internal/mcp/servers/servers.go", "func(context.Context) { each.close() })", "func(context.Context) {})"},
	}, "internal/mcp/servers", "TestToolsOfAProgram"},
	{"MCP", "a server that floods is cut off", []Edit{
		{"internal/mcp/servers/transport.go", "if r.meter.left.Add(-int64(n)) < 0 {", "if false {"},
	}, "internal/mcp/servers", "TestTroubleCostsASentence"},
	{"MCP", "a server that fails is left alone for a while", []Edit{
		{"internal/mcp/servers/server.go", "s.rests = time.Now().Add(pause)", ""},
	}, "internal/mcp/servers", "TestTroubleCostsASentence"},
	{"MCP", "headers for a server do not follow a redirect", []Edit{
		{"internal/mcp/servers/transport.go", "return http.ErrUseLastResponse", "return nil"},
	}, "internal/mcp/servers", "TestToolsOfAnHTTPServer"},
	{"MCP", "a server's tools are for operators, unless the file says otherwise", []Edit{
		{"internal/mcp/servers/servers.go", "(req.Workspace.Operators || s.For == forEveryone)", "true"},
	}, "internal/mcp/servers", "TestWhoHasTheTools"},
	{"MCP", "a server's tools are for the roles of the file", []Edit{
		{"internal/mcp/servers/servers.go", "slices.Contains(roles, req.Payer.Role) &&", "len(roles) > 0 &&"},
	}, "internal/mcp/servers", "TestWhoHasTheTools"},

	// Pictures
	{"pictures", "a JPEG of many scans is refused", []Edit{
		{"internal/turn/attach/picture.go", "case e.scans > maxScans:", "case false:"},
	}, "internal/turn/attach", "TestPicturesAreJudgedByTheirCost"},
	{"pictures", "a picture that takes too much work is refused", []Edit{
		{"internal/turn/attach/picture.go", "case e.samples > maxSamples:", "case false:"},
	}, "internal/turn/attach", "TestPicturesAreJudgedByTheirCost"},
	{"pictures", "a picture that takes too much memory is not decoded", []Edit{
		{"internal/turn/attach/picture.go", ", e.memory > maxMemory:", ":"},
	}, "internal/turn/attach", "TestPicturesAreJudgedByTheirCost"},
	{"pictures", "a picture of too many pixels is refused", []Edit{
		{"internal/turn/attach/picture.go", "case e.width*e.height > maxPixels:", "case false:"},
	}, "internal/turn/attach", "TestPicturesAreJudgedByTheirCost"},
	{"pictures", "one frame of a GIF is decoded", []Edit{
		{"internal/turn/attach/picture.go", "measureGIF, gif.Decode}", "measureGIF, func(r io.Reader) (image.Image, error) {\n\t\tg, err := gif.DecodeAll(r)\n\t\tif err != nil {\n\t\t\treturn nil, err\n\t\t}\n\t\treturn g.Image[0], nil\n\t}}"},
	}, "internal/turn/attach", "TestOneGIFFrameIsRead"},
	{"pictures", "one picture is decoded at a time", []Edit{
		{"internal/turn/attach/picture.go", "make(chan struct{}, 1)", "make(chan struct{}, 100)"},
	}, "internal/turn/attach", "TestOnePictureIsDecodedAtATime"},
	{"pictures", "a decoder gets no more once the turn has ended", []Edit{
		{"internal/turn/attach/effort.go", "if err := context.Cause(r.ctx); err != nil {", "if err := context.Cause(r.ctx); err != nil && false {"},
	}, "internal/turn/attach", "TestAStoppedTurnGetsNoMoreOfAPicture"},
	{"pictures", "a picture is not scaled once the turn has ended", []Edit{
		{"internal/turn/attach/shrink.go", "if ctx.Err() != nil {", "if false {"},
	}, "internal/turn/attach", "TestAStoppedTurnShrinksNothing"},

	// Work that grows
	{"work that grows", "a fence is measured in one pass", []Edit{
		{"internal/chat/fence.go", "fence := strings.Repeat(\"`\", longest+1)", "fence := \"```\"\n\tfor strings.Contains(text, fence) {\n\t\tfence += \"`\"\n\t}"},
	}, "internal/test/hostile", "TestGrowth"},
	{"work that grows", "an answer of Discord is read up to 8 MB", []Edit{
		{"internal/discord/rest/transport.go", "resp.Body = http.MaxBytesReader(nil, resp.Body, maxBody)", ""},
	}, "internal/discord", "TestAnEndlessAnswerIsNotRead"},

	// Rights
	{"rights", "an action needs the rights of who asked", []Edit{
		{"internal/access/guard.go", "if len(missing) > 0 {\n\t\t\treturn lacks", "if false {\n\t\t\treturn lacks"},
	}, app, "TestAttacksInPerson"},
	{"rights", "nobody changes members and roles above their own", []Edit{
		{"internal/access/guard.go", "if above {", "if above || true {"},
	}, scenes, "TestScenes/abuse-roles TestScenes/abuse-moderation"},
	{"rights", "what nothing has checked does not run", []Edit{
		{"internal/actions/dispatcher.go", "case b.Bounded() && !call.permitted:", "case false:"},
	}, "internal/actions", "TestGuardedActionsNeedAVouchingMiddleware"},
	{"rights", "an approver needs the rights, too", []Edit{
		{"internal/flow/approved.go", "err != nil && !b.WaitsFor(err, reqs[:i]) {", "err != nil && !b.WaitsFor(err, reqs[:i]) && false {"},
	}, scenes, "TestScenes/confirm-by-whom"},
	{"rights", "no step of a card is approved unchecked that cannot be undone or is refused", []Edit{
		{"internal/actions/mass.go", "return !b.Action.Destructive && mayDepend(err) && c.dependsOn(b)", "return c.dependsOn(b)"},
	}, "internal/actions", "TestAStepWaitsForAnother"},
	{"rights", "a role that is taken away counts at once", []Edit{
		{"internal/discord/members.go", "ok && !chat.FirstLook(ctx, g, u) {", "ok {"},
	}, scenes, "TestScenes/abuse-role-taken-while-writing"},
	{"rights", "the author of a question lends nobody's rights", []Edit{
		{"internal/access/guard.go", "range call.Origin.People()[1:] {", "range call.Origin.People()[1:1] {"},
	}, scenes, "TestScenes/abuse-reaction-prompt"},
	{"rights", "a question in a turn that answers one keeps the people of both", []Edit{
		{"internal/actions/reactionprompt/reactionprompt.go", "Prompters: call.Origin.Prompters, ", ""},
	}, scenes, "TestScenes/abuse-chained-questions"},
	{"rights", "the turn of a chained answer has the people of both", []Edit{
		{"internal/flow/reaction.go", "chat.Together(r.question.Requester, r.question.Prompters)", "chat.Together(r.question.Requester, \"\")"},
	}, scenes, "TestScenes/abuse-chained-questions"},
	{"rights", "all people of a turn may see what is looked up", []Edit{
		{"internal/actions/server.go", "for _, who := range people {", "for _, who := range people[:1] {"},
	}, scenes, "TestScenes/abuse-reaction-prompt-eyes"},
	{"rights", "a deferred run keeps the people of a question", []Edit{
		{"internal/actions/deferral/put.go", "Prompters: o.Prompters, ", ""},
	}, scenes, "TestScenes/abuse-defer-question"},
	{"rights", "a reaction has the rights of who reacted", []Edit{
		{"internal/flow/reaction.go", "Requester: r.User.ID, Turn: run.Turn}", "Requester: m.Author.ID, Turn: run.Turn}"},
	}, app, "TestAttacks"},
	{"rights", "a deferred prompt says who wrote it", []Edit{
		{"internal/turn/prompt/deferred.go", "return join(about+\"]\", header)", "return header"},
	}, scenes, "TestScenes/defer-says-who-wrote-it"},
	{"rights", "slow mode binds who asks", []Edit{
		{"internal/actions/slowmode.go", "if ch.Slowmode == 0 {", "if true {"},
	}, scenes, "TestScenes/abuse-slowmode"},
	{"rights", "Use External Emojis binds who asks", []Edit{
		{"internal/actions/emoji.go", "if len(ids) == 0 || ", "if true || "},
	}, scenes, "TestScenes/abuse-external-emoji"},
	{"rights", "Embed Links binds who asks", []Edit{
		{"internal/discord/bodies.go", "err != nil || len(missing) > 0 {\n\t\treturn int", "err != nil || len(missing) < 0 {\n\t\treturn int"},
	}, "internal/discord", "TestPreviewsNeedEmbedLinks"},
	{"rights", "only operators change the bot", []Edit{
		{"internal/access/guard.go", "case len(needs) < len(b.Action.Needs) && !p.Operates(ctx, m, who, call.Origin.Place.Guild):", "case false:"},
	}, app, "TestAttacksInPerson"},
	{"rights", "of several people, administrators are operators", []Edit{
		{"internal/access/operators.go", "case g != \"\":\n\t\treturn p.administers(ctx, m, u, g)", "case g != \"\":\n\t\treturn true"},
	}, scenes, "TestScenes/operators-by-default"},
	{"rights", "what the bot sent for another person is not theirs to delete", []Edit{
		{"internal/actions/messaging/editing.go", `who != "" && who == call.Origin.Requester {`, `who != "" {`},
	}, "internal/actions/messaging", "TestDeletingNeedsTheRight"},
	{"rights", "a private thread needs a right of its own", []Edit{
		{"internal/actions/messaging/threads.go", "rights = []chat.Permission{chat.CreatePrivateThreads}", "rights = nil"},
	}, "internal/actions/messaging", "TestThreadsNeedTheRightOfTheirKind"},
	{"rights", "only messages of the bot can be deleted by the person who had it send them", []Edit{
		{"internal/actions/messaging/editing.go", "case m.Author.ID != c.server.Self().ID:", "case false:"},
	}, "internal/actions/messaging", "TestDeletingNeedsTheRight"},
	{"rights", "a notice of Discord's is nobody's own message", []Edit{
		{"internal/actions/messaging/editing.go", "case m.System:", "case false:"},
	}, "internal/actions/messaging", "TestNoticesOfDiscordAreNobodysOwn"},
	{"undone by surprise", "!undo is about the last thing, even if that cannot be undone", []Edit{
		{"internal/undo/undo.go", "last := u.look(ctx, batches[0], from)", "last := u.firstOf(ctx, batches, from)"},
	}, scenes, "TestScenes/undo-names-the-last"},
	{"undone by surprise", "what was approved late is not undone together with what is older than another turn", []Edit{
		{"internal/journal/undo.go", "return cmp.Or(b.At.Compare(a.At), b.in.Began", "return cmp.Or(b.in.Began"},
	}, "internal/journal", "TestABatchIsInARow"},
	{"rights", "commands for operators refuse others", []Edit{
		{"internal/commands/commands.go", "if c.Operator && !t.operates(ctx, m) {", "if c.Operator && false {"},
	}, scenes, "TestScenes/operators-by-default TestScenes/abuse-commands"},

	// Who is heard
	{"strangers", "people who are not served are not heard", []Edit{
		{"internal/access/access.go", "case !who.Bot && !p.serves(who.ID):", "case false:"},
	}, app, "TestAttacksInPerson"},
	{"strangers", "other bots are not heard", []Edit{
		{"internal/access/access.go", "case who.Bot && !(way.Bots && slices.Contains(p.Bots, who.ID)):", "case who.Bot && !way.Bots:"},
	}, app, "TestAttacksInPerson"},
	{"strangers", "webhooks are not heard, whatever they are called", []Edit{
		{"internal/flow/guards.go", "author.ID = \"\" // it may be anyone who knows the webhook's URL", ""},
	}, app, "TestAttacksInPerson"},
	{"strangers", "no action runs for a trusted bot", []Edit{
		{"internal/access/ways.go", "Rule: Rule{Where: \"for other bots\"}", "Rule: Rule{Open: true}"},
	}, app, "TestAttacksInPerson"},
	{"strangers", "a trusted bot has no rights", []Edit{
		{"internal/access/ways.go", "Rule: Rule{Where: \"for other bots\"}", "Rule: Rule{Open: true}"},
		{"internal/flow/message.go", "origin.Requester = \"\" // a bot has no rights to lend", ""},
	}, app, "TestAttacksInPerson"},
	{"strangers", "nothing is done in direct messages", []Edit{
		{"internal/access/ways.go", "Rule: Rule{Where: \"in direct messages\"}", "Rule: Rule{Open: true}"},
	}, scenes, "TestScenes/direct-message-says-why"},
	{"strangers", "a stranger's reaction answers no question", []Edit{
		{"internal/flow/reaction.go", "return s.Access.Admit(access.ByReaction, r.User, r.Place)", "return access.Admitted"},
	}, app, "TestAStrangerAnswersNoQuestion"},
	{"strangers", "a stranger's press is ignored", []Edit{
		{"internal/flow/flow.go", "f.Access.Admit(access.ByButton, p.User, p.Place); why != access.Admitted {", "f.Access.Admit(access.ByButton, p.User, p.Place); why != access.Admitted && false {"},
	}, "internal/flow", "TestAPressReachesWhoseButtonItIs"},
	{"strangers", "a message in a channel of a server is no direct message", []Edit{
		{"internal/discord/message_events.go", "ok && guild == \"\" {", "ok && false {"},
	}, "internal/discord", "TestAMessageOfAServerIsNoDirectMessage"},
	{"strangers", "the playground's routes need its key", []Edit{
		{"internal/play/serve.go", "s.key.guard(s.routes(people))", "s.routes(people)"},
	}, "internal/play", "TestWithoutItsKeyThePlaygroundIsClosed"},
	{"strangers", "the playground's clock is moved by its own page alone", []Edit{
		{"internal/play/serve.go", "userapi.Guard(http.HandlerFunc(s.moveClock))", "http.HandlerFunc(s.moveClock)"},
	}, "internal/play", "TestOtherPagesCannotMoveTheClock"},

	// Orders in texts
	{"orders in texts", "markers in a prompt are broken", []Edit{
		{"internal/turn/prompt/prompt.go", "said[i].text = dialect.Defuse(said[i].text)", "_ = dialect.Defuse(said[i].text)"},
	}, app, "TestAttacks"},
	{"orders in texts", "markers in results are broken", []Edit{
		{"internal/turn/prompt/results.go", "chat.Fenced(dialect.Defuse(strings.Join(fit(lines), \"\\n\")))", "chat.Fenced(strings.Join(fit(lines), \"\\n\"))"},
	}, app, "TestAttacks"},
	{"orders in texts", "markers with hidden characters are broken", []Edit{
		{"internal/actions/dialect/defuse.go", "text = chat.Visible(text)", "_ = chat.Visible(text)"},
	}, app, "TestAttacks"},
	{"orders in texts", "objects in names that are looked up are broken", []Edit{
		{"internal/turn/prompt/results.go", "lines[i] = dialect.DefuseNames(lines[i])", "_ = dialect.DefuseNames(lines[i])"},
	}, app, "TestAttacks"},
	{"orders in texts", "objects in names of people and channels are broken", []Edit{
		{"internal/turn/prompt/message.go", "dialect.DefuseNames(chat.Clip(chat.InBrackets(name), 60))", "dialect.Defuse(chat.Clip(chat.InBrackets(name), 60))"},
	}, "internal/turn/prompt", "TestNothingNamedIsAnOrder"},
	{"orders in texts", "objects in names of the history are broken", []Edit{
		{"internal/turn/prompt/earlier.go", "dialect.DefuseNames(chat.Clip(chat.InBrackets(line.Author), maxAuthorLength))", "dialect.Defuse(chat.Clip(chat.InBrackets(line.Author), maxAuthorLength))"},
	}, "internal/turn/prompt", "TestNothingNamedIsAnOrder"},
	{"orders in texts", "a name is clipped", []Edit{
		{"internal/turn/prompt/message.go", "chat.Clip(chat.InBrackets(name), 60)", "chat.InBrackets(name)"},
	}, "internal/turn/prompt", "TestNothingNamedIsAnOrder"},
	{"orders in texts", "a file cannot close its fence", []Edit{
		{"internal/chat/fence.go", "longest = max(longest, run)", ""},
	}, "internal/turn/prompt", "TestFlows"},
	{"orders in texts", "blocks in quotes do not run", []Edit{
		{"internal/actions/dialect/code.go", "return union(code, quotes(text, code))", "return code"},
	}, app, "TestAttacks"},

	// Hidden characters
	{"hidden direction", "bidirectional controls are taken out", []Edit{
		{"internal/chat/hidden.go", "{Lo: 0x202A, Hi: 0x202E, Stride: 1},", ""},
	}, scenes, "TestNothingHiddenIsQuoted"},
	{"hidden direction", "lines show what is hidden", []Edit{
		{"internal/actions/outcome.go", "return chat.Visible(o.report(\"\"))", "return o.report(\"\")"},
	}, "internal/actions", "TestLinesHideNothing"},
	{"hidden direction", "quoted names hide nothing", []Edit{
		{"internal/chat/text.go", "strings.Fields(Visible(s))", "strings.Fields(s)"},
	}, "internal/chat", "TestForeignTextIsEscaped"},
	{"hidden direction", "cards hide nothing", []Edit{
		{"internal/actions/mass.go", "What: chat.Visible(what)", "What: what"},
		{"internal/chat/text.go", "strings.Fields(Visible(s))", "strings.Fields(s)"},
	}, scenes, "TestNothingHiddenIsQuoted"},
	{"hidden direction", "results hide nothing", []Edit{
		{"internal/actions/outcome.go", "chat.Visible(o.Result.Found)", "o.Result.Found"},
		{"internal/actions/dialect/defuse.go", "text = chat.Visible(text)", "_ = chat.Visible(text)"},
	}, scenes, "TestNothingHiddenIsQuoted"},
	{"hidden direction", "!undo hides nothing", []Edit{
		{"internal/undo/undo.go", "What: chat.Visible(what)", "What: what"},
	}, "internal/undo", "TestACardOfUndoHidesNothing"},
	{"hidden direction", "the log hides nothing", []Edit{
		{"internal/app/log.go", "ReplaceAttr: visible", "ReplaceAttr: inSeconds"},
	}, app, "TestTheLogHidesNothing"},

	// Limits of Discord
	{"a false 429", "a 429 without Discord's JSON is believed for two minutes at most", []Edit{
		{"internal/discord/rest/limits.go", "return min(wait, maxForeign), false", "return wait, false"},
	}, "internal/discord", "TestAForeign429ClosesItsRouteAlone"},
	{"a false 429", "a 429 without Discord's JSON closes its route alone", []Edit{
		{"internal/discord/rest/limits.go", "return min(wait, maxForeign), false", "return min(wait, maxForeign), true"},
	}, "internal/discord", "TestAForeign429ClosesItsRouteAlone"},
	{"a false 429", "a global limit is believed for an hour at most", []Edit{
		{"internal/discord/rest/limits.go", "return min(wait, maxPaused), true", "return wait, true"},
	}, "internal/discord", "TestAForeign429ClosesItsRouteAlone"},
	{"a false refusal", "a page of a proxy is not Discord's word", []Edit{
		{"internal/discord/rest/word.go", " && hasCode(body):", ":"},
	}, "internal/discord", "TestTheAnswerOfAProxyIsRetried TestTheAnswerOfAProxyIsNotFinal TestAServerIsNotGoneBecauseAProxySaysSo"},
	{"a false refusal", "a code is Discord's own", []Edit{
		{"internal/discord/rest/word.go", "return *said.Code == 0 || *said.Code >= firstCode", "return true"},
	}, "internal/discord", "TestDiscordsCodesAreItsWord"},
	{"a false refusal", "a page with status 200 is no success", []Edit{
		{"internal/discord/rest/word.go", "(len(body) == 0 || json.Valid(body))", "(true || json.Valid(body))"},
	}, "internal/discord", "TestTheAnswerOfAProxyIsRetried"},
	{"a false refusal", "the Retry-After of an outage is believed for two minutes at most", []Edit{
		{"internal/discord/rest/limits.go", "now.Add(min(wait, maxForeign))", "now.Add(wait)"},
	}, "internal/discord", "TestTheStartWaitsForDiscord"},
	{"a false refusal", "the Retry-After of the gateway is believed for two minutes at most", []Edit{
		{"internal/discord/gateway/reconnect.go", "min(seconds, int(maxRetryAfter/time.Second))", "seconds"},
	}, "internal/discord/gateway", "TestHonoursRetryAfterOfTheHandshake"},
	{"a ban by Discord", "nothing is sent after the token is refused", []Edit{
		{"internal/discord/rest/request.go", "if c.mute.Load() {", "if false {"},
	}, "internal/discord", "TestNothingIsSentAfterTheTokenIsRefused TestWhatWaitsIsNotSentEither"},
	{"a ban by Discord", "an expired interaction silences nothing", []Edit{
		{"internal/discord/rest/word.go", "http.StatusUnauthorized && !q.Interaction", "http.StatusUnauthorized"},
	}, "internal/discord", "TestAnExpiredInteractionIsNotARefusedToken"},
	{"rights", "nobody adds a right that they lack to a role", []Edit{
		{"internal/actions/guild/roles_edit.go", "passedOn(r.Permissions, in.wants(r.Permissions))", "passedOn(r.Permissions, r.Permissions)"},
	}, "internal/actions/guild", "TestRolesCannotHaveMoreRightsThanTheRequester TestRoleEditAddsAndTakesPermissions"},
	{"rights", "nobody moves a role above their own", []Edit{
		{"internal/actions/guild/roles_edit.go", "actions.Demand{AboveRole: floor.ID}", "actions.Demand{AboveRole: floor.ID[:0]}"},
	}, "internal/actions/guild", "TestRoleEditMovesRoles"},
	{"rights", "rules about permissions that cannot be read are not left out", []Edit{
		{"internal/discord/wire_channel.go", "`json:\"permission_overwrites\"`", "`json:\"permission_overwrites\" wire:\"optional\"`"},
	}, "internal/discord", "TestOddRightsAreNotGuessed"},
	{"a false 429", "a global limit is said in !health", []Edit{
		{"internal/health/health.go", "!p.From.IsZero() {", "!p.From.IsZero() && false {"},
	}, scenes, "TestScenes/health-after-a-global-limit"},

	// Leaks
	{"leaks", "!why finds a card in its own channel only", []Edit{
		{"internal/confirm/confirm.go", "`channel = ? AND card = ?`", "`(channel = ? OR TRUE) AND card = ?`"},
	}, scenes, "TestScenes/why-card-and-batch"},
	{"leaks", "a result is shown only if all readers may read its source", []Edit{
		{"internal/turn/runner.go", "if !ok {\n\t\t\treturn false\n\t\t}\n\t}\n\treturn true", "_ = ok\n\t}\n\treturn true"},
	}, app, "TestAttacks"},
	{"leaks", "a name is told only if all readers may see its channel", []Edit{
		{"internal/actions/server.go", "return err == nil && open", "_, _ = err, open\n\treturn true"},
	}, app, "TestNothingHiddenIsQuoted"},
	{"leaks", "readers are compared by all their roles and overwrites", []Edit{
		{"internal/discord/audience.go", "if sees && g.rights(id, who, m, &source, time.Time{})&toRead != toRead {", "if sees && false {"},
	}, "internal/discord", "TestReadableAgreesWithEveryMember"},
	{"leaks", "a private thread is for its members alone", []Edit{
		{"internal/discord/audience.go", "if from.Private && source != here {", "if false {"},
	}, "internal/discord", "TestReadable"},
	{"leaks", "a channel that who asks may not see does not exist", []Edit{
		{"internal/discord/resolve.go", "(ch.Name == \"\" || !sees(ch)) {", "ch.Name == \"\" {"},
	}, "internal/discord", "TestAHiddenChannelDoesNotExistForTheUser"},
	{"leaks", "old talk is recalled only for those who may read it", []Edit{
		{"internal/memory/recall/search.go", "if err != nil || len(missing) > 0 {", "if err != nil || len(missing) < 0 {"},
	}, "internal/memory/recall", "TestOnlyWhatAllWhoAskMayReadIsFound"},
	{"leaks", "recalled talk does not name a channel that not everybody may see", []Edit{
		{"internal/memory/recall/search.go", "err != nil || !open {\n\t\th.Closed = true", "err != nil && open {\n\t\th.Closed = true"},
	}, scenes, "TestScenes/recall-other-channel"},
	{"leaks", "every spelling of !secret is one", []Edit{
		{"internal/chat/secret.go", "(?:[!！¡❗❕‼]+|[/／](?:discoclaw)?)\\\\s*[sｓ][eéｅ][cｃ][rｒ][eéｅ][tｔ]", "!secret"},
	}, scenes, "TestASecretIsNowhereButInTheFile"},
	{"leaks", "a secret reaches no model, even where it is no command", []Edit{
		{"internal/flow/guards.go", "if commands.Secret(s.stripMention(m).Text) && !s.isCommand(m) {", "if commands.Secret(s.stripMention(m).Text) && false {"},
	}, "internal/flow", "TestGuardsOfMessages"},
	{"leaks", "a secret is not in the history", []Edit{
		{"internal/flow/history.go", "|| p.isCommand(m) || commands.Secret(m.Text) {", "|| p.isCommand(m) && commands.Secret(m.Text) && false {"},
	}, scenes, "TestASecretIsNowhereButInTheFile"},
	{"leaks", "a secret that is replied to reaches no model", []Edit{
		{"internal/flow/message.go", "if m.Answers != nil && commands.Secret(m.Answers.Text) {", "if m.Answers != nil && commands.Secret(m.Answers.Text) && false {"},
	}, "internal/flow", "TestSecretsAreNotStored"},
	{"leaks", "files that others can read are said and mended", []Edit{
		{"internal/doctor/exposed.go", "list = append(list, Exposure{Path: path, info: info})", ""},
	}, "cmd/discoclaw", "TestScripts/doctor"},
	{"leaks", "no link is fetched for its preview", []Edit{
		{"internal/discord/client.go", "if !o.LinkPreviews {", "if false {"},
	}, "internal/discord", "TestNoMessageHasALinkPreview"},

	// Taint
	{"taint", "changes are held after outside text", []Edit{
		{"internal/actions/taint.go", "case o.Outside == \"\" || d.Taint == TaintOff:", "case true:"},
	}, app, "TestAttacks"},
	{"taint", "approvals that are switched off do not count after outside text", []Edit{
		{"internal/actions/taint.go", "return c.taint != \"\" && !c.afterwards", "return c.taint != \"\" && !c.afterwards && !c.approved"},
	}, app, "TestNoChangeRunsByItselfAfterOutsideText"},
	{"taint", "DISCOCLAW_TAINT=refuse refuses", []Edit{
		{"internal/actions/dispatcher.go", "case call.tainted(b) && call.taint == TaintRefuse && !granted:", "case false:"},
	}, app, "TestNoChangeRunsByItselfAfterOutsideText"},
	{"taint", "a message that is answered is outside text", []Edit{
		{"internal/turn/prompt/quoted.go", "if said.Answers != nil {\n\t\ts.Outside", "if false {\n\t\ts.Outside"},
	}, app, "TestAttacks"},
	{"taint", "an embed is outside text", []Edit{
		{"internal/chat/outside.go", "s.Add(\"an embed\")", ""},
	}, app, "TestAttacks"},
	{"taint", "a forwarded message is outside text", []Edit{
		{"internal/chat/outside.go", "s.Add(\"a forwarded message\")", ""},
	}, app, "TestAttacks"},
	{"taint", "files and pictures are outside text", []Edit{
		{"internal/turn/prompt/quoted.go", ", said.Opened.Outside())", ")"},
	}, app, "TestAttacks"},
	{"taint", "files that are looked up are outside text", []Edit{
		{"internal/actions/messaging/reading.go", "res.Outside.Add(files.Outside())", ""},
	}, app, "TestAttacks"},
	{"taint", "bots and webhooks are outsiders, even listed ones", []Edit{
		{"internal/access/access.go", "return m.Webhook || m.Author.Bot || !p.serves(m.Author.ID)", "return !p.serves(m.Author.ID)"},
	}, app, "TestNoChangeRunsByItselfAfterOutsideText"},
	{"taint", "a topic is outside text", []Edit{
		{"internal/actions/channels/looking.go", "res.Outside.Add(chat.Sources(\"the topic of \" + ch.ID.Mention()))", ""},
	}, app, "TestAttacks"},
	{"taint", "what an event is about is outside text", []Edit{
		{"internal/actions/guild/events.go", "res.Outside.Add(\"the text of an event\")", ""},
	}, app, "TestAttacks"},
	{"taint", "a reason in the audit log is outside text", []Edit{
		{"internal/actions/guild/audit.go", "Summary: did, Outside: outside}", "Summary: did, Outside: outside[:0]}"},
	}, app, "TestAttacks"},
	{"taint", "messages that are looked up are outside text", []Edit{
		{"internal/actions/server.go", "r.Outside.Add(m.Outside(call.source))", ""},
	}, app, "TestAttacks"},
	{"taint", "what a query finds marks the follow-up", []Edit{
		{"internal/turn/runner.go", "r.Outside.Add(o.Result.Outside)", ""},
	}, scenes, "TestScenes/taint-follow-up"},
	{"taint", "a query that does not say what it reads marks the turn", []Edit{
		{"internal/actions/dispatcher.go", "if res.Found != \"\" && b.Action.Reads == Undeclared {", "if false {"},
	}, "internal/actions", "TestAQueryThatDeclaresNothingMarksItsTurn"},
	{"taint", "the bot's own words after outside text are marked", []Edit{
		{"internal/app/bot.go", "of := c.outbox.Outside(m.ID)", "var of chat.Sources"},
	}, app, "TestAttacksInTheBotsOwnWords"},
	{"taint", "an outsider cannot have requests held by taking an ordinary word as a name", []Edit{
		{"internal/flow/asks.go", "!slices.Contains(ordinary, name) && ", ""},
	}, "internal/flow", "TestAnOrdinaryWordIsNoName"},
	{"orders in texts", "the title of a thread cannot end its quotes", []Edit{
		{"internal/turn/prompt/elsewhere.go", "strings.ReplaceAll(speaker(t.Name), `\"`, \"'\")", "speaker(t.Name)"},
	}, "internal/turn/prompt", "TestATitleCannotEndItsQuotes"},
	{"taint", "answers in the history keep their mark", []Edit{
		{"internal/turn/prompt/earlier.go", "s.Outside.AddRetold(line.Text+line.Card, line.Outside)", ""},
	}, app, "TestAttacksInTheBotsOwnWords"},
	{"taint", "an answer whose requests repeat outside text is marked", []Edit{
		{"internal/turn/runner.go", "run.result.Outside.Add(run.Outside.In(passage))", "_ = passage"},
	}, scenes, "TestScenes/abuse-did-fields"},
	{"taint", "what an answer repeats of earlier requests marks it", []Edit{
		{"internal/turn/prompt/earlier.go", "s.Outside.AddRetold(passage, line.Outside)", "_ = passage"},
	}, scenes, "TestScenes/abuse-did-retold"},
	{"taint", "the history has no texts from before a change", []Edit{
		{"internal/flow/history.go", "|| hasText(o.Action, o.Result.Undo[0].Request) {", "|| hasText(o.Action, o.Result.Undo[0].Request) && false {"},
	}, scenes, "TestScenes/abuse-topic-before"},
	{"taint", "the results of a card are left out with what it was about", []Edit{
		{"internal/flow/marked.go", "line.Card, _, _ = strings.Cut(line.Card, \" (\")", "_ = strings.Cut"},
	}, scenes, "TestScenes/abuse-card-verdict"},
	{"taint", "a waiting card is marked", []Edit{
		{"internal/confirm/confirm.go", "d.mark(*rec, card)", ""},
	}, scenes, "TestScenes/abuse-open-card-read"},
	{"taint", "a verdict that is a message of its own is marked", []Edit{
		{"internal/confirm/answer.go", "d.mark(rec, id)", "_ = id"},
	}, "internal/confirm", "TestACardIsMarkedFromTheBeginning"},
	{"taint", "an undo is asked about after what was read before it was asked for", []Edit{
		{"internal/confirm/questions.go", "of.Add(rec.Origin.Outside)", "_ = rec"},
	}, scenes, "TestScenes/abuse-undo-card"},
	{"taint", "polls of the bot's own are marked", []Edit{
		{"internal/flow/marked.go", "if line.Mine && line.Who != \"\" && line.Outside == \"\" && p.Source != nil {", "if false {"},
	}, scenes, "TestScenes/abuse-poll-elsewhere"},
	{"taint", "messages that the bot sends are marked", []Edit{
		{"internal/actions/request.go", "c.mark(c.Origin.Outside, m)", ""},
	}, scenes, "TestScenes/taint-sent"},
	{"taint", "the history leaves outsiders out", []Edit{
		{"internal/flow/history.go", "if l.Outsider && !p.HistoryOutsiders {", "if false {"},
	}, scenes, "TestScenes/taint-history"},
	{"taint", "what a request asks about is marked", []Edit{
		{"internal/turn/prompt/earlier.go", "s.Outside.Add(line.Outside)", ""},
	}, "internal/flow", "TestAPromptHasWhatItsRequestAsksAbout"},
	{"taint", "outside text is not read ahead where it ends changes", []Edit{
		{"internal/flow/asks.go", "p.Taint == actions.TaintConfirm", "p.Taint != actions.TaintOff"},
	}, "internal/flow", "TestOutsideTextIsNotReadAheadIfItEndsChanges"},
	{"taint", "the mark survives a deferral", []Edit{
		{"internal/actions/deferral/put.go", "AskedIn: o.Place.Channel, Outside: o.Outside,", "AskedIn: o.Place.Channel,"},
	}, scenes, "TestScenes/taint-deferred"},
	{"taint", "the mark survives a kill", []Edit{
		{"internal/turn/ledger.go", "r.Outside.Add(known.Outside)", ""},
	}, scenes, "TestScenes/taint-killed"},
	{"taint", "the mark survives a question", []Edit{
		{"internal/flow/reaction.go", "outside.Add(r.question.Outside)", ""},
		{"internal/turn/prompt/reaction.go", "r.read(Said{Message: r.Message, Opened: r.Opened})", ""}, // the question's message is marked, too
	}, scenes, "TestScenes/taint-question"},
	{"taint", "the mark survives a reminder", []Edit{
		{"internal/actions/reminders/remind.go", "Text: in.Text, Outside: o.Outside}", "Text: in.Text}"},
	}, scenes, "TestScenes/taint-reminder"},
	{"taint", "a card names what was read", []Edit{
		{"internal/confirm/confirm.go", "if o.Outside != \"\" {", "if false {"},
	}, scenes, "TestScenes/taint-follow-up"},

	// Money
	{"money spent unasked", "a day's ceiling is kept", []Edit{
		{"internal/spend/claim.go", "{overDay, b.Ceilings.Day,", "{overDay, 0,"},
	}, "internal/spend", "TestCeilings"},
	{"money spent unasked", "a person's ceiling is kept", []Edit{
		{"internal/spend/claim.go", "{overUserDay, b.Ceilings.UserDay,", "{overUserDay, 0,"},
	}, "internal/spend", "TestCeilings"},
	{"money spent unasked", "the ceiling of a job's run is kept", []Edit{
		{"internal/spend/claim.go", "{overCronRun, b.Ceilings.CronRun,", "{overCronRun, 0,"},
	}, "internal/spend", "TestCeilings"},
	{"money spent unasked", "answers that are being written count", []Edit{
		{"internal/spend/claim.go", "if others > 0 && needed > rests[i]+rounding {", "if others > 0 && needed > rests[i]+rounding && false {"},
	}, "internal/spend", "TestManyAnswersAtOnceKeepACeiling TestWaiting"},
	{"money spent unasked", "what is not written down yet counts", []Edit{
		{"internal/spend/claim.go", "if err := b.write(ctx); err != nil {", "if err := error(nil); err != nil {"},
	}, "internal/spend", "TestCeilings TestAnEstimateCountsUntilTheCostIsKnown TestFailedCalls"},
	{"money spent unasked", "a call that was stopped counts", []Edit{
		{"internal/spend/priced.go", "p.book.end(c, begun || ctx.Err() != nil, ", "p.book.end(c, begun, "},
	}, "internal/spend", "TestStoppedCallsCount"},
	{"money spent unasked", "what was written before a stop counts", []Edit{
		{"internal/spend/priced.go", "max(output, written/bytesPerToken)", "max(output, 0*written)"},
	}, "internal/spend", "TestStoppedCallsCount"},
	{"money spent unasked", "no budget without a price", []Edit{
		{"internal/spend/priced.go", "if err := b.CheckPrice(c.asked.Model); err != nil {", "if err := b.CheckPrice(c.asked.Model); err != nil && false {"},
	}, "internal/spend", "TestAnUnknownPriceIsRefusedOnlyUnderACeiling"},
	{"money spent unasked", "an answer that has begun is not asked for elsewhere", []Edit{
		{"internal/llm/route.go", "if err != nil && !begun {", "if err != nil && (true || begun) {"},
	}, "internal/llm", "TestAnAnswerThatHasBegunIsNotPaidTwice"},
	{"money spent unasked", "so many answers are written at a time", []Edit{
		{"internal/llm/limit.go", "if p.free > 0 {", "if true {"},
	}, "internal/llm", "TestAnswersWaitTheirTurn"},
	{"money spent unasked", "turns pay for their calls", []Edit{
		{"internal/turn/runner.go", "r.req.Payer = llm.Payer{User: string(r.Origin.Requester),", "r.req.Payer = llm.Payer{User: \"\","},
	}, scenes, "TestScenes/cost"},

	// Tools
	{"tools of models", "only operators change files and run commands", []Edit{
		{"internal/access/operators.go", "return !slices.ContainsFunc(p.Users, func(u chat.UserID) bool { return !slices.Contains(p.Operators.IDs, u) })", "return true"},
	}, scenes, "TestScenes/tools-for-members"},
	{"tools of models", "nothing is changed after outside text", []Edit{
		{"internal/turn/runner.go", "if !w.Trusted || w.Tainted {", "if !w.Trusted {"},
	}, scenes, "TestScenes/tools-by-flow"},
	{"tools of models", "a bot has no tools", []Edit{
		{"internal/turn/runner.go", "if len(people) == 0 || !r.Tools", "if !r.Tools"},
	}, scenes, "TestScenes/tools-by-flow"},
	{"tools of models", "a webhook has no tools", []Edit{
		{"internal/flow/cron.go", "\t\treturn llm.ToolsOff\n", "\t\treturn limit\n"},
	}, scenes, "TestScenes/tools-by-flow"},
	{"tools of models", "a turn that was interrupted only reads", []Edit{
		{"internal/flow/source.go", "return e.Arrival == Resumed }) {", "return false }) {"},
	}, scenes, "TestScenes/tools-by-flow"},

	// Scheduled jobs
	{"jobs", "what an operator has paused, its author cannot resume", []Edit{
		{"internal/actions/crons/change.go", "if j.PausedBy != \"\" && !c.operates(ctx, who, j.Guild) {", "if false && !c.operates(ctx, who, j.Guild) {"},
	}, scenes, "TestScenes/cron-paused-by-operator"},
	{"jobs", "what a job has kept stays in its channel", []Edit{
		{"internal/actions/crons/change.go", "j.State = nil // other people read there", ""},
	}, scenes, "TestScenes/cron-moves"},
	{"jobs", "a run keeps nothing for another channel than its own", []Edit{
		{"internal/cron/ended.go", "if o.State != nil && o.Channel == j.Channel {", "if o.State != nil {"},
	}, "internal/cron", "TestStateStaysInItsChannel"},
	{"jobs", "an undo that gives a job rights says so", []Edit{
		{"internal/undo/undo.go", "what = cmp.Or(u.Holds(ctx, from, inverse.Request), what)", "_ = cmp.Or(u.Holds(ctx, from, inverse.Request), what)"},
	}, scenes, "TestScenes/abuse-cron-undo-grant"},
	{"jobs", "a card is about the job that had the name", []Edit{
		{"internal/actions/crons/change.go", "	in.ID = j.ID\n	if grants {", "	if grants {"},
	}, scenes, "TestScenes/abuse-cron-name-after-card"},
	{"jobs", "a prompt has a job only if its people see the job's channel", []Edit{
		{"internal/app/crons_prompt.go", "return seen.Sees(ctx, o, j)", "return seen != nil"},
	}, scenes, "TestScenes/cron-asked"},
	{"jobs", "a job whose channel is not known is hidden", []Edit{
		{"internal/actions/crons/crons.go", "return err == nil && ok && j.Channel != \"\"", "return err == nil && ok"},
	}, "internal/flow", "TestAnImportedJobFindsItsChannel"},

	{"taint", "the call of a webhook is outside text", []Edit{
		{"internal/flow/cron.go", "run.read.Add(run.job.Source())", ""},
	}, scenes, "TestScenes/abuse-cron-webhook"},
	{"taint", "the call of a webhook keeps nothing", []Edit{
		{"internal/turn/prompt/cron.go", "chat.Fenced(dialect.Defuse(chat.Clip(body, maxCall)))", "chat.Fenced(chat.Clip(body, maxCall))"},
	}, scenes, "TestScenes/abuse-cron-webhook"},

	// Webhooks
	{"webhooks", "a call is signed", []Edit{
		{"internal/cron/webhook/webhook.go", "hmac.Equal(signature, mac.Sum(nil))", "true"},
	}, "internal/cron/webhook", "TestCalls"},
	{"webhooks", "a signature is accepted once", []Edit{
		{"internal/cron/webhook.go", "errors.Join(ErrRepeated, err)", "err"},
	}, "internal/cron/webhook", "TestCalls"},
	{"webhooks", "a call has a limited size", []Edit{
		{"internal/cron/webhook/webhook.go", "http.MaxBytesReader(w, r.Body, maxBody)", "r.Body"},
	}, "internal/cron/webhook", "TestCalls"},
	{"webhooks", "so many calls wait", []Edit{
		{"internal/cron/webhook.go", "(own > maxWaiting || all > maxWaitingAll)", "false"},
	}, "internal/cron/webhook", "TestCalls"},
	{"webhooks", "slow callers are cut off", []Edit{
		{"internal/cron/webhook/webhook.go", "ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, ", ""},
	}, "internal/cron/webhook", "TestSlowCallers"},
	{"webhooks", "callers have so many connections", []Edit{
		{"internal/cron/webhook/webhook.go", "newLimited(l, maxConnections)", "l"},
	}, "internal/cron/webhook", "TestConnectionsAreBounded"},
	{"webhooks", "only this machine can call", []Edit{
		{"internal/app/webhook.go", "net.JoinHostPort(\"127.0.0.1\",", "net.JoinHostPort(\"\","},
	}, app, "TestWebhooksAreOnThisMachineAlone"},
	{"webhooks", "a secret is for the author and operators", []Edit{
		{"internal/actions/crons/webhook.go", "if !c.theirs(ctx, o, j) {", "if false {"},
	}, scenes, "TestScenes/cron-webhook"},
	{"webhooks", "a secret is not shown in a channel", []Edit{
		{"internal/app/webhook.go", "case m.ID != \"\":", "case false:"},
	}, scenes, "TestScenes/cron-webhook"},
	{"webhooks", "secrets are not in the table that is exported", []Edit{
		{"internal/store/personal.go", "{Name: \"cron_hooks\", Why:", "{Name: \"cron_hooks\", Person: \"job IN (SELECT id FROM crons WHERE author = ?)\", Why:"},
	}, "internal/cron", "TestSecrets"},
	{"webhooks", "a paused job takes no calls", []Edit{
		{"internal/cron/webhook.go", "case err == nil && paused:", "case false:"},
	}, "internal/cron/webhook", "TestCalls"},

	// Money
	{"costs", "a person has so many turns in ten minutes", []Edit{
		{"internal/flow/run.go", "if last := r.Last(); in.Limited &&", "if last := r.Last(); false && in.Limited &&"},
	}, scenes, "TestScenes/user-cooldown"},
	{"costs", "reactions count as turns", []Edit{
		{"internal/flow/reaction.go", "Limited:  true,", ""},
	}, scenes, "TestScenes/user-cooldown"},
	{"costs", "the limit is said once", []Edit{
		{"internal/flow/cooldown.go", "if !c.told.allow(who, 1, cooldownPeriod) {", "if false {"},
	}, scenes, "TestScenes/user-cooldown"},
	{"costs", "bots talk for ten turns without a person", []Edit{
		{"internal/flow/message.go", "if m.Author.Bot && !s.talk.allow(m.Place.Channel) {", "if false {"},
	}, scenes, "TestScenes/bots-talk-ends"},
	{"costs", "a bot asks five times a minute", []Edit{
		{"internal/flow/message.go", "if m.Author.Bot && !s.bots.allow(m.Author.ID, botTurns, time.Minute) {", "if false {"},
	}, scenes, "TestScenes/trusted-bot"},
	{"costs", "a bot must mention this one", []Edit{
		{"internal/flow/guards.go", "if m.Author.Bot && (m.Text == \"\" || !s.isMentioned(m)) {", "if false {"},
	}, scenes, "TestScenes/trusted-bot"},

	// Scheduled jobs
	{"scheduled jobs", "after outside text, a job does without asking only what is in its own channel", []Edit{
		{"internal/actions/taint.go", `d.Channel == "" || d.Channel != c.Origin.Place.Channel ||`, `d.Channel == "" ||`},
	}, scenes, "TestScenes/abuse-cron-grant-elsewhere"},
	{"scheduled jobs", "after outside text, a job does nothing to its channel itself without asking", []Edit{
		{"internal/actions/taint.go", "return p == chat.ManageChannels || p == chat.ManageRoles || p == chat.ManagePermissions", "return false"},
	}, scenes, "TestScenes/abuse-cron-taint-own"},
	{"scheduled jobs", "a job can do only what its list names", []Edit{
		{"internal/flow/cron.go", "if run.job.Allowed == nil || slices.Contains(run.job.Allowed, a.Name) {", "if run.job.Allowed == nil || slices.Contains(run.job.Allowed, a.Name) || true {"},
	}, scenes, "TestScenes/cron-rights"},
	{"scheduled jobs", "a job has the rights of all who have changed it", []Edit{
		{"internal/flow/cron.go", "Requester: j.Author, Prompters: j.Prompters,", "Requester: j.Author,"},
	}, scenes, "TestScenes/cron-rights"},
	{"scheduled jobs", "outside text that a job was written after marks its runs", []Edit{
		{"internal/flow/cron.go", "run.read.Add(j.Outside)", ""},
	}, scenes, "TestScenes/abuse-cron-made-tainted"},
	{"scheduled jobs", "a job that is to run once gets no time that has passed", []Edit{
		{"internal/cron/cron.go", "if now := e.Now(); s.Once() && s.Next(now, zone).IsZero() {", "if now := e.Now(); false {"},
	}, "internal/cron", "TestATimeThatHasPassedIsRefused"},
	{"scheduled jobs", "a job that is to run once does not lose its time to a run that was asked for", []Edit{
		{"internal/cron/run.go", "case running && f.Missed == 0 && !times.Once():", "case running && f.Missed == 0 && times.String() != \"\":"},
	}, "internal/cron", "TestTheOnlyTimeWaitsForARunThatWasAskedFor"},
	{"scheduled jobs", "a job that is running makes no room for a new one", []Edit{
		{"internal/cron/cron.go", "if running {\n\t\t\tcontinue", "if running && false {\n\t\t\tcontinue"},
	}, "internal/cron", "TestJobsThatAreOverMakeRoom"},
	{"scheduled jobs", "the post of a job that is over stays open for the person who has opened it", []Edit{
		{"internal/cron/posts/sync.go", "|| last == nil || r.Base.Opened.After(last.Ended)) {", "|| last == nil) {"},
	}, scenes, "TestScenes/cron-once-post"},
	{"scheduled jobs", "a post is a job only once it was confirmed", []Edit{
		{"internal/cron/posts/define.go", "case r.draft.Confirmed:", "case true:"},
	}, scenes, "TestScenes/cron-post-defines-a-job"},
	{"scheduled jobs", "only its author confirms a post", []Edit{
		{"internal/flow/reaction.go", "if q.Requester != r.User.ID {\n\t\treturn \"a question for another person\"", "if false {\n\t\treturn \"a question for another person\""},
	}, scenes, "TestScenes/cron-post-defines-a-job"},
	{"scheduled jobs", "posts of people who are not served are archived", []Edit{
		{"internal/cron/posts/sync.go", "if e.posts.Stranger(thread) {", "if false {"},
	}, scenes, "TestScenes/cron-post-of-a-stranger"},
	{"scheduled jobs", "a post tells no more than its readers may know", []Edit{
		{"internal/cron/posts/sync.go", "ok, err := e.Server.Readable(ctx, j.Guild, of, j.Channel)", "ok, err := true, error(nil)"},
	}, scenes, "TestScenes/cron-post-hidden"},
	{"scheduled jobs", "a quiet post pauses no job", []Edit{
		{"internal/cron/posts/sync.go", "case seen.Archived && !seen.ByInactivity(r.Base):", "case seen.Archived:"},
	}, scenes, "TestScenes/cron-post-quiet"},
	{"scheduled jobs", "a message in an archived post resumes no job", []Edit{
		{"internal/cron/posts/sync.go", "case !seen.Archived && !seen.ByMessage():", "case !seen.Archived:"},
	}, scenes, "TestScenes/cron-post-quiet"},
	{"scheduled jobs", "the first message of a post is not answered by the model", []Edit{
		{"internal/flow/guards.go", "if s.Elsewhere != nil && s.Elsewhere(context.Background(), m) {", "if false {"},
	}, scenes, "TestScenes/cron-post-defines-a-job"},

	// Tools of models
	{"tools of models", "what a symbolic link leads to is checked like any other path", []Edit{
		{"internal/llm/tools/box.go", "info, err := dir.Lstat(name)", "info, err := dir.Stat(name)"},
	}, "internal/llm/tools", "TestNoFileToolLeavesTheWorkspace"},
	{"tools of models", "a link in the last place is not written", []Edit{
		{"internal/llm/tools/files.go", "case s.info.Mode()&fs.ModeSymlink != 0:", "case s.info.Mode()&fs.ModeSymlink != 0 && false:"},
	}, "internal/llm/tools", "TestALinkIsNotWrittenThrough"},
	{"tools of models", "secrets in the workspace are not reached", []Edit{
		{"internal/llm/tools/box.go", "if b.deny.path(rel) {", "if false {"},
	}, "internal/llm/tools", "TestNoFileToolLeavesTheWorkspace"},
	{"tools of models", "secrets have no other case", []Edit{
		{"internal/llm/tools/deny.go", "return strings.ToLower(strings.ToUpper(strings.Join(parts, \"/\")))", "return strings.Join(parts, \"/\")"},
	}, "internal/llm/tools", "TestNoFileToolLeavesTheWorkspace"},
	{"tools of models", "secrets are not listed", []Edit{
		{"internal/llm/tools/walk.go", "case err != nil || b.deny.path(name) || !d.IsDir()", "case err != nil || !d.IsDir()"},
	}, "internal/llm/tools", "TestSecretsAreNeitherListedNorFound"},
	{"tools of models", "a denied file has no other name", []Edit{
		{"internal/llm/tools/box.go", "if b.deny.file(now) {", "if false {"},
	}, "internal/llm/tools", "TestNoFileToolLeavesTheWorkspace"},
	{"tools of models", "files of git are not written", []Edit{
		{"internal/llm/tools/box.go", "if writing && isGits(rel) {", "if false {"},
	}, "internal/llm/tools", "TestGitIsNotWritten"},
	{"tools of models", "files of git are not read in a project", []Edit{
		{"internal/llm/tools/deny.go", "if d.git && git >= 0 {", "if false {"},
	}, "internal/llm/tools", "TestHiddenFilesOfAProjectAreReadable TestNoToolTouchesGitInAProject"},
	{"tools of models", "git's folder has no other name", []Edit{
		{"internal/llm/tools/deny.go", "return name == \".git\" || name == \"git~1\" || strings.HasPrefix(name, \".git:\")", "return name == \".git\""},
	}, "internal/llm/tools", "TestNoToolTouchesGitInAProject"},
	{"tools of models", "names that end in dots and spaces are those without", []Edit{
		{"internal/llm/tools/deny.go", "if trimmed := strings.TrimRight(name, \". \"); trimmed != \"\" {", "if trimmed := name; trimmed != \"\" {"},
	}, "internal/llm/tools", "TestNoToolTouchesGitInAProject"},
	{"tools of models", "files of git are not written in a project, though nothing else denies them", []Edit{
		{"internal/llm/tools/box.go", "if writing && isGits(rel) {", "if false {"},
		{"internal/llm/tools/deny.go", "if d.git && git >= 0 {", "if false {"},
	}, "internal/llm/tools", "TestNoToolTouchesGitInAProject"},
	{"tools of models", "tools of a project work there alone", []Edit{
		{"internal/llm/tools/tools.go", "b, err := openBox(w.Root, l.Deny)", "b, err := openBox(l.Root, l.Deny)"},
	}, "internal/llm/tools", "TestToolsOfAProjectStayInIt"},
	{"tools of models", "work in a project reads no pages", []Edit{
		{"internal/llm/tools/tools.go", "return slices.DeleteFunc(list, func(t tool) bool { return t.Name == fetching })", "return list"},
	}, "internal/llm/tools", "TestAProjectOffersNoPages"},
	{"tools of models", "work in a project that cannot be opened fails", []Edit{
		{"internal/llm/tools/tools.go", "case err != nil && req.Workspace.Root != \"\":", "case false:"},
	}, "internal/llm/tools", "TestAProjectThatCannotBeOpenedFails"},
	{"tools of models", "work in a project is not asked for without its tools", []Edit{
		{"internal/llm/plain.go", "case len(req.Tools) == 0 || req.Workspace.Root != \"\" ||", "case len(req.Tools) == 0 ||"},
	}, "internal/llm", "TestAModelThatTakesNoToolsIsAskedWithoutThem"},
	{"tools of models", "commands leave their caches out of a project", []Edit{
		{"internal/llm/tools/shell.go", "environment(s.home(), s.Env)", "environment(s.box.dirs[1], s.Env)"},
	}, "internal/llm/tools", "TestACommandOfAProjectRunsThere"},
	{"tools of models", "work in a project has an end", []Edit{
		{"internal/llm/tools/session.go", "for range s.rounds {", "for {"},
	}, "internal/llm/tools", "TestWorkInAProjectHasMoreRounds"},
	{"tools of models", "a program that would read everything has no tools in a project", []Edit{
		{"internal/llm/command/dialect.go", "case !w.Level.Allows(t.files):", "case false:"},
	}, "internal/llm/command", "TestItRunsInTheFolderOfARequest"},
	{"tools of models", "a project does not set up the program that works in it", []Edit{
		{"internal/llm/command/dialect.go", "if _, err := os.Lstat(filepath.Join(w.Root, name)); err == nil {", "if _, err := os.Lstat(filepath.Join(w.Root, name)); err == nil && false {"},
	}, "internal/llm/command", "TestItRunsInTheFolderOfARequest"},
	{"tools of models", "a program does not run without the folder of its work", []Edit{
		{"internal/llm/command/process.go", "return \"\", errors.Join(errNoRoot, err)", "return c.folder, nil"},
	}, "internal/llm/command", "TestAMissingFolderOfARequest"},
	{"tools of models", "programs do not read the web for a project", []Edit{
		{"internal/llm/command/codex.go", "if w.Root == \"\" && w.Level", "if w.Level"},
	}, "internal/llm/command", "TestCalls"},
	{"tools of models", "a pipe is not opened", []Edit{
		{"internal/llm/tools/box.go", "case !s.info.Mode().IsRegular(): // opening a pipe would wait for its other end", "case false:"},
	}, "internal/llm/tools", "TestSpecialFilesAreNotOpened"},
	{"tools of models", "a page comes from a public address", []Edit{
		{"internal/llm/tools/fetch.go", "return errPrivate\n\t}}", "return nil\n\t}}"},
	}, "internal/llm/tools", "TestOnlyPublicServersAreReached"},
	{"tools of models", "an address is checked where a redirect leads", []Edit{
		{"internal/llm/tools/fetch.go", "return checkURL(next.URL)", "return nil"},
	}, "internal/llm/tools", "TestRedirectsAreChecked"},
	{"tools of models", "after outside text only known addresses are fetched", []Edit{
		{"internal/llm/tools/fetch.go", "if s.tainted && !s.wasSaid(in.URL) {", "if false {"},
	}, "internal/llm/tools", "TestAfterOutsideTextOnlyKnownAddressesAreFetched"},
	{"tools of models", "a page taints the rest of the loop", []Edit{
		{"internal/llm/tools/call.go", "s.tainted = s.tainted || p.done.outside != \"\"", ""},
	}, "internal/llm/tools", "TestAfterOutsideTextOnlyKnownAddressesAreFetched"},
	{"tools of models", "a piece of an address is not the address", []Edit{
		{"internal/llm/tools/fetch.go", "if !found || endsAddress(after) {", "if !found || true {"},
	}, "internal/llm/tools", "TestAfterOutsideTextOnlyKnownAddressesAreFetched"},
	{"tools of models", "a file says no address, since the model may have written it", []Edit{
		{"internal/llm/tools/files.go", "r := result{text: part}", "r := result{text: part, said: part}"},
	}, "internal/llm/tools", "TestAModelCannotSayAnAddressItself"},
	{"tools of models", "what a result repeats of the model's words says no address", []Edit{
		{"internal/llm/tools/fetch.go", "slices.ContainsFunc(s.said, standsIn) && !slices.ContainsFunc(s.own, standsIn)", "slices.ContainsFunc(s.said, standsIn)"},
	}, "internal/llm/tools", "TestAModelCannotSayAnAddressItself"},
	{"tools of models", "few pages are fetched after outside text", []Edit{
		{"internal/llm/tools/fetch.go", "if s.tainted && s.pages.Add(1) > maxTainted {", "if false {"},
	}, "internal/llm/tools", "TestFewPagesAreFetchedAfterOutsideText"},
	{"tools of models", "what a server says instead of a page is not told", []Edit{
		{"internal/llm/tools/fetch.go", "return errors.New(\"the server cannot be reached, or does not answer as one. Check the address, or try another one\")", "return err"},
	}, "internal/llm/tools", "TestWhatAServerSaysInsteadOfAPageIsNotTold"},
	{"tools of models", "nothing is changed after a page", []Edit{
		{"internal/llm/tools/call.go", "} else if p.tool.changes && s.wasRead(p.tool) {", "} else if false {"},
	}, "internal/llm/tools", "TestNothingIsChangedAfterAPage"},
	{"tools of models", "one answer has so many calls", []Edit{
		{"internal/llm/tools/call.go", "if i >= maxCalls {", "if false {"},
	}, "internal/llm/tools", "TestOneAnswerHasSoManyCalls"},
	{"tools of models", "a costly pattern is refused", []Edit{
		{"internal/llm/tools/search.go", "if err == nil && isCostly(pattern) {", "if err == nil && false {"},
	}, "internal/llm/tools", "TestCostlyPatternsAreRefused"},
	{"tools of models", "markers on a page are broken", []Edit{
		{"internal/llm/tools/shell.go", "return dialect.Defuse(text)", "return dialect.Defuse(\"\") + text"},
	}, "internal/llm/tools", "TestAPageIsQuotedAsOutsideText"},
	{"tools of models", "commands get none of the environment", []Edit{
		{"internal/llm/tools/shell_unix.go", "cmd.Dir, cmd.Env = dir, env", "cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)"},
	}, "internal/llm/tools", "TestCommandsGetNoneOfOurEnvironment"},
	{"tools of models", "commands cannot read the environment of the bot", []Edit{
		{"internal/llm/tools/hide_linux.go", "syscall.PR_SET_DUMPABLE, 0, 0", "syscall.PR_SET_DUMPABLE, 1, 0"},
	}, "internal/llm/tools", "TestCommandsCannotReadTheKeysOfARunningBot"},
	{"tools of models", "what a command started ends with it", []Edit{
		{"internal/llm/tools/shell_unix.go", "procgroup.Guard(cmd)", "procgroup.Set(cmd)"},
	}, "internal/llm/tools", "TestCommandsEnd"},
	{"tools of models", "the output of a command is cut", []Edit{
		{"internal/llm/tools/output.go", "if over := len(e.tail) - half; over > 0 {", "if over := len(e.tail) - half; over > 1<<40 {"},
	}, "internal/llm/tools", "TestAFloodOfOutputIsCut TestTheEndsOfAFloodAreKept"},
	{"tools of models", "a result is cut", []Edit{
		{"internal/llm/tools/call.go", "text = keepEnds(text, min(maxResult, s.output))", ""},
	}, "internal/llm/tools", "TestOutputIsLimited"},
	{"tools of models", "a level is a limit", []Edit{
		{"internal/llm/tools/tool.go", "if level.Allows(t.level) {", "if true {"},
	}, "internal/llm/tools", "TestALevelIsALimit"},
	{"tools of models", "rounds are limited", []Edit{
		{"internal/llm/tools/session.go", "for range s.rounds {", "for {"},
	}, "internal/llm/tools", "TestRoundsAreLimited"},
	{"tools of models", "the same call in a row ends", []Edit{
		{"internal/llm/tools/call.go", "if times >= maxRepeats {", "if false {"},
	}, "internal/llm/tools", "TestTheSameCallAgainAndAgainIsStopped"},
	// Function calls
	{"function calls", "what a block and a call both ask for is done once", []Edit{
		{"internal/actions/dialect/native.go", "i, again := known[content(req)]", "i, again := 0, false"},
	}, "internal/actions/dialect", "TestCallsAreRequests TestNothingOutsideTheGateIsRun"},
	{"function calls", "the calls of an answer are written down", []Edit{
		{"internal/turn/ledger.go", "Answer{Text: text, Calls: r.calls,", "Answer{Text: text,"},
	}, "internal/turn", "TestAResumedTurnKnowsItsCalls"},
	{"function calls", "a handle in a call means the same after a kill", []Edit{
		{"internal/turn/ledger.go", "r.Handles.In(text + r.callsText())", "r.Handles.In(text)"},
	}, scenes, "TestScenes/native-handle-after-a-crash"},
	{"function calls", "an answer has so many calls", []Edit{
		{"internal/turn/native.go", "if len(r.calls) > maxCalls || len(r.callsText()) > maxAnswer {", "if false {"},
	}, "internal/turn", "TestAnAnswerHasSoManyCalls"},
	{"function calls", "calls beside tools of ours have a result", []Edit{
		{"internal/llm/tools/call.go", "p.done, p.over = result{text: later}, true\n\t\treturn p", ""},
	}, "internal/llm/tools", "TestCallsOfBothKindsAreAllAnswered"},
	{"function calls", "calls beside tools of ours are not repeated without them", []Edit{
		{"internal/llm/tools/session.go", "c.ID, c.Seal = \"\", nil", ""},
	}, app, "TestToolsOfBothKindsInOneAnswer"},
	{"function calls", "an address in a call was not said", []Edit{
		{"internal/llm/tools/session.go", "s.own = append(s.own, plainText(string(c.Input)))", "_ = plainText(string(c.Input))"},
	}, "internal/llm/tools", "TestResultsOfTheConsumersToolsSayAddresses"},
	{"function calls", "there are not more tools than vendors take", []Edit{
		{"internal/llm/tools/external.go", " && len(offered)+len(req.Tools) < maxTools", ""},
	}, "internal/llm/tools", "TestThereAreNotMoreToolsThanVendorsTake"},
	{"function calls", "a model that takes no functions is taught blocks", []Edit{
		{"internal/llm/plain.go", "if p := r.Plain; p != nil {", "if p := r.Plain; false {"},
	}, app, "TestAModelThatTakesNoFunctionsWritesBlocks"},
	{"function calls", "functions are given only where the setting says so", []Edit{
		{"internal/app/runtime.go", "if !c.takesFunctions(k) {", "if false {"},
	}, app, "TestWhichRuntimesTakeFunctions"},
	{"function calls", "the markers in results of calls are broken", []Edit{
		{"internal/turn/prompt/native.go", "join(about, fenced(texts[i:i+1]))", "join(about, texts[i])"},
	}, "internal/turn/prompt", "TestNothingForeignHasMarkers TestEachOpenCallHasOneResult"},

	// Summaries on request
	{"summaries on request", "a summary of what outsiders said is outside text", []Edit{
		{"internal/actions/memory/recap.go", ".Showing(call, said...)", ".Showing(call)"},
	}, scenes, "TestScenes/memory-conversation-summary"},
	{"summaries on request", "the asker pays for a summary", []Edit{
		{"internal/app/consult.go", "llm.Payer{User: string(o.Requester), ", "llm.Payer{"},
	}, scenes, "TestScenes/memory-conversation-summary-budget"},
	{"summaries on request", "no secret is summed up", []Edit{
		{"internal/actions/memory/recap.go", "if secret || text == \"\" {", "if secret && false || text == \"\" {"},
	}, "internal/actions/memory", "TestConversationSummary"},
	{"summaries on request", "only what the asker may read is summed up", []Edit{
		{"internal/actions/memory/recap.go", "Needs:       []chat.Permission{chat.ViewChannel, chat.ReadHistory},", "Needs:       []chat.Permission{chat.ViewChannel},"},
	}, "internal/actions/memory", "TestOnlyWhatPeopleMayReadIsSummedUp"},
	{"summaries on request", "a turn has three summaries", []Edit{
		{"internal/actions/memory/recap.go", "if !c.turns.Take(call.Origin.Turn, maxSummaries) {", "if false {"},
	}, "internal/actions/memory", "TestATurnHasThreeSummaries"},
	// Voice notes
	{"voice notes", "the rights of the asker are checked before anything is spoken", []Edit{
		{"internal/actions/voice/note.go", "Needs:    toPost,", "Needs:    toPost[:1],"},
	}, "internal/actions/voice", "TestVoiceNoteRefuses"},
	{"voice notes", "the asker pays for speech", []Edit{
		{"internal/actions/voice/note.go", "llm.Payer{User: string(o.Requester), ", "llm.Payer{"},
	}, "internal/actions/voice", "TestVoiceNote"},
	{"voice notes", "a turn has five voice notes", []Edit{
		{"internal/actions/voice/note.go", "if !c.turns.Take(call.Origin.Turn, maxNotes) {", "if false {"},
	}, "internal/actions/voice", "TestATurnHasFiveVoiceNotes"},
	{"voice notes", "the server for speech leads nowhere else", []Edit{
		{"internal/speech/speech.go", "return http.ErrUseLastResponse", "return nil"},
	}, "internal/speech", "TestSay"},
	// Files that are sent
	{"files that are sent", "what is deleted after it was sent is in the outbox", []Edit{
		{"internal/actions/messaging/sendfile.go", "if err != nil || !inside {", "if err != nil || !inside && false {"},
	}, "internal/actions/messaging", "TestWhatWasSentIsDeletedFromTheOutboxAlone"},
	{"files that are sent", "what is deleted is the file that was sent", []Edit{
		{"internal/actions/messaging/sendfile.go", "!os.SameFile(now, sent)", "!os.SameFile(now, sent) && false"},
	}, "internal/actions/messaging", "TestAnotherFileOfTheSameNameIsNotDeleted"},
	// Web search
	{"web search", "results of a web search are outside text", []Edit{
		{"internal/actions/web/web.go", "Summary: did, Open: true, Outside: Source}", "Summary: did, Open: true}"},
	}, scenes, "TestScenes/web-search-then-changes"},
	{"web search", "a turn has five web searches", []Edit{
		{"internal/actions/perturn.go", "case n >= most:", "case false:"},
	}, scenes, "TestScenes/web-search-limit"},
	{"web search", "no link in a result hides where it leads", []Edit{
		{"internal/actions/web/web.go", "chat.InBrackets(r.Title)", "r.Title"},
	}, "internal/actions/web", "TestWebSearch"},
	{"web search", "a search follows no redirect", []Edit{
		{"internal/websearch/websearch.go", "return http.ErrUseLastResponse", "return nil"},
	}, "internal/websearch", "TestKeysAndQueriesStayOutOfErrors"},
	{"web search", "errors have no address, which has the query in it", []Edit{
		{"internal/websearch/websearch.go", "err = u.Err\n", "_ = u.Err\n"},
	}, "internal/websearch", "TestKeysAndQueriesStayOutOfErrors"},
	{"web search", "errors do not have the key", []Edit{
		{"internal/websearch/fault.go", "c.hide(fmt.Sprintf(remedy, append([]any{c.host}, args...)...))", "fmt.Sprintf(remedy, append([]any{c.host}, args...)...)"},
	}, "internal/websearch", "TestKeysAndQueriesStayOutOfErrors"},
	{"web search", "results do not have the key", []Edit{
		{"internal/websearch/websearch.go", "r.Title, r.Address, r.Snippet = c.hide(r.Title), c.hide(r.Address), c.hide(r.Snippet)", ""},
	}, app, "TestTheKeyOfASearchStaysSecret"},
	{"web search", "results have short titles", []Edit{
		{"internal/websearch/websearch.go", "r.Title, r.Snippet = chat.Shorten(chat.OneLine(r.Title), maxTitle), chat.Shorten(chat.OneLine(r.Snippet), maxSnippet)", "r.Title, r.Snippet = chat.OneLine(r.Title), chat.OneLine(r.Snippet)"},
	}, "internal/websearch", "TestResultsAreShortAndPlain"},
	{"web search", "an address that is no web page is left out", []Edit{
		{"internal/websearch/websearch.go", "if err != nil || address.Host == \"\" || address.Scheme != \"https\" && address.Scheme != \"http\" {", "if err != nil {"},
	}, "internal/websearch", "TestResultsAreShortAndPlain"},
	{"web search", "a long answer of a search engine is not read", []Edit{
		{"internal/websearch/websearch.go", "case len(answer) > maxAnswer:", "case false:"},
	}, "internal/websearch", "TestRefusals"},
	{"pictures on request", "a resumed turn does not pay again", []Edit{
		{"internal/imagegen/quota.go", "if begun {", "if begun && false {"},
	}, "internal/actions/imagegen", "TestAResumedTurnDoesNotPayAgain"},
	{"pictures on request", "the bot's own rights are checked before it is paid", []Edit{
		{"internal/actions/imagegen/imagegen.go", "errors.Join(c.Studio.Ready(order), c.server.CheckOwn(ch.ID, mayPost...))", "c.Studio.Ready(order)"},
	}, "internal/actions/imagegen", "TestRightsAreCheckedBeforeItIsPaid"},
	{"pictures on request", "a budget refuses before the call", []Edit{
		{"internal/spend/purchase.go", "case !p.book.Ceilings.any():", "case true:"},
	}, "internal/actions/imagegen", "TestBudgets"},
	{"pictures on request", "what a vendor declines counts", []Edit{
		{"internal/actions/imagegen/imagegen.go", "if !failed.Declined {", "if true {"},
	}, "internal/actions/imagegen", "TestADeclinedWishCounts"},
	{"pictures on request", "a model's name leads to no other address", []Edit{
		{"internal/imagegen/imagegen.go", "if !names().MatchString(o.Model) {", "if false {"},
	}, "internal/imagegen", "TestOrder"},

	// Runs that start runs
	{"runs in runs", "the work on a plan starts no other", []Edit{
		{"internal/access/rules.go", "[]actions.Narrowing{r.narrow, actions.AtDepth(o.Depth)}", "[]actions.Narrowing{r.narrow}"},
	}, "internal/flow", "TestOnlyARunAtTheTopStartsRunsOfItsOwn"},
	{"runs in runs", "the answer to a question of such a run is one", []Edit{
		{"internal/flow/reaction.go", "origin.Depth = r.question.Depth\n", ""},
	}, "internal/flow", "TestOnlyARunAtTheTopStartsRunsOfItsOwn"},
	{"runs in runs", "a question that opens again keeps its depth", []Edit{
		{"internal/choices/choices.go", "q.Depth, string(list), string(q.Message)", "0, string(list), string(q.Message)"},
	}, "internal/choices", "TestAQuestionOpensAgain"},

	// Plans
	{"plans", "an edit after the approval takes it back", []Edit{
		{"internal/plan/file.go", "if p.Status != doc.Approved || p.Approved == p.Hash() {", "if true {"},
	}, "internal/plan", "TestApprovalIsOfWhatWasShown TestAnEditDuringARunEndsTheApproval"},
	{"plans", "what is approved is what was shown", []Edit{
		{"internal/plan/status.go", "case shown != \"\" && shown != p.Hash():", "case false:"},
	}, "internal/plan", "TestApprovalIsOfWhatWasShown"},
	{"plans", "one piece of work at a time is done on a plan", []Edit{
		{"internal/plan/work.go", "if busy {\n\t\treturn refused(&BusyError{w})", "if busy && false {\n\t\treturn refused(&BusyError{w})"},
	}, "internal/plan", "TestLeases TestRuns"},
	{"plans", "one plan at a time is forged", []Edit{
		{"internal/plan/work.go", "if w.Kind == Forging {\n\t\t\tif", "if w.Kind == Forging && false {\n\t\t\tif"},
	}, "internal/plan", "TestLeases"},
	{"plans", "only what is approved is run", []Edit{
		{"internal/plan/status.go", "if !doc.Allowed(p.Status, to) {", "if false {"},
	}, "internal/plan", "TestRuns TestEveryTransition"},
	{"plans", "the status is not for the file to say", []Edit{
		{"internal/plan/plan.go", "if d.Status != p.Status {", "if false {"},
	}, "internal/plan", "TestWhatPeopleEditIsReadBack"},
	{"plans", "the plans of a server are its own", []Edit{
		{"internal/plan/plan.go", "FROM plans WHERE guild = ? AND \"+where", "FROM plans WHERE guild <> ? AND \"+where"},
	}, "internal/plan", "TestPlansAreFoundByAnySpelling"},

	// Questions from the menus
	{"menus", "the bot posts no question for a person who may not write there", []Edit{
		{"internal/app/command_ask.go", "if len(missing) > 0 {", "if false {"},
	}, scenes, "TestScenes/ask-menu"},
	{"menus", "no secret is posted as a question", []Edit{
		{"internal/app/command_ask.go", "case commands.Secret(question) || b.flows.IsCommand(question):", "case false:"},
	}, scenes, "TestScenes/ask-menu"},
	{"menus", "a command after a mention is no question", []Edit{
		{"internal/app/command_ask.go", "b.flows.IsCommand(question):", "strings.HasPrefix(question, \"!\"):"},
	}, scenes, "TestScenes/abuse-ask"},
	{"menus", "slow mode holds for questions", []Edit{
		{"internal/app/command_ask.go", "if m.Place.Guild == \"\" {\n\t\treturn \"\", post()", "if true {\n\t\treturn \"\", post()"},
	}, scenes, "TestScenes/abuse-ask"},
	{"menus", "emoji of other servers need their right in questions, too", []Edit{
		{"internal/app/command_ask.go", "needs = append(needs, demand.Rights...)", "_ = demand"},
	}, scenes, "TestScenes/abuse-ask"},
	{"menus", "outsiders get no form", []Edit{
		{"internal/flow/ask.go", "why != access.Admitted || !f.Options.Slash", "why == \"\" && !f.Options.Slash"},
	}, scenes, "TestScenes/ask-menu"},

	// Buttons below answers
	{"buttons", "only the person who asked can use them", []Edit{
		{"internal/flow/below.go", "case requester != p.User.ID:", "case false:"},
	}, scenes, "TestScenes/answer-buttons"},
	{"buttons", "what was done for an answer stays legible", []Edit{
		{"internal/flow/below.go", "if len(past.Lines) == 0 {", "if true {"},
	}, scenes, "TestScenes/answer-buttons"},
	{"buttons", "an answer stays if it is not known what was done for it", []Edit{
		{"internal/flow/below.go", "case past.Turn == \"\":", "case false:"},
	}, scenes, "TestScenes/abuse-delete-hides"},
	{"buttons", "an answer stays if more was done for it than stays legible", []Edit{
		{"internal/flow/below.go", "case chat.Length(text) > maxLeft:", "case false:"},
	}, scenes, "TestScenes/abuse-delete-hides"},
	{"buttons", "an answer after which the bot went on is not written again", []Edit{
		{"internal/flow/redo.go", "case wentOn:", "case wentOn && false:"},
	}, scenes, "TestScenes/abuse-redo-after-continue"},
	{"buttons", "a button that was used says so", []Edit{
		{"internal/flow/redo.go", "case pressed:", "case pressed && false:"},
	}, scenes, "TestScenes/abuse-redo"},
	{"buttons", "what an earlier turn of a chain has done is not done again", []Edit{
		{"internal/flow/continuation.go", "s.below(t.Origin, !e.Body.Acted &&", "s.below(t.Origin, e.Body.Changes == 0 &&"},
	}, scenes, "TestScenes/abuse-redo-chain"},
	{"buttons", "an answer is not written again for a person who may not write there", []Edit{
		{"internal/flow/redo.go", "if err != nil || len(missing) == 0 {", "if true {"},
	}, scenes, "TestScenes/abuse-redo-muted"},
	{"buttons", "what has changed something is not done again", []Edit{
		{"internal/turn/runner.go", "r.acted = r.acted || o.Action != nil", "r.acted = r.acted || false && o.Action != nil"},
	}, "internal/turn", "TestButtonsBelowAnAnswer"},

	// Threads
	{"threads", "what is for others in a thread is not answered", []Edit{
		{"internal/flow/guards.go", "s.talksIn(m.Place) && !s.isForOthers(m)", "s.talksIn(m.Place)"},
	}, scenes, "TestScenes/respond-in-threads"},
	{"threads", "a thread in which only people talk is not answered", []Edit{
		{"internal/flow/guards.go", "s.talksIn(m.Place) && !s.isForOthers(m)", "m.Place.Parent != \"\""},
	}, scenes, "TestScenes/respond-in-threads"},

	// Dialects
	{"dialects", "outside text does not silence the bot", []Edit{
		{"internal/turn/control.go", "r.dispatcher.Distrusts(r.Outside.All()) {", "false {"},
	}, scenes, "TestScenes/abuse-dialect-stop-outsider"},
	{"dialects", "another bot does not silence this one", []Edit{
		{"internal/turn/control.go", "r.Origin.Requester == \"\" || ", ""},
	}, scenes, "TestScenes/abuse-dialect-stop-bot"},
	{"dialects", "a bot that is silent answers when it is addressed", []Edit{
		{"internal/flow/message.go", "\ts.silence.end(e.Place)\n", ""},
	}, scenes, "TestScenes/dialect-stop"},
	{"dialects", "people read that the bot is silent", []Edit{
		{"internal/turn/runner.go", "lines = append(lines, r.Hush)", "_ = r.Hush"},
	}, scenes, "TestScenes/dialect-stop"},
	{"dialects", "a reply that is withheld hides nothing that it did", []Edit{
		{"internal/turn/control.go", "r.unsaid = append(r.unsaid, ", "_ = append(r.unsaid, "},
	}, scenes, "TestScenes/abuse-dialect-withheld"},
	{"dialects", "results are owed until there is an answer in words", []Edit{
		{"internal/turn/deliver.go", "if !r.owed || r.words != \"\" {", "if true {"},
	}, scenes, "TestScenes/abuse-dialect-words-lost"},
	{"dialects", "a job may find its results not worth posting", []Edit{
		{"internal/turn/deliver.go", " && !r.MayPass || strings.TrimSpace(r.answer) == \"\"", ""},
	}, scenes, "TestScenes/abuse-dialect-search-job"},
	{"dialects", "a silent reply posts what it said to this channel", []Edit{
		{"internal/turn/control.go", " && len(actions.Replies(round.Outcomes)) == 0", ""},
	}, scenes, "TestScenes/abuse-dialect-words-lost"},
	{"dialects", "a withheld reply posts what it said to this channel", []Edit{
		{"internal/turn/control.go", "return strings.Join(actions.Replies(round.Outcomes), \"\\n\\n\")", "return \"\""},
	}, scenes, "TestScenes/abuse-dialect-words-lost"},
	{"dialects", "words without a voice are read", []Edit{
		{"internal/turn/control.go", "if ok && !spoken {", "if ok && !spoken && false {"},
	}, scenes, "TestScenes/abuse-dialect-words-lost"},
	{"dialects", "a search does not ask for silence", []Edit{
		{"internal/actions/dialect/control.go", " && !p.Control.Interrupt\n", "\n"},
	}, scenes, "TestScenes/abuse-dialect-words-lost"},
	{"dialects", "silence starts no follow-up", []Edit{
		{"internal/turn/runner.go", "Final: parsed.Control.Stop || parsed.Control.NoReply,", "Final: false,"},
	}, "internal/turn", "TestAnAnswerSaysHowItIsDelivered"},
	{"dialects", "results that not everybody may know are not shown in place of an answer", []Edit{
		{"internal/turn/control.go", "strings.Join(r.found(ctx, round.Outcomes), \"\\n\")", "strings.Join(actions.AllLines(round.Outcomes), \"\\n\")"},
	}, scenes, "TestScenes/abuse-dialect-search-private"},
	{"dialects", "what its author has deleted is not quoted", []Edit{
		{"internal/flow/message.go", "if !s.history.Has(m.Place.Channel, m.ID) {", "if false {"},
	}, scenes, "TestScenes/abuse-dialect-quote"},
	{"dialects", "a quote hides nothing", []Edit{
		{"internal/turn/control.go", "chat.Visible(r.Asked())", "r.Asked()"},
	}, scenes, "TestScenes/abuse-dialect-quote"},
	{"dialects", "changes count over the turns of a chain", []Edit{
		{"internal/turn/runner.go", "return r.Changes + actions.Changes", "return actions.Changes"},
	}, scenes, "TestScenes/abuse-dialect-continue-mass"},
	{"dialects", "the searches of a chain are those of one request", []Edit{
		{"internal/actions/perturn.go", "\tturn = turn.Request()\n", ""},
	}, "internal/actions/web", "TestAChainHasFiveSearches"},
	{"dialects", "a model that asks for another turn gets a few", []Edit{
		{"internal/flow/continuation.go", "next.Count, next.KeptBack, next.Posted = t, c.Count+1,", "next.Count, next.KeptBack, next.Posted = t, c.Count*0+1,"},
	}, scenes, "TestScenes/abuse-dialect-continue"},
	{"dialects", "what was posted comes back without its markers", []Edit{
		{"internal/flow/continuation.go", "Text: dialect.Defuse(c.before)}", "Text: c.before}"},
		{"internal/flow/continuation.go", "\t\"discoclaw/internal/actions/dialect\"\n", ""},
	}, scenes, "TestScenes/abuse-dialect-continue"},
	{"dialects", "tags of other dialects are broken in a prompt", []Edit{
		{"internal/actions/dialect/defuse.go", "\"continuation-capsule\", \"actions\", \"no-reply\", stateTag}", "\"continuation-capsule\", stateTag}"},
	}, app, "TestRepeatedDialectsAreNoOrders"},
	{"dialects", "signals and keywords are broken in a prompt", []Edit{
		{"internal/actions/dialect/defuse.go", "case char == '[' && namesSignal(rest):", "case char == '[' && namesSignal(rest) && false:"},
	}, app, "TestRepeatedDialectsAreNoOrders"},
	{"dialects", "envelopes are broken in a prompt", []Edit{
		{"internal/actions/dialect/defuse.go", "case char == '{' && enveloped && beginsFields(rest):", "case char == '{' && enveloped && beginsFields(rest) && false:"},
	}, app, "TestRepeatedDialectsAreNoOrders"},
	{"dialects", "escapes in an envelope put no marker together", []Edit{
		{"internal/actions/dialect/lenient.go", "case !l.wary || !marks(r):", "case !l.wary || !marks(r) || true:"},
	}, app, "TestRepeatedDialectsAreNoOrders"},
	{"dialects", "blanks in escapes hide no signal", []Edit{
		{"internal/actions/dialect/defuse.go", "name, _, _ := strings.Cut(text[:end], `\\`)", "name := text[:end]"},
	}, "internal/actions/dialect", "TestDefuse TestDefusedTextInAnEnvelopeAsksForNothing"},
	{"dialects", "the name of a field cannot be hidden by escapes", []Edit{
		{"internal/actions/dialect/lenient.go", "strings.Contains(raw, `\\`) {", "strings.Contains(raw, `\\`) && false {"},
	}, "internal/actions/dialect", "TestEscapedFieldsAreNoFields"},
	{"dialects", "a selector of emoji hides no marker", []Edit{
		{"internal/chat/hidden.go", "if before <= unicode.MaxASCII {", "if before <= unicode.MaxASCII && false {"},
	}, app, "TestRepeatedDialectsAreNoOrders"},
	{"dialects", "nothing in a damaged envelope runs", []Edit{
		{"internal/actions/dialect/parser.go", "if r.damaged {", "if r.damaged && false {"},
	}, "internal/actions/dialect", "TestMarkupThatIsDataDoesNotRun"},
	{"dialects", "only the commands of a closed table run", []Edit{
		{"internal/actions/dialect/signalkinds.go", "typ, ok := commands[name]\n\t\tif !ok {", "typ, ok := commands[name]\n\t\tif !ok {\n\t\t\ttyp, ok = payload, true\n\t\t}\n\t\tif !ok {"},
	}, "internal/actions/dialect", "TestNamesOfActionsAreNoTags"},
	{"dialects", "a reply asks for so much and no more", []Edit{
		{"internal/actions/dialect/requests.go", "if others == maxRequests || req.Type == searchType && searches == maxSearches {", "if false {"},
	}, "internal/actions/dialect", "TestARequestTooManyIsDropped"},
	{"dialects", "what several dialects ask for is done once", []Edit{
		{"internal/actions/dialect/requests.go", "if known && (by != req.Dialect", "if known && false && (by != req.Dialect"},
	}, "internal/actions/dialect", "TestNothingIsAskedForTwice"},
	{"dialects", "the last message is the bot's own", []Edit{
		{"internal/actions/dialect/bind.go", "f.set(\"messageId\", string(chat.Last))", "f.set(\"messageId\", string(from.Message))"},
	}, scenes, "TestScenes/abuse-dialect-tainted"},
	{"dialects", "the answer of a job with routes is no envelope", []Edit{
		{"internal/flow/cron.go", "run.setting.Dialects = run.setting.Dialects.Without(dialect.EnvelopeName)", "_ = dialect.EnvelopeName"},
	}, scenes, "TestScenes/abuse-dialect-routes"},
	{"dialects", "what failed without a word is reported", []Edit{
		{"internal/flow/run.go", "\tin.reportUnseen(ctx, report)\n", ""},
	}, scenes, "TestScenes/abuse-dialect-silent"},
	{"dialects", "an outsider's words are never important", []Edit{
		{"internal/actions/memory/category.go", "if call.Origin.Outside != \"\" {", "if false {"},
	}, "internal/actions/memory", "TestOutsideTextIsNeverImportant"},
	{"dialects", "an outsider's words do not become important", []Edit{
		{"internal/actions/memory/tier.go", "read != \"\" && in.Tier == memory.Major {", "read != \"\" && in.Tier == memory.Major && false {"},
	}, "internal/actions/memory", "TestOutsideTextIsNeverImportant"},
}
