package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/invite"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
)

// tryTime is how long a model may take for its first word.
const tryTime = time.Minute

// tryModels asks the model of each role for a word. A model that several roles have is asked once, and so is a vendor that cannot be
// reached.
func (d *Doctor) tryModels(ctx context.Context) (list []Finding, answered map[llm.Choice]bool) {
	answered = map[llm.Choice]bool{}
	names := map[llm.Choice][]string{}
	var choices []llm.Choice
	for _, a := range d.Models.All() {
		choice := d.modelOf(a)
		if len(names[choice]) == 0 {
			choices = append(choices, choice)
		}
		names[choice] = append(names[choice], string(a.Role))
	}
	silent := map[string]bool{} // the runtimes that cannot be reached
	for _, choice := range choices {
		if silent[choice.Runtime] {
			continue
		}
		f, err := d.tryModel(ctx, choice)
		f.What, f.State = "model", fmt.Sprintf("for %s: %s", strings.Join(names[choice], ", "), f.State)
		if e, ok := errors.AsType[*llm.Error](err); ok && e.Kind == llm.Unavailable && e.Status == 0 {
			silent[choice.Runtime] = true
		}
		answered[choice] = !f.Wrong && !f.Note
		list = append(list, f)
	}
	return list, answered
}

// modelOf is the model of a role, with its runtime.
func (d *Doctor) modelOf(a roles.Assignment) llm.Choice {
	choice := a.Resolved
	choice.Runtime = cmp.Or(choice.Runtime, d.Primary)
	return choice
}

// tryModel asks one model, without the budgets: their records are the running bot's. A model that is not set up is not asked, and is no
// further mistake, since Doctor reports it.
func (d *Doctor) tryModel(ctx context.Context, choice llm.Choice) (Finding, error) {
	model := d.Runtimes.Describe(choice)
	if !d.Runtimes.Usable(choice.Runtime) {
		return Finding{State: fmt.Sprintf("%s was not asked: %s is not set up", model, choice.Runtime), Note: true}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	r, end := d.Runtimes.Bare(choice.Runtime)
	defer end(ctx)
	began := time.Now()
	req := llm.Request{System: "This is a test of the connection.", Messages: []llm.Message{{Role: llm.User, Text: "Answer with the word yes."}}, Runtime: choice.Runtime, Model: choice.Model}
	for event, err := range r.Invoke(ctx, req) {
		if err != nil {
			return modelTrouble(model, err), err
		}
		switch event.(type) {
		case llm.TextDelta, llm.Thinking: // leaving the loop ends the request, so that no more is paid for
			return Finding{State: fmt.Sprintf("%s answered after %s", model, time.Since(began).Round(100*time.Millisecond))}, nil
		}
	}
	return Finding{State: model + " gave an empty answer; try again, or choose another model in RUNTIME_MODEL", Wrong: true}, nil
}

// modelTrouble says why a model did not answer.
func modelTrouble(model string, err error) Finding {
	f := Finding{State: fmt.Sprintf("%s: %s", model, err), Wrong: true}
	if e, ok := errors.AsType[*llm.Error](err); ok {
		f.Fault = slices.Contains([]llm.Kind{llm.RateLimited, llm.Timeout, llm.Stalled, llm.Unavailable, llm.Broken}, e.Kind)
	}
	return f
}

// CheckOnline checks what only Discord and the vendors of models know. It logs in nowhere and changes nothing. Each model that a
// role uses writes a word, which costs money. Where a model decides what people have asked for, it also answers a dozen short questions.
func (d *Doctor) CheckOnline(ctx context.Context) []Finding {
	models, answered := d.tryModels(ctx)
	return slices.Concat(d.askDiscord(ctx), models, d.tryReader(ctx, answered))
}

// discordTime is how long Discord may take for all requests of the check-up.
const discordTime = 30 * time.Second

// askDiscord checks the token, the intents, the servers and the permissions there. What cannot be known after a failure is left out.
func (d *Doctor) askDiscord(ctx context.Context) []Finding {
	if d.Config.Discord.Token.Reveal() == "" {
		return []Finding{{What: "discord", State: "Discord was not asked: there is no token", Note: true}}
	}
	ctx, cancel := context.WithTimeout(ctx, discordTime)
	defer cancel()
	app, err := d.Discord.Application(ctx)
	if err != nil {
		f := discordTrouble(ctx, err)
		if refused, ok := errors.AsType[*discord.Error](err); ok && refused.TokenRefused() {
			f.What = "token"
		}
		return []Finding{f}
	}
	list := append([]Finding{{What: "token", State: "Discord accepts it; the bot is called " + app.Bot.Name}}, intentFindings(app)...)
	servers, err := d.Discord.Memberships(ctx)
	switch {
	case err != nil:
		f := discordTrouble(ctx, err)
		f.What = "servers"
		return append(list, f)
	case len(servers) == 0:
		return append(list, Finding{What: "servers", State: "the bot is on no server; open this link to invite it: " + d.inviteLink(app.ID), Wrong: true})
	}
	return append(append(list, d.membership(servers)), d.permissionFindings(servers)...)
}

// discordTrouble says why Discord did not answer.
func discordTrouble(ctx context.Context, err error) Finding {
	e, ok := errors.AsType[*discord.Error](err)
	f := Finding{What: "discord", State: err.Error(), Wrong: true, Fault: !ok || !e.Permanent() && !e.TokenRefused()}
	if ctx.Err() != nil || ok && e.Status == 0 {
		f.State = "this machine does not reach Discord; check its network, or look at https://discordstatus.com"
	}
	return f
}

func intentFindings(app discord.Application) []Finding {
	if app.Content && app.Members {
		return []Finding{{What: "intents", State: "the Message Content Intent and the Server Members Intent are on"}}
	}
	content := Finding{What: "intents", State: "the Message Content Intent is on"}
	if !app.Content {
		content.State, content.Wrong = "the Message Content Intent is off, so Discord does not let the bot log in; turn it on in Discord's developer portal (Bot → Privileged Gateway Intents)", true
	}
	if app.Members {
		return []Finding{content}
	}
	return []Finding{content, {What: "intents", State: "the Server Members Intent is off; only lists of members need it"}}
}

// membership lists the servers, and compares them with the settings.
func (d *Doctor) membership(servers []discord.Membership) Finding {
	var names []string
	for _, s := range servers {
		names = append(names, serverText(s.Name, s.Server))
	}
	slices.Sort(names)
	only := chat.GuildID(d.Config.Discord.Guild)
	if only != "" && !slices.ContainsFunc(servers, func(s discord.Membership) bool { return s.Server == only }) {
		return Finding{What: "servers", State: wrongServer(only, names), Wrong: true}
	}
	return Finding{What: "servers", State: "the bot is on " + strings.Join(names, ", ")}
}

// wrongServer is what operators read of a DISCORD_GUILD_ID that is none of the bot's servers, which are named.
func wrongServer(only chat.GuildID, names []string) string {
	return fmt.Sprintf("DISCORD_GUILD_ID is %s, but the bot is on %s; set it to one of these IDs, or delete it", only, strings.Join(names, ", "))
}

// permissionFindings says what the bot lacks, on each server on which it answers, for what is switched on.
func (d *Doctor) permissionFindings(servers []discord.Membership) []Finding {
	var list []Finding
	checked := 0
	for _, s := range servers {
		if only := chat.GuildID(d.Config.Discord.Guild); only != "" && s.Server != only {
			continue
		}
		checked++
		if lacks, actions := d.lacking(s); len(lacks) > 0 {
			them := "them"
			if len(lacks) == 1 {
				them = "it"
			}
			state := fmt.Sprintf("on %s, the bot lacks %s; grant %s to the bot's role under Server Settings → Roles", serverText(s.Name, s.Server), strings.Join(lacks, ", "), them)
			if actions {
				state += ", or turn the actions off"
			}
			list = append(list, Finding{What: "permissions", State: state, Wrong: true})
		}
	}
	if checked > 0 && len(list) == 0 {
		return []Finding{{What: "permissions", State: "the bot has all it needs for what is switched on"}}
	}
	return list
}

// lacking lists the permissions that the bot lacks on a server, each with what it is for. Actions reports whether all of them are for
// actions, which it can do without.
func (d *Doctor) lacking(s discord.Membership) (lacks []string, actions bool) {
	needs := d.permissionUses()
	var all []chat.Permission
	for p := range needs {
		all = append(all, p)
	}
	actions = true
	for _, p := range s.Lacks(all) {
		uses := needs[p]
		actions = actions && !slices.Contains(uses, replies)
		lacks = append(lacks, fmt.Sprintf("%s (%s)", p, strings.Join(uses, ", ")))
	}
	return lacks, actions
}

// replies stands for what the bot needs whatever its actions need.
const replies = "replies"

// permissionUses returns what each permission is for: replies, or the categories that are on.
func (d *Doctor) permissionUses() map[chat.Permission][]string {
	uses := map[chat.Permission][]string{}
	add := func(p chat.Permission, use string) {
		named, _ := discord.Grant([]chat.Permission{p}) // as Discord shows it
		for _, p := range named {
			if !slices.Contains(uses[p], use) {
				uses[p] = append(uses[p], use)
			}
		}
	}
	for _, p := range invite.ToTalk {
		add(p, replies)
	}
	for _, cat := range d.Registry.Categories() {
		if !d.Flags[cat.Name()].On {
			continue
		}
		for _, a := range cat.Actions() {
			for _, p := range invite.Needs(a) {
				add(p, cat.Name())
			}
		}
	}
	return uses
}

// inviteLink returns the link that invites the bot with what it needs for what is switched on.
func (d *Doctor) inviteLink(application string) string {
	return invite.For(application, d.Registry, d.Flags).Link
}
