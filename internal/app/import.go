package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/cron"
	"discoclaw/internal/discord"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/store"
)

// Import takes over what the original of this bot, in TypeScript, has stored in a folder. It returns what was taken and
// what was not, a line each. It changes nothing in that folder, and running it again changes nothing here.
func Import(ctx context.Context, env config.Env, from string) (report []string, err error) {
	if info, err := os.Stat(from); err != nil || !info.IsDir() {
		return nil, config.Mistakef("%s is no folder; --from is the data folder of the other bot, in which there are memory, tasks and cron", from)
	}
	c, err := NewCore(env)
	if err != nil {
		return nil, err
	}
	if err := checkImport(from, c.dataDir); err != nil {
		return nil, err
	}
	dir, err := c.openData() // a running bot has it locked
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	if err := c.db.Open(ctx, filepath.Join(c.dataDir, store.FileName)); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.db.Close()) }()
	report = []string{"into " + c.dataDir}
	files := os.DirFS(from)
	memories, err := c.memory.Import(ctx, files)
	if err != nil {
		return report, err
	}
	report = append(report, fmt.Sprintf("memory: took %s, %d were here already", chat.Counted(memories.Taken, "item", "items"), memories.Known))
	report = append(report, notTaken(memories.Left)...)
	guild := chat.GuildID(c.Config.Discord.Guild)
	if guild == "" {
		return append(report, "tasks and scheduled jobs: not taken; DISCORD_GUILD_ID has to say which server they belong to"), nil
	}
	work, err := c.tasks.Import(ctx, guild, files)
	if err != nil {
		return report, err
	}
	report = append(report, fmt.Sprintf("tasks: took %s, %d were here already", chat.Counted(work.Taken, "task", "tasks"), work.Known))
	report = append(report, notTaken(work.Left)...)
	jobs, err := c.importCrons(ctx, guild, files)
	return append(report, jobs...), err
}

// importCrons takes scheduled jobs, and returns what was taken and what was not.
func (c *Core) importCrons(ctx context.Context, g chat.GuildID, files fs.FS) (report []string, err error) {
	bot, _ := discord.ApplicationOf(c.Config.Discord.Token.Reveal())
	jobs, err := c.crons.Import(ctx, cron.Importing{
		Guild: g, Bot: chat.UserID(bot), Model: roles.Check,
		Type: func(name string) (string, bool) {
			a, found := c.registry.Lookup(name)
			if !found {
				return "", false
			}
			return a.Name, a.Destructive
		},
	}, files)
	report = []string{fmt.Sprintf("scheduled jobs: took %s, %d were here already", chat.Counted(jobs.Taken, "job", "jobs"), jobs.Known)}
	if jobs.Taken > 0 {
		report = append(report, "they are named by their prompts, and all are paused: stop the other bot, then look at each with !cron show and let it go on with !cron resume")
	}
	for _, what := range jobs.Mend {
		report = append(report, "to look at: "+what)
	}
	return append(report, notTaken(jobs.Left)...), err
}

func notTaken(list []string) (lines []string) {
	for _, left := range list {
		lines = append(lines, "not taken: "+left)
	}
	return lines
}
