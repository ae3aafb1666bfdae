package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/store"
)

// Import takes over what the original of this bot, in TypeScript, has stored in a folder. It returns what was taken and
// what was not, a line each. It changes nothing in that folder, and running it again changes nothing here.
func Import(ctx context.Context, env config.Env, from string) (report []string, err error) {
	if info, err := os.Stat(from); err != nil || !info.IsDir() {
		return nil, Mistakef("%s is no folder; --from is the data folder of the other bot, in which there are memory and tasks", from)
	}
	c, err := NewCore(env)
	if err != nil {
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
	files := os.DirFS(from)
	memories, err := c.memory.Import(ctx, files)
	if err != nil {
		return nil, err
	}
	report = append(report, fmt.Sprintf("memory: took %s, %d were here already", chat.Counted(memories.Taken, "item", "items"), memories.Known))
	report = append(report, notTaken(memories.Left)...)
	guild := chat.GuildID(c.Config.Discord.Guild)
	if guild == "" {
		return append(report, "tasks: not taken; DISCORD_GUILD_ID has to say which server they belong to"), nil
	}
	work, err := c.tasks.Import(ctx, guild, files)
	if err != nil {
		return report, err
	}
	report = append(report, fmt.Sprintf("tasks: took %s, %d were here already", chat.Counted(work.Taken, "task", "tasks"), work.Known))
	return append(report, notTaken(work.Left)...), nil
}

func notTaken(list []string) (lines []string) {
	for _, left := range list {
		lines = append(lines, "not taken: "+left)
	}
	return lines
}
