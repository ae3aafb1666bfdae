package standin

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

const roleName = `"?@?(?P<role>[\p{L}\p{N}_-]+(?: [\p{L}\p{N}_-]+){0,2}?)"?`

// roleShapes are requests about roles.
func roleShapes() []shape {
	return []shape{
		{
			asked: wordings(`(?:make|colou?r|paint|turn|change|set) (?:the )?(?:colou?r of )?(?:the )?role `+roleName+`(?:'s colou?r)?(?: to| in| be)? (?P<color>`+colorWords+`)`,
				`(?:make|colou?r|paint|turn) (?:the )?`+roleName+`(?: role)? (?P<color>`+colorWords+`)`),
			fits: func(s situation, m match) bool { return s.hasRole(m["role"]) },
			begin: func(_ situation, m match) string {
				return act("roleEdit", "role", m["role"], "color", colors()[strings.ToLower(m["color"])])
			},
		},
		{
			asked: wordings(`{make} {a}(?P<color>`+colorWords+` )?role(?: called:?| named:?|:| for)? `+roleName+`(?:,? ?(?:in|with|and make `+
				`it)?(?: (?:the |a )?colou?r(?:ed)?)? (?P<color2>`+colorWords+`))?`,
				`{make} {a}`+roleName+` role`),
			fits: func(_ situation, m match) bool {
				return !strings.HasPrefix(strings.ToLower(m["role"])+" ", "to ") && nameLike(m["role"]) && colors()[strings.ToLower(m["role"])] == ""
			},
			begin: func(_ situation, m match) string {
				return act("roleCreate", "name", articles().ReplaceAllString(m["role"], ""), "color", colors()[strings.ToLower(cmp.Or(m["color"], m["color2"]))])
			},
		},
		{
			asked: wordings(`(?:give|assign|add) (?:the )?role `+roleName+` to {who}{more}`, `(?:give|assign|add) (?:the )?`+roleName+` role to {who}{more}`,
				`{who}{more} (?:should|can|must|may|will|shall|needs to|need to) (?:have|get|be in) (?:the )?role `+roleName, `give {who}{more} (?:the |a )?role (?:called |named )?`+roleName, `give {who}{more} (?:the |a )?`+roleName+` role`,
				`(?:make|add) {who} (?:to )?(?:a |an |the )?(?:role )`+roleName, `(?:add|assign) {who} to (?:the )?role `+roleName,
				`(?:add|assign) {who} to (?:the )?`+roleName+` role`),
			begin: func(s situation, m match) string {
				if all := strings.ToLower(m["who"]); all == "everyone" || all == "everybody" || all == "all" {
					return "I give roles to one or two people at a time: say to whom first."
				}
				if s.club.roles == nil && !s.hasRole(m["role"]) {
					return act("roleInfo")
				}
				return s.giveRole(m, s.hasRole(m["role"]))
			},
			goOn: func(s situation, m match) string {
				if s.club.roles != nil || s.hasRole(m["role"]) {
					return nothingToAdd
				}
				return s.giveRole(m, named(s.results, m["role"]))
			},
		},
		{
			asked: wordings(`(?:rename|call) (?:the )?role ` + roleName + ` (?:to|into|as)? ?"?(?P<name>[^"]+?)"?`),
			begin: func(_ situation, m match) string { return act("roleEdit", "role", m["role"], "name", m["name"]) },
		},
		{
			asked: wordings(`(?:take|remove) (?:away )?(?:the )?role `+roleName+` (?:from|away from|off) {who}`,
				`(?:take|remove) (?:away )?(?:the )?`+roleName+` role (?:from|away from|off) {who}`,
				`(?:take|remove) (?:away )?{who}'s (?:role )?`+roleName+`(?: role)?`,
				`{who} (?:should no longer|must not|should not) (?:have|be in) (?:the )?(?:role )?`+roleName+`(?: role)?`),
			begin: func(s situation, m match) string {
				return act("roleRemove", "userId", s.mine(m["who"]), "role", m["role"])
			},
		},
		{
			asked: wordings(`{delete} (?:the )?role `+roleName, `{delete} (?:the )?`+roleName+` role`),
			begin: func(_ situation, m match) string { return act("roleDelete", "role", m["role"]) },
		},
		{
			asked: wordings(`who (?:has|have|is in|are in|got) (?:the )?role `+roleName,
				`who (?:has|have|is in|are in|got) (?:the )?`+roleName+` role`,
				`(?:list|show)(?: me)? (?:everyone|everybody|members|people) (?:with|in) (?:the )?role `+roleName),
			begin: func(_ situation, m match) string { return act("memberList", "role", m["role"]) },
			goOn: func(s situation, m match) string {
				who := membersIn(s.results)
				if len(who) == 0 {
					return "Nobody has the role " + m["role"] + "."
				}
				return chat.And(who) + plural(len(who), " has", " have") + " the role " + m["role"] + "."
			},
		},
		{
			asked: wordings(`{show} roles?\b.*\b(?:who|whom|whose|members|people|everyone|everybody)\b.*`),
			begin: func(situation, match) string { return act("memberList") },
			goOn: func(s situation, _ match) string {
				var items []string
				for _, line := range s.results {
					if m := memberLine().FindStringSubmatch(line); m != nil && !strings.HasSuffix(m[2], "; bot") && m[2] != " no roles" {
						items = append(items, m[1]+":"+m[2])
					}
				}
				return listed("The roles are "+chat.And(s.club.roles)+". Who has them:", items)
			},
		},
		{
			asked: wordings(`{show} roles?\b.*`),
			fits:  func(_ situation, m match) bool { return !strings.Contains(m[""], " does ") },
			begin: func(situation, match) string { return act("roleInfo") },
			goOn: func(s situation, _ match) string {
				var names []string
				for _, line := range s.results {
					if m := roleLine().FindStringSubmatch(line); m != nil {
						names = append(names, m[1])
					}
				}
				if len(names) == 0 {
					return "There are no roles yet."
				}
				return "The roles are: " + strings.Join(names, ", ") + "."
			},
		},
	}
}

// hasRole reports whether there is a role, also one that was made a moment ago.
func (s situation) hasRole(name string) bool {
	_, known := s.club.role(name)
	return known || slices.Contains(s.topics(), topic{name: "the role " + name})
}

// giveRole gives a role to one or two people, and makes it first if there is none.
func (s situation) giveRole(m match, known bool) string {
	text := ""
	if !known {
		text = act("roleCreate", "name", m["role"])
	}
	for _, who := range []string{m["who"], m["who2"]} {
		if who != "" {
			text += act("roleAdd", "userId", s.mine(who), "role", m["role"])
		}
	}
	return text
}

const colorWords = `(?:red|orange|yellow|green|blue|purple|violet|pink|grey|gray|black|white|gold|teal|turquoise|cyan|brown|navy|lime|silver|magenta)`

var colors = onDemand(func() map[string]string {
	return map[string]string{"red": "#e74c3c", "orange": "#e67e22", "yellow": "#f1c40f", "gold": "#f1c40f", "green": "#2ecc71",
		"blue":   "#3498db",
		"purple": "#9b59b6", "pink": "#e91e63", "grey": "#95a5a6", "gray": "#95a5a6", "black": "#23272a", "white": "#ffffff",
		"teal": "#1abc9c", "turquoise": "#1abc9c", "cyan": "#00bcd4", "brown": "#795548", "navy": "#34495e", "lime": "#8bc34a", "silver": "#bdc3c7",
		"magenta": "#e91e63", "violet": "#9b59b6"}
})

// memberShapes are questions about people, and what is done to them.
func memberShapes() []shape {
	return []shape{
		{
			asked: wordings(`who(?:'s| is| are|'re)(?: all)?(?: the)?(?: (?:members?|people))?(?: of)? ?(?:here|there|around|online|on (?:this`+
				`|the|our) server|in (?:this|the|our) server|in here|else is here)`,
				`(?:list|show)(?: me)?(?: all)?(?: the)? (?:members?|people|users?)`,
				`how many (?:members?|people|users?|of us)(?: are| do)?(?: there| here| we| we have| have)*(?: on this server| here)?`,
				`who (?:else )?is (?:a member|on the team|part of this)`, `who are (?:we|the members|the people here)`,
				`who(?:'s| is) in this channel`),
			begin: func(situation, match) string { return act("memberList") },
			goOn: func(s situation, _ match) string {
				who := membersIn(s.results)
				return fmt.Sprintf("%s: %s.", chat.Counted(len(who), "member", "members"), chat.Clip(strings.Join(who, ", "), 600))
			},
		},
		{
			asked: wordings(`who am I`, `what do I look like to you`),
			begin: func(situation, match) string { return act("memberInfo") },
			goOn:  tellMember,
		},
		{
			fits: func(s situation, m match) bool {
				return s.club.hasPerson(m["who"]) || !strings.HasSuffix(m["who"], "ing") && !strings.HasSuffix(m["who"], "ed")
			},
			asked: wordings(`who(?:'s| is) {who}`, `tell me about (?P<who><@!?\d+>|@[\p{L}\p{N}._-]+)`, `(?:what|which) roles? does {who} have`,
				`when did {who} join`),
			begin: func(_ situation, m match) string {
				return act("memberInfo", "userId", person(m["who"])) + act("searchMessages", "userId", person(m["who"]))
			},
			goOn: tellMember,
		},
		{
			asked: wordings(`(?:set|change) {who}'s nickname to "?(?P<name>[^"]+?)"?`,
				`(?:set|change) the nickname of {who} to "?(?P<name>[^"]+?)"?`, `call {who} "?(?P<name>[\p{L}\p{N} _-]+?)"?(?: from now on)?`,
				`nickname {who} "?(?P<name>[^"]+?)"?`),
			begin: func(s situation, m match) string {
				return act("memberNickname", "userId", s.mine(m["who"]), "nickname", m["name"])
			},
		},
		{
			asked: wordings(`ban {who}(?: .*)?`),
			begin: func(_ situation, m match) string { return act("ban", "userId", person(m["who"])) },
		},
		{
			asked: wordings(`kick {who}(?: .*)?`, `throw {who} out`),
			begin: func(_ situation, m match) string { return act("kick", "userId", person(m["who"])) },
		},
		{
			asked: wordings(`(?:time ?out|mute|silence|gag) {who}(?:,? for (?P<count>`+countWords+`) (?P<unit>`+unitWords+`))?(?:,? .*)?`,
				`put {who} in(?:to)? (?:a )?time ?out(?: for (?P<count>`+countWords+`) (?P<unit>`+unitWords+`))?`),
			fits: func(s situation, m match) bool {
				return s.club.hasPerson(m["who"]) || !s.club.hasChannel(m["who"]) && mayBeName(m["who"])
			},
			begin: func(_ situation, m match) string {
				minutes := 10.0
				if m["count"] != "" {
					minutes = count(strings.ToLower(m["count"])) * unit(strings.ToLower(m["unit"])).Minutes()
				}
				return act("timeout", "userId", person(m["who"]), "durationMinutes", max(int(minutes), 1))
			},
		},
		{
			asked: wordings(`(?:make|create|give me|I need|get me|send me)(?: me)? (?:an? )?(?:new )?invit(?:e|ation)(?: link)?(?: (?:to|for) `+
				`{#channel})?`, `(?:make|create|give|get|send|I need|I want).*\binvit(?:e|ation)(?: link)?\b.*`,
				`(?:how (?:can|do) I )?invite (?:somebody|someone|a friend|my \w+|people|friends)(?: .*)?`),
			begin: func(_ situation, m match) string { return act("inviteCreate", "channel", m["channel"]) },
		},
	}
}

var (
	roleLine   = lazily(`^(.*?) \(id:\d+, \d+ members?\)`)
	memberLine = lazily(`^(.*?) \(@[^,]*, id:\d+\):(.*)$`)
)

// named reports whether one of the roles in results has a name.
func named(results []string, role string) bool {
	for _, line := range results {
		if m := roleLine().FindStringSubmatch(line); m != nil && strings.EqualFold(m[1], role) {
			return true
		}
	}
	return false
}

// membersIn are the people in results, without bots.
func membersIn(results []string) (names []string) {
	for _, line := range results {
		if m := memberLine().FindStringSubmatch(line); m != nil && !strings.HasSuffix(m[2], "; bot") {
			names = append(names, m[1])
		}
	}
	return names
}

func tellMember(s situation, _ match) string {
	about := facts(s.results)
	name := cmp.Or(about["Display"], about["Username"])
	if name == "" {
		return "I couldn't find out anything about them."
	}
	text := name
	if about["Username"] != "" && !strings.EqualFold(about["Username"], name) {
		text += " (@" + about["Username"] + ")"
	}
	if strings.EqualFold(name, s.who) {
		text = "you"
	}
	if joined, _, ok := strings.Cut(about["Joined"], " "); ok && text == "you" {
		return fmt.Sprintf("You have been here since %s%s. Your roles: %s.", joined, map[bool]string{true: " and may do everything on this server"}[s.mayAll], strings.Trim(cmp.Or(about["Roles"], "none"), "()"))
	} else if ok {
		text += " has been here since " + joined
	} else {
		text += " is a member here"
	}
	roles := "no roles"
	if about["Roles"] != "" && about["Roles"] != "(none)" {
		roles = "these roles: " + about["Roles"]
	}
	said := s.others()
	if len(said) == 0 {
		return text + " and has " + roles + "."
	}
	return text + " and has " + roles + ". Lately they wrote: " + quoted(said[0].text)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
