package app

import (
	"context"
	"net/http"
	"time"

	memoryact "discoclaw/internal/actions/memory"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/memory"
	"discoclaw/internal/memory/recall"
	"discoclaw/internal/turn/gather"
)

// newMemory returns the engine of what is remembered about people.
func newMemory(c *Core) *memory.Engine {
	m := c.Config.Memory
	return memory.New(c.db, memory.Options{
		Budget: m.Budget, MaxActive: m.Active, MaxItems: m.Items,
		Talks: memory.Talks{On: m.Summary, Facts: m.Facts && m.On, Every: m.SummaryTurns, Budget: m.SummaryChars,
			Archive: time.Duration(m.ArchiveDays) * 24 * time.Hour},
		Short: memory.Short{On: m.Short, MaxAge: time.Duration(m.ShortAge * float64(time.Hour)), Lines: m.ShortLines, Budget: m.ShortChars},
		Log:   c.log,
	})
}

func newMemoryFace(c *Core) *memoryact.Category {
	return memoryact.New(memoryact.Options{
		Engine: c.memory, Talk: c.recall, Server: c.discord, DB: c.db, Jobs: c.crons, Durable: c.Config.Memory.On,
		CommandsOn: c.Config.Memory.Commands,
		Notes:      c.workspace.Notes, Operates: c.operates, Zone: c.zones.Of, Log: c.log, Ask: c.runtimes.ConsultFast,
		AskForSummary: c.runtimes.Asks(roles.Summary),
		ReadsTasks: func(ctx context.Context, g chat.GuildID, who chat.UserID) bool {
			return c.Config.Tasks.Enabled && c.taskFace.Reads(ctx, g, who)
		},
	})
}

// knowledge returns the informers of prompts, in the order of their sections.
func (c *Core) knowledge() (list []gather.Informer) {
	for _, cat := range c.registry.Categories() {
		if of, ok := cat.(gather.Informer); ok && c.flags[cat.Name()].On {
			list = append(list, of)
		}
	}
	return append(append(list, c.cards.Waiting(c.flags["utility"].On)), c.memoryFace.Informers()...)
}

// newRecall returns the recall of old talk, or nil if it is switched off.
func newRecall(c *Core, client *http.Client) *recall.Engine {
	r, ai := c.Config.Recall, c.Config.OpenAI
	if !r.Enabled {
		return nil
	}
	outsider := func(m chat.Message) bool { return c.policy().Outsider(m, c.discord.Self().ID) }
	o := recall.Options{DB: c.db, Server: c.discord, Outsider: outsider, All: r.All, Log: c.log, Embedder: recall.Settings{
		Provider: string(r.Provider), URL: string(r.BaseURL), Key: r.Key.Reveal(), Model: string(r.Model), Dimensions: r.Dimensions,
		OpenAIURL: string(ai.BaseURL), OpenAIKey: ai.Key.Reveal(), HTTP: client,
	}.Embedder()}
	if r.Channels.Set() {
		o.Channels = append([]chat.ChannelID{}, ids[chat.ChannelID](r.Channels)...)
	}
	return recall.New(o)
}
