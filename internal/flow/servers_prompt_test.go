package flow_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

// prompts records the requests to a model.
type prompts struct {
	mu  sync.Mutex
	all []llm.Request
}

func (p *prompts) runtime() llm.Runtime {
	return script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.all = append(p.all, req)
		return script.Say("Noted.").Stream(ctx)
	})
}

// TestPromptsRevealNothingOfOtherServers: neither messages, nor members, nor channels.
func TestPromptsRevealNothingOfOtherServers(t *testing.T) {
	var heard prompts
	onTwoServers(t, heard.runtime(), func(p pair) {
		p.say("eve", "lair/general", "the lair's own words")
		p.say("bob", "disco/general", "disco's own words")
		p.say("ada", "disco/general", "what did we talk about in #general?")
		p.say("ada", "lair/general", "and what did we talk about here?")
		p.restart()
		p.say("ada", "disco/general", "do you still know?")
		p.say("ada", "lair/general", "and still?")
		heard.mu.Lock()
		defer heard.mu.Unlock()
		if len(heard.all) != 5 {
			t.Fatalf("the model was asked %d times", len(heard.all))
		}
		for i, req := range heard.all {
			text := fmt.Sprint(req)
			disco := strings.Contains(text, "disco's own words") || strings.Contains(text, "#ops") || strings.Contains(text, "bob")
			lair := strings.Contains(text, "lair's own words") || strings.Contains(text, "#traps") || strings.Contains(text, "eve:")
			if disco && lair {
				t.Errorf("prompt %d tells of both servers:\n%s", i+1, text)
			}
			if !disco && !lair {
				t.Errorf("prompt %d tells of nothing:\n%s", i+1, text)
			}
		}
	}, "DISCOCLAW_HISTORY_OUTSIDERS=1")
}

// TestWhyRevealsNothingOnOtherServers, whoever uses the command: people there may not learn what is said here.
func TestWhyRevealsNothingOnOtherServers(t *testing.T) {
	onTwoServers(t, apptest.Talkative(), func(p pair) {
		of := p.say("ada", "ops", "a word among us").id
		link := chat.Place{Guild: p.GuildID(), Channel: p.ChannelID("ops"), Message: of}.Link()
		lair, _ := p.Channel("traps")
		forged := chat.Place{Guild: lair.Guild, Channel: p.ChannelID("ops"), Message: of}.Link()
		for _, asks := range []struct{ who, where, link string }{
			{"eve", "traps", link}, {"eve", "traps", forged}, {"ada", "lair/general", link}, {"eve", "@bot", link},
		} {
			where := asks.where
			asked := p.say(asks.who, where, "!why "+asks.link)
			if where == "@bot" {
				where = "@" + asks.who
			}
			all := p.Messages(where)
			answer := all[len(all)-1]
			if answer.ID == asked.id || !strings.Contains(answer.Content, "I know nothing about that message") {
				t.Errorf("%s in %s: %q", asks.who, asks.where, answer.Content)
			}
		}
	})
}
