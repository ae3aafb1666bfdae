package standin

import (
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A rewording is another way to say what a shape understands.
type rewording struct {
	said []*regexp.Regexp
	as   string // with {NAME} for the groups of what was said
}

// rewordings are tried from the top. A group that is called channel, role or task has to name one of the club, or to have its sign.
var rewordings = sync.OnceValue(func() []rewording {
	r := func(as string, patterns ...string) rewording { return rewording{wordings(patterns...), as} }
	const done = `(?:done|finished|complete|completed|closed|solved|sorted|dealt with|taken care of|handled|off the list|bought|paid|fixed|mended|answered)`
	const did = `(?:bought|got|paid|did|done|finished|fixed|found|answered|completed|mended|solved|repaired|ordered|handled|settled|paid for)`
	const todo = `(?:task|todo|item|ticket|issue|chore|job to do)`
	const nap = `(?:quiet|silent|dead|unused|inactive|empty|stale|abandoned)`
	return []rewording{
		// Channels, by their bare names.
		r("make a channel called {text}", `(?:we|I) (?:need|want|could use) (?:a place|somewhere|some place|a spot|a space) (?:(?:to|for|where) )?(?:(?:we|people|everyone) can )?(?:(?:discuss|talk about|share|post|chat about|plan|talking about|discussing) )?{the}{text}`, `{make} {a}(?:channel|place|room) (?:where|for|to)(?: (?:us|we|people|everyone))?(?: (?:to|can))? (?:discuss|talk about|share|chat about) {the}{text}`),
		r("make a {kind} called {text}", `{make} {a}(?P<kind>channel|role|category)(?: (?:for|about|where|to) [^,]+)?,? (?:and )?(?:call|name) it {text}`),
		r("delete #{channel}", `can {the}{channel}(?: channel)? (?:go|be (?:deleted|removed)|go away)(?: .*)?`, `(?:we|I) (?:don't|do not|no longer) need {the}{channel}(?: channel)?(?: .*)?`, `{delete} {the}{channel}(?: channel| room| one)?`),
		r("rename #{channel} to {name}", `(?:rename|call|change|turn) {the}(?:channel )?#?(?P<channel>[\p{L}\p{N}_-]+)(?: channel)?(?:'s name)? (?:to|into|as) "?#?(?P<name>[^"]+?)"?`),
		r("move #{channel} to the {text}", `(?:move|put|push|drag|shift) {the}{channel}(?: channel)? (?:up |down |right |back |all the way )*(?:to|at|on) (?:the )?(?:very )?(?P<text>top|bottom|end)(?: .*)?`),
		r("move #{channel} to {text}", `(?:put|shift|drag|place|stick) {the}{channel}(?: channel)? (?:to|into|in|under|below) (?:the )?(?:category )?{text}(?: category)?`),
		r("lock #{channel}", `lock #?{channel}`, `(?:make|set|turn) {the}{channel}(?: channel)? (?:to )?read[- ]?only`, `(?:lock|close|freeze|mute) (?:down )?{the}{channel}(?: channel)?`,
			`(?:nobody|no one)(?: else)? (?:should|may|can) (?:be able to )?(?:write|post|talk) in {the}{channel}(?: channel)?`),
		r("unlock #{channel}", `(?:unlock|reopen|open|unfreeze) {the}{channel}(?: channel)?(?: again| up)?`),
		r("make #{channel} private", `(?:make|turn|set|change) {the}{channel}(?: channel)? (?:in)?(?:to )?(?:a )?(?:private|secret|hidden)(?: channel| one)?`, `hide {the}{channel}(?: channel)?(?: from .*)?`),
		r("slow down #{channel}", `slow (?:things )?(?:down )?(?:in )?{the}{channel}(?: channel)?(?: down)?(?: .*)?`, `(?:make|have) people slow down in {the}{channel}`),
		r("turn off slowmode in #{channel}", `(?:{delete}|lift|end|stop) {the}slow ?mode (?:in|from|on|for) {the}{channel}(?: channel)?`),
		r("set the topic of #{channel} to {text}", `(?:set|change|make|give) {the}{channel}(?: channel)?(?:'s)? (?:a |the )?(?:topic|description)(?: to|:)? "?{text}"?`,
			`(?:set|change|make) {the}(?:description|topic) (?:of|for|in) {the}{channel}(?: channel)? (?:to|:|as)? ?"?{text}"?`),
		r("what is #{channel} about?", `what(?:'s| is) the (?:topic|purpose|description|point) (?:of|in|for) {the}{channel}(?: channel)?`, `(?:is|does) {the}{channel}(?: channel)? (?:still |even |being )*(?:used|active|dead|alive|needed|in use)(?: .*)?`, `(?:does|is) (?:anyone|anybody|somebody) (?:still |even )*(?:use|using|read|reading|write in|writing in|post in|need|needing) {the}{channel}(?: .*)?`, `when was (?:the )?last (?:message|post|thing)(?: \w+)? (?:in|of|on) {the}{channel}(?: channel)?`, `when did (?:anyone|anybody|somebody|people) last (?:write|post|say)(?: \w+)? in {the}{channel}(?: channel)?`, `when was {the}{channel}(?: channel)? last (?:used|active)(?: .*)?`,
			`(?:what(?:'s| is)|what do we use) {the}{channel}(?: channel)?(?: even| actually| really)?(?: here)? (?:for|about)(?: .*)?`,
			`what (?:is|does) {the}{channel} channel(?: .*)?`),
		r("which channels are quiet?", `(?:which|what|any|are there|list|show) (?:.* )?channels (?:.* )?(?:not|n't|haven't|hasn't|aren't|nobody|no one|never|no longer) .*`,
			`(?:which|what|any|are there(?: any)?) (?:.* )?`+nap+` channels?(?: .*)?`, `(?:which|what) channels? (?:is|are) `+nap+`(?: .*)?`),
		r("list the channels", `(?:what|which|list|show|how many) (?:.* )?channels(?: .*)?`),
		r("what was said in #{channel}?", `who (?:spoke|wrote|posted|talked|said something|was) (?:the )?last(?: one)?(?: to \w+)? (?:in|on) {the}{channel}(?: channel)?`, `(?:summari[sz]e|sum up|recap|read|digest) .* (?:in|of|from|on) {the}{channel}(?: channel)?(?:,? (?:in|with) (?:one|a|\w+) \w+)?`, `(?:give|show|get|send)(?: me| us)? (?:a |the |an? \w+ )?(?:summary|recap|overview|gist|digest|rundown|tldr|news) (?:of|from|for|about|on) (?:what \w+ \w+ in )?{the}{channel}(?: .*)?`,
			`(?:summari[sz]e|sum up|recap|catch me up on|read|update me on|brief me on) {the}(?:talk in |discussion in |latest in )?{channel}(?: .*)?`,
			`(?:what|anything|something|any news)(?:'s| is| was| has| have| did| are| were| do)? (?:.* )?(?:in|on) {the}{channel}(?: channel)?(?: (?:today|yesterday|lately|recently|this week|last week|about|so far|since .*|from .*|these days))?`, `(?:tl;?dr|summary|recap)(?: of| for| on)? {the}{channel}(?: channel)?`),
		// Roles.
		r("who has the role {role}?", `who(?:'s| is| are|'re| has| have| all has)? (?:got )?(?:in )?(?:the |our |a |an )?(?P<role>[\p{L}-]+)(?: role| rights| team| here| people)*`,
			`(?:list|show|name)(?: me)? (?:all )?(?:the |our )?(?P<role>[\p{L}-]+)`, `how many (?P<role>[\p{L}-]+) (?:are there|do we have|have we got)`),
		r("who has the role {role}?", `(?:who|which of us|how many|how many of us)(?: of us)? (?:is|are|has|have|belongs?)(?: to| in| part of| with)* (?:the )?(?P<role>[\p{L}-]+)(?: role| team| members?)*`),
		r("who has the role {role}?", `(?:is|has|does) (?P<text>[\p{L}]+) (?:have )?(?:a |an |in |in the |the |role )*(?P<role>[\p{L}-]+)(?: role| team)?`),
		r("give {who} and {who2} the role {role}", `{who}(?:,| and) (?P<who2>[\p{L}\p{N}._-]+) (?:are|should be|become)(?: now)? (?:the )?(?P<role>[\p{L}-]+)`, `(?:add|put|assign|promote|move|make) {who}(?:,| and) (?P<who2>[\p{L}\p{N}._-]+) (?:to |into |in )?(?:the |an? )?(?:role )?(?P<role>[\p{L}-]+)(?: role| team| members?)?`),
		r("give {who} the role {role}", `(?:promote|upgrade|move) {who} (?:to|into) (?:the )?(?P<role>[\p{L}-]+)(?: role| team)?`, `(?:add|put|assign) {who} (?:to|into|in) (?:the )?(?P<role>[\p{L}-]+)(?: role| team)?`, `(?:make|add|put) {who} (?:to |in |into )?(?:a |an |the )?(?:role )?(?P<role>[\p{L}-]+)(?: role| team| member)?`, `{who} (?:should be|is now|becomes) (?:a |an |the )?(?P<role>[\p{L}-]+)`),
		r("take the role {role} from {who}", `{who} (?:is|should be) no longer (?:a |an |the )?(?P<role>[\p{L}-]+)`, `(?:remove|take|kick|throw) {who} (?:out of|off|from) (?:the )?(?P<role>[\p{L}-]+)(?: role| team)?`),
		// Tasks, by their titles.
		r("close the task about {task}", `(?:mark|set|tick|check|cross|strike) (?:off )?(?:the |my )?(?:`+todo+` )?"?(?P<task>.+?)"?(?: `+todo+`)? (?:as |to )?(?:`+done+`|off)`,
			`(?:I|we|you|they|\w+)(?:'ve| have| has|'s)?(?: already| just| finally)? `+did+` (?P<task>.+)`, `(?P<task>.+?) (?:is|are|has been|have been|was) (?:already |now |finally )?`+done,
			`(?:tick|check|cross) off (?P<task>.+)`, `(?:done|finished) with (?P<task>.+)`, `(?:close|finish|complete|resolve) (?:the )?(?P<task>.+?)(?: `+todo+`)?`),
		r("close task {id}", `{delete} (?:the )?(?:task|todo) (?:no\.? |number |#)?{id}`, `(?:task|todo) (?:no\.? |number |#)?{id} (?:can (?:go|be closed)|is not needed.*|is over)`,
			`(?:mark|tick off|check off|cross off|set) (?:the )?(?:task|todo) (?:no\.? |number |#)?{id}(?: off| (?:as|to) `+done+`)?`),
		r("assign task {id} to me", `(?:I'll|I will|I can|I'm going to|let me|I) (?:do|take|handle|take over|take care of) (?:task )?{id}`),
		r("assign the task {task} to {who}", `(?:give|assign|hand|pass) (?:the )?(?P<task>.+?)(?: `+todo+`)? (?:over )?to {who}`, `{who} (?:should|will|can|could|shall|is going to) (?:do|take|take over|handle) (?:the )?(?P<task>.+?)(?: `+todo+`)?`),
		r("which tasks are {text}?", `(?:is there |is )?(?:anything|something|stuff) (?:that is |that's )?(?P<text>overdue|late|due|due .*|urgent|unassigned)`),
		r("show me's tasks", `what(?:'s| is)(?: still)?(?: left| open)? (?:on my (?:plate|list|desk)|for me)(?: to do)?`, `(?:which|what|any)(?: of (?:them|these|those))?(?: \w+)? (?:is|are) (?:mine|my ones|for me|assigned to me|on me)`,
			`(?:what|do)(?:'s| is| are| do| have)? (?:I|my|on my)(?: \w+)?(?: have| got| need| need to| supposed| open)* (?:(?:to|left to) do|todos?(?: list)?|tasks?|list|plate|job)(?: .*)?`,
			`(?:is there |do I have )?anything (?:that )?(?:needs? (?:my|me)|I (?:should|need|have|must)|for me|waiting for me|left for me).*`, `what (?:needs my attention|is waiting for me|did I promise.*)`, `what (?:am I|should I|must I) (?:supposed to )?(?:do|doing|be doing|work on)(?: .*)?`),
		r("show {who}'s tasks", `what(?:'s| is| does| has| should| must| do)? {who} (?:have|has|need|needs|supposed|got|meant|still|working|going|responsible)(?: have| need)?(?: (?:to do|to|on|for))?(?: .*)?`,
			`(?:which|what|how many) (?:tasks|todos|things) (?:does|do|did|has|is|are)(?: for| on)? {who}(?: .*)?`, `what's on {who}'s (?:list|plate|desk)`, `(?:anything|tasks|what's|what is) (?:open )?for {who}`),
		r("what is still open?", `who (?:all )?has (?:got )?(?:open |any |still )*(?:tasks|todos)(?: .*)?`, `(?:which|what|any|are there any|how many|show|list|give)(?: (?:me|us))?(?: .*)? (?:tasks|todos|open points|to do|work)(?: .*)?`, `what(?:'s| is) (?:there )?(?:still )?(?:left|pending|outstanding|open|due)(?: .*)?`),
		// What is done later, or by itself.
		r("remind {whom} {text}", `(?:ping|poke|nudge|notify|alert|warn|buzz|tell) (?P<whom>me|us|everyone|everybody|@?[\p{L}]+) {text}`,
			`don't let (?P<whom>me|us) forget {text}`, `make sure (?P<whom>I|we) (?:don't forget|remember) {text}`),
		r("{often}, remind us of {text}", `(?:{make}|set) {a}(?:recurring |daily |weekly |regular )?(?:reminder|alarm|note) {often},? (?:for|to|of|about|that) {text}`, `(?:{make}|set) {a}(?:recurring |daily |weekly |regular )?(?:reminder|alarm|note) (?:for|to|of|about|that) {text},? {often}`),
		r("remind me in {text} of the timer", `(?:(?:{make}|set) )?{a}(?:timer|countdown|alarm) (?:for|of|in|to) (?P<text>`+countWords+` `+unitWords+`)`, `(?P<text>`+countWords+` `+unitWords+`) (?:timer|countdown)`),
		r("remind me {text} of the alarm", `(?:(?:{make}|set) )?{a}alarm for (?P<text>tomorrow.*)`), r("remind me at {text} of the alarm", `(?:(?:{make}|set) )?{a}alarm (?:for|at) {text}`),
		r("remind me {text}", `reminder(?: for me)?(?::| -|,)? {text}`, `(?:I|we) (?:need|want|would like|'d like|could use) (?:a |to be )?(?:reminder|reminded) {text}`, `(?:{make}|set) (?:a |an )?(?:alarm|timer|reminder) {text}`),
		r("what are my reminders?", `(?:what|which|any|are there|show|list|do I)(?:.*)? reminders?(?: .*)?`, `what (?:have I|did I) (?:asked|ask) you to remind .*`),
		r("what is scheduled?", `(?:what|which|when|how often|are there|is there|list|show|anything|do you)(?:.*)? (?:automatic(?:ally)?|automated|automations?|by (?:itself|themselves|yourself)|on (?:its|their|your) own|schedules?|scheduled|cron\w*|jobs?|recurring|regularly|run next|runs next)(?: .*)?`),
		// Plans.
		r("show plan {plan}", `(?:(?:something|more|anything) )?about (?:the|that|this|our|noor's)(?: tide)? plan(?: .*)?`, `(?:show|open|read|describe|explain|give|see|tell)(?: me| us)?(?: about)? (?:the|that|this|our|noor's|tide)(?: tide)? plan(?: .*)?`, `what(?:'s| is| does| are| would)?(?: in| about)? (?:the|that|this|our)(?: tide)? plan(?: .*)?`, `plan {plan}`),
		r("approve plan {plan}", `(?:approve|accept) (?:it|that|this)`, `(?:approve|accept|ok|okay|sign off|agree to|confirm) (?:the|that|this|our|noor's)(?: tide)? plan(?: .*)?`, `(?:the|that) plan (?:is|looks) (?:good|fine|ok|approved|great)`),
		r("run plan {plan}", `(?:run|carry out|execute|do|implement|start|go ahead with|apply) (?:the|that|this|our|noor's)(?: tide)? plan(?: .*)?`, `go ahead(?: with it)?`, `(?:run|execute|carry out) (?:it|that)`),
		r("show plan {plan}", `(?:.*\b)?plans? .*\b(?:wait|waits|waiting|needs?|pending|approv\w+)\b.*`, `(?:is|are|does|what|which)\b.* (?:waiting for|wait for|needs?|need) my (?:approval|ok|okay|yes)(?: .*)?`, `what (?:do|should|must) I (?:have to )?approve`),
		r("list the plans", `(?:are there|do we have|any|what|which|is there)(?: .*)? plans?(?: .*)?`),
		// What was said, who is there, and what is coming.
		r("what did {who} say about {text}?", `(?:did|has) {who} (?:ever )?(?:say|said|write|written|mention(?:ed)?|tell|told)(?: us)?(?: (?:something|anything))? about {text}`),
		r("what did {who} say lately?", `(?:did|has) {who} (?:ever )?(?:say|said|write|written) (?:something|anything)(?: \w+)?`, `(?:summari[sz]e|sum up|recap|what about) (?:what )?{who}(?:'s)? (?:said|wrote|says|writes|has (?:said|written)|messages?|posts?|talk)(?: .*)?`, `(?:has|did|does|when did|when has) {who} (?:last |ever |also |already )?(?:written|write|wrote|said|say|posted|post|talk|talked)(?: (?:something|anything|last|lately|here|today|yesterday|this week|recently|most recently))*`, `(?:what(?:'s| is| was)|show(?: me)?|read|quote) {who}'s (?:last|latest|newest) (?:message|post|words?)`, `what (?:exactly|else) did {who} (?:say|write)(?: .*)?`, `(?:any|what's the|what is the|got any|latest) (?:news|word|update|messages?) (?:from|of|by) {who}(?: .*)?`, `(?:what's|what has|what is) {who} (?:been )?(?:up to|saying|said|writing)(?: .*)?`, `(?:anything|something)(?: new)? (?:from|by) {who}(?: .*)?`, `what was the last thing {who} (?:said|wrote|posted)`),
		r("what events are there?", `what(?:'s| is) (?:on|in) (?:the|our|your) (?:calendar|agenda|schedule|program(?:me)?)(?: .*)?`, `who(?:'s| is| was)? invited(?: .*)?`),
		r("who wrote about {text}?", `(?:any|is there any|got any|what's(?: the)?(?: latest)?|what is the latest|the latest|tell me)(?: news| updates?| word)?,? (?:about|on|regarding) (?:the )?{text}`, `(?:any|is there any|got any) (?:news|updates?) (?:of|from) (?:the )?{text}`),
		r("what did I miss?", `(?:give|show|get)(?: me| us)? (?:an? |the )?(?:\w+ )?(?:overview|summary|recap|digest|rundown)(?: (?:of|over|about|for))? (?:everything|all|today|yesterday|the (?:server|club|day|last|past|week)|(?:last|this) week)\b.*`, `what (?:was|has been|got) (?:said|written|posted|discussed) (?:yesterday|today|here|this week|last week)`, `what did (?:people|they|everyone|everybody|you all|the others|we all) (?:talk|say|write|discuss|chat)(?: about)?(?: .*)?`, `(?:what|anything|catch|any|bring|fill|give|tell|show|update)(?:.*)? (?:miss(?:ed)?|new|news|going on|been going|happening|happened|up to speed|up to date|been up|talking about|arguing about|discussing|me in|me up|update|talked about|discussed)(?: .*)?`,
			`(?:what|who)(?:'s| is| are| has| have)? (?:everyone|everybody|people|they|you all|the others)(?: been)? (?:\w+ing|on)(?: about)?(?: .*)?`, `(?:summari[sz]e|sum up|recap) (?:everything|all|the (?:server|last|past|week)).*`),
		r("who is here?", `who(?:'s| is| are) (?:who|all|everyone|everybody|in|part|on|around|online)(?: .*)?`, `(?:list|show|name|introduce)(?: me| us)?(?: to)?(?: all| every)?(?: the| of the)? (?:members?|people|users?|everyone|everybody|crew|team)(?: .*)?`,
			`how (?:many|big) (?:people|members|users|are we|is (?:the|this|our) (?:club|server)|of us).*`, `who (?:do we have|belongs to|else).*`),
		r("who am I?", `(?:show|what are|list)(?: me)? my (?:permissions|roles?|rights|profile)`, `(?:what|which) (?:roles?|rights|permissions) do I have`, `what (?:am I allowed to|may I) do(?: .*)?`),
		r("who is {who}?", `does {who} have (?:any |other |more |some )*roles?`, `who(?:'s| is) {who}(?:,? and .*)?`, `(?:tell (?:me|us)|what do you know|what do we know|info|information) (?:something |more )?(?:about|on) {who}`, `(?:(?:something|more|anything) )?about {who}`, `(?:since when|how long)(?: is| has| was)? {who}(?: been)?(?: a member| here| in| with)?.*`,
			`(?:what|which) (?:roles?|rights|permissions?) (?:has|does|is|have|did) {who}(?: .*)?`, `what(?:'s| is| are) {who}'s roles?`, `show(?: me)? {who}'s (?:profile|roles?)`),
		r("make an event: {text}", `event ?[:,-] ?{text}`),
		r("what events are there?", `(?:when|where)(?:'s| is) the event .*`, `(?:when|where) (?:does|do|is|will) (?:it|that|this) (?:begin|start|end|take place|happen)(?: .*)?`, `(?:what|which|when|any|anything|are there|is there|show|list|give)(?:.*)? (?:events?|calendar|coming up|planned|meetings?|on the agenda|this weekend|next week)(?: .*)?`,
			`(?:what|anything)(?:'s| is| are)? (?:happening|on|going on|planned|coming up|upcoming|next)(?: .*)?`, `who(?:'s| is| are)? (?:coming|going|attending|interested)(?: .*)?`),
		r("what is pinned in #{channel}?", `(?:what|which|show|list|any|are there|is there|anything|read)(?:.*)? pin(?:s|ned)(?: .*)? (?:in|of|from) {the}{channel}(?: channel)?`),
		r("what is pinned?", `(?:what|which|show|list|any|are there|is there|anything|read)(?:.*)? pin(?:s|ned)(?: .*)?`),
		// To write.
		r("say {text} in {channel}", `tell (?:everyone|everybody|people|the people|all|them) in {the}{channel}(?: channel)? (?:that )?{text}`, `(?:let|tell|inform) {the}{channel}(?: channel)? (?:know )?(?:that )?{text}`, `(?:write|post|put|announce|send|say|share)(?: a| the)?(?: [\p{L}-]+)? (?:in|to|into|on) {the}#?(?P<channel>[\p{L}\p{N}_-]+)(?: channel)?(?:,| that| saying|:) ?(?:that )?"?{text}"?`),
		r("say {text} in {channel}", `(?:write|post|make|draft|send|put|publish)(?: me| us)? (?:a|an|the) (?:[\w-]+ )?(?:announcement|message|note|notice|post) (?:for|in|to|on) {the}{channel}(?: channel)?(?::| saying| that) ?{text}`),
		r("tell everybody {text}", `{text},? (?:please )?(?:let|tell) (?:everyone|everybody|them|people|all)(?: know)?`, `(?:let|inform) (?:everyone|everybody|people|all|them all|the (?:club|crew|others|team)) (?:know )?(?:that |about )?{text}`, `(?:announce|spread the word)(?: here| to everyone| to all| to everybody)?(?: that|:)? {text}`),
		r("pin {text} in {channel}", `(?:pin|put|stick) (?:a |the )?(?:note|message|notice|text) (?:in|to|into) {the}{channel}(?::|,? saying| that says):? {text}`),
		r("pin the message about {text}", `pin (?:the|our|that|this) {text}`),
		r("make an invite link", `(?:an? )?(?:server )?invit(?:e|ation)(?: link)?`, `(?:give|send|show)(?: me| us)? {the}(?:invite |invitation )?(?:link|url)(?: .*)?`),
		r("set me's nickname to {text}", `(?:set|change|make) my nick(?:name)? (?:to )?{text}`),
		r("remind {who} {text}", `(?:send|give) {who} a reminder {text}`),
		r("{when}, post {text} in #{channel}", `(?:schedule|plan) a (?:message|post) (?:for )?{when},? (?:in|to) {channel}(?::| saying| that) {text}`),
		// Memory.
		r("what do you know about me?", `(?:what|which)(?:.*)? (?:know|remember|remembered|saved|stored|learned)(?: .*)? (?:me|mine|my \w+)`, `(?:what|when|where|who)(?:'s| is| was| are)? my (?:.+)`, `what (?:do|have) you (?:know|stored?|saved?|remember)(?: of| about)? .*`, `(?:do|can) you (?:know|remember) (?:my .+|what I .+|who I am)`, `(?:who|where|when|how old) (?:am|do) I(?: .*)?`),
		r("remember that {text}", `(?P<text>(?:I|my|we|our)\b.+?)(?:, | and | - )(?:please )?(?:keep|bear|have) (?:that|this|it) in mind`, `(?P<text>(?:I|my|we|our)\b.+?)(?:, |\. | and )(?:please )?(?:remember (?:that|it|this)|don't forget (?:that|it|this)|note (?:that|it)|write (?:that|it) down)`,
			`(?:note|write down|jot down|make a note|save|store|be aware|keep a note|for the record|just so you know|fyi)(?: for you| of the fact)?(?: that|:|,)? (?P<text>(?:I|my|we|our|I'm)\b.+)`),
		r("remember that {text}", `(?P<text>(?:I'm|I am|I like|I love|I hate|I prefer|I live|I own|I work|I can't eat|I don't eat|I don't like|my (?:name|boat|birthday|favou?rite \w+|job|wife|husband|dog|cat|phone|e-?mail) is)\b.+)`),
	}
})

// reworded are the requests in the words of shapes that a text may mean, the likeliest first.
func (s situation) reworded(text string) iter.Seq[string] {
	if short := strings.TrimRight(strings.ToLower(text), "?! "); short == "anything" || short == "something" { // what is polite elsewhere is all that is asked here
		text += " for me"
	}
	return func(yield func(string) bool) {
		asks := asksOnly().MatchString(text)
		for _, r := range rewordings() {
			if asks && changes().MatchString(r.as) {
				continue // a question changes nothing
			}
			for _, p := range r.said {
				m := matched(p, text)
				if m == nil || !s.meansOurs(m, text) {
					continue
				}
				if as := s.worded(r.as, m); !strings.ContainsAny(strings.ReplaceAll(as, here, ""), "{}") && !yield(as) {
					return
				}
			}
		}
	}
}

var (
	asksOnly = lazily(`(?i)^(?:what|who|whom|whose|which|when|where|why|how|did|does|is|are|was|were|has|am)\b`)
	changes  = lazily(`^(?:make|delete|rename|move|lock|unlock|slow|turn|set|give|take|close|assign|remember|say|tell|approve|run)\b`)
)

// worded is a form with what was said.
func (s situation) worded(form string, m match) string {
	for name, value := range m {
		form = strings.ReplaceAll(form, "{"+name+"}", value)
	}
	if len(s.club.plans) > 0 {
		form = strings.ReplaceAll(form, "{plan}", strings.TrimLeft(strings.TrimPrefix(s.club.plans[0], "plan-"), "0"))
	}
	return form
}

// meansOurs reports whether bare words mean what they stand for: "the attic" may be a channel, and "the moon" is none.
func (s situation) meansOurs(m match, text string) bool {
	if c := m["channel"]; c != "" && !s.club.hasChannel(c) && !strings.Contains(text, "#"+c) {
		return false
	}
	if role := m["role"]; role != "" {
		known, ok := s.club.role(role)
		if m["role"] = known; !ok {
			return false
		}
	}
	if who := m["who"]; who != "" && !s.club.hasPerson(who) && !mayBeName(who) {
		return false
	}
	if words := m["task"]; words != "" {
		t, ok := s.club.task(words)
		if m["task"] = t.title; !ok {
			return false
		}
	}
	return true
}

// mayBeName tells a name that the prompt does not have from other words.
func mayBeName(word string) bool {
	for _, w := range strings.Fields(`the a an it this that there we i you they he she everyone everybody anyone someone people who what which my our your his her its all any
		been wrong right so too also only back them us him in on at of to for here is are was were do does did have has not no new next last first still open left going happening up coming planned scheduled
		tasks task channel channels role roles event events poll job jobs plan plans message messages time date day name best point difference`) {
		if strings.EqualFold(w, word) {
			return false
		}
	}
	if small := strings.ToLower(word); slices.Contains(smallWords(), small) || slices.Contains(askingWords(), small) {
		return false
	}
	return strings.EqualFold(word, "me") || len(word) > 1 && !strings.HasSuffix(word, "ing")
}
