package app

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

// prompts are what a model was told.
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

// TestNoPromptTellsOfAnotherServer: neither what is said there, nor by whom, nor where.
func TestNoPromptTellsOfAnotherServer(t *testing.T) {
	var heard prompts
	onTwoServers(t, heard.runtime(), func(p *pair) {
		p.says("eve", "lair/general", "the lair's own words")
		p.says("bob", "disco/general", "disco's own words")
		p.says("ada", "disco/general", "what did we talk about in #general?")
		p.says("ada", "lair/general", "and what did we talk about here?")
		p.off()
		p.on()
		p.says("ada", "disco/general", "do you still know?")
		p.says("ada", "lair/general", "and still?")
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
	})
}

// TestWhyIsNotToldOnAnotherServer: who asks there may not know what is said here.
func TestWhyIsNotToldOnAnotherServer(t *testing.T) {
	onTwoServers(t, apptest.Talkative(), func(p *pair) {
		said, ops := p.says("ada", "ops", "a word among us")
		link := chat.Place{Guild: p.GuildID(), Channel: p.ChannelID(ops), Message: said}.Link()
		lair, _ := p.Channel("traps")
		forged := chat.Place{Guild: lair.Guild, Channel: p.ChannelID(ops), Message: said}.Link()
		for _, asks := range []struct{ who, where, link string }{
			{"eve", "traps", link}, {"eve", "traps", forged}, {"ada", "lair/general", link}, {"eve", "@bot", link},
		} {
			at, where := p.says(asks.who, asks.where, "!why "+asks.link)
			if where == "@bot" {
				where = "@" + asks.who
			}
			all := p.Messages(where)
			answer := all[len(all)-1]
			if answer.ID == at || !strings.Contains(answer.Content, "I know nothing about that message") {
				t.Errorf("%s in %s: %q", asks.who, asks.where, answer.Content)
			}
		}
	})
}
