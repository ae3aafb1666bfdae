// Package runtimes opens the runtimes that the settings describe, and makes one of them: with their retries, budgets, timeouts, limits and
// tools. It also knows what is wrong or odd about the settings of models.
package runtimes

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/llm"
	cli "discoclaw/internal/llm/command"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/llm/tools"
	"discoclaw/internal/mcp/servers"
	"discoclaw/internal/spend"
)

// Options are what a [Set] is made of.
type Options struct {
	Config     config.Config
	Given      llm.Runtime // takes the place of all runtimes of the settings; nil means these
	GivenTools bool        // it gets the tools that models at an API have
	HTTP       *http.Client
	Meter      *spend.Meter     // nil only if nothing is asked
	Tools      tools.Options    // of models at an API; programs work in their root
	Servers    *servers.Servers // whose tools models at an API have besides
	Log        *slog.Logger
}

// A Set is all runtimes as one.
type Set struct {
	Options
	llm.Runtime
	Models  *roles.Assignments
	Primary string // the runtime that is asked where none is named

	programs []*cli.Runtime // that write answers
}

// New opens the runtimes. They connect to nothing before they are asked.
func New(o Options) *Set {
	o.Tools.More = o.Servers.Tools
	s := &Set{Options: o, Primary: primary(o.Config)}
	s.Models = roles.New(roles.Options{Models: roleModels(o.Config.Models), Runtimes: names(), Resolve: s.resolve, Check: s.check})
	if o.Given != nil {
		s.Runtime = o.Meter.Priced(o.Given, "", "")
		if o.GivenTools {
			s.Runtime = tools.Looped(s.Runtime, o.Tools)
		}
		return s
	}
	all := map[string]llm.Runtime{}
	for _, k := range kinds {
		if k.usable(o.Config) {
			all[k.name] = s.guarded(k)
		}
	}
	var others []llm.Choice
	for _, name := range o.Config.Runtimes.Fallback {
		others = append(others, s.choiceOf(name))
	}
	s.Runtime = llm.Fallback(llm.Routed(s.Primary, all), others, o.Log)
	return s
}

// guarded opens a runtime and wraps it: with retries, attempts without files and without tools, the budgets, timeouts and a limit of
// answers at a time.
func (s *Set) guarded(k kind) llm.Runtime {
	cfg, model := s.Config, s.resolve(llm.Choice{Runtime: k.name, Model: "capable"})
	r := s.open(k, model)
	if p, ok := r.(*cli.Runtime); ok {
		s.programs = append(s.programs, p)
	}
	if k.reads == nil || !k.reads(cfg) {
		r = llm.DocumentsLeftOut(r)
	}
	r = llm.ToolsOptional(llm.FilesOptional(llm.Retrying(r, s.Log), s.Log), s.Log)
	n := cfg.Runtimes.Calls
	if k.program == nil {
		r = tools.Looped(s.Meter.Priced(r, k.name, model), s.Tools) // each call of a loop is priced by itself
	} else {
		r, n = s.Meter.PricedAlone(r, k.name, model), max(1, n/4)
	}
	if !s.takesFunctions(k) {
		r = llm.ToolsLeftOut(r)
	}
	stall := time.Duration(cfg.Chat.StallTimeout) * time.Millisecond
	if stall == 0 {
		stall = -1 // never
	}
	return llm.Limited(llm.Watched(r, llm.WatchOptions{Limit: time.Duration(cfg.Chat.Timeout) * time.Millisecond, Stall: stall}), n)
}

// takesFunctions reports whether the models of a runtime are given the actions as functions. Programs have functions of
// their own. Other servers with OpenAI's API often claim to take functions, and then lose them.
func (s *Set) takesFunctions(k kind) bool {
	switch s.Config.Actions.Native {
	case "on":
		return k.program == nil
	case "auto":
		return k.program == nil && (k.name != "openai" || s.Config.OpenAI.BaseURL == "")
	}
	return false
}

func (s *Set) open(k kind, model string) llm.Runtime {
	return k.open(openOptions{Access: k.access(s.Config), kind: k, cfg: s.Config, dir: s.Tools.Root, model: model, client: s.HTTP, log: s.Log})
}

// Bare opens a usable runtime without anything around it, not even the budgets, for a test of the connection. The caller must call end.
func (s *Set) Bare(runtime string) (r llm.Runtime, end func(context.Context)) {
	k, _ := kindOf(runtime)
	r = s.open(k, "")
	if p, ok := r.(*cli.Runtime); ok {
		return r, func(ctx context.Context) { _ = p.Close(ctx) }
	}
	return r, func(context.Context) {}
}

// Close ends the programs that are writing answers, and those whose tools models use, so that none goes on, and is paid
// for, without the bot.
func (s *Set) Close(ctx context.Context) {
	var wg sync.WaitGroup
	for _, p := range s.programs {
		wg.Go(func() { _ = p.Close(ctx) }) // those that do not end in time are killed
	}
	wg.Go(func() { _ = s.Servers.Close(ctx) }) // the same
	wg.Wait()
}

func roleModels(m config.Models) map[roles.Role]string {
	return map[roles.Role]string{
		roles.Chat:         string(m.Chat),
		roles.Fast:         string(m.Fast),
		roles.ForgeDrafter: string(m.ForgeDrafter),
		roles.ForgeAuditor: string(m.ForgeAuditor),
		roles.Summary:      string(m.Summary),
		roles.Consent:      string(m.Consent),
		roles.Cron:         string(m.Cron),
		roles.CronExec:     string(m.CronExec),
		roles.Voice:        string(m.Voice),
		roles.PlanRun:      string(m.PlanRun),
	}
}

// Consult asks the model of a role a question of the bot's own, which belongs to no turn.
func (s *Set) Consult(ctx context.Context, role roles.Role, system, text string) (string, error) {
	return s.Ask(ctx, role, text, llm.Request{System: system})
}

// Asks returns Consult for a role.
func (s *Set) Asks(role roles.Role) func(ctx context.Context, system, text string) (string, error) {
	return func(ctx context.Context, system, text string) (string, error) {
		return s.Consult(ctx, role, system, text)
	}
}

// ConsultFast asks the fast model for the requester of a turn, who pays for it. Errors are sentences for people.
func (s *Set) ConsultFast(ctx context.Context, o actions.Origin, system, text string) (string, error) {
	payer := llm.Payer{User: string(o.Requester), Channel: string(o.Place.Channel), Job: o.Job, Turn: string(o.Turn)}
	answer, err := s.Ask(ctx, roles.Fast, text, llm.Request{System: system, Payer: payer})
	failed, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return answer, err
	}
	s.Log.WarnContext(ctx, "the fast model did not answer", "turn", o.Turn, "err", failed.Details())
	err = errors.New(failed.ForMembers())
	if failed.Remedy != "" {
		err = chat.WithRemedy(err, failed.Remedy)
	}
	return "", err
}

// IsProgram reports whether a program answers for a choice, which takes longer to begin than an API.
func (s *Set) IsProgram(c llm.Choice) bool {
	k, known := kindOf(cmp.Or(c.Runtime, s.Primary))
	return known && k.program != nil
}

// Ask asks the model of a role a single question. The request has what else belongs to it.
func (s *Set) Ask(ctx context.Context, role roles.Role, text string, req llm.Request) (string, error) {
	model := s.Models.Resolved(role)
	req.Messages, req.Runtime, req.Model, req.Payer.Role = []llm.Message{{Role: llm.User, Text: text}}, model.Runtime,
		model.Model, string(role)
	var answer strings.Builder
	for event, err := range s.Invoke(ctx, req) {
		if err != nil {
			return "", err
		}
		if delta, ok := event.(llm.TextDelta); ok {
			answer.WriteString(delta.Text)
		}
	}
	return answer.String(), nil
}
