package app

import (
	"cmp"
	"path/filepath"

	"discoclaw/internal/workspace"
)

// contentFolder is the name of the folder with the context files of channels.
const contentFolder = "content"

// workFolder returns the path of the model's working folder, which also has its persona.
func (c *Core) workFolder() string {
	return cmp.Or(c.Config.Operation.Workspace, filepath.Join(c.dataDir, workFolder))
}

// texts returns the options of the workspace, with the documents that people write for the bot.
func (c *Core) texts() workspace.Options {
	return workspace.Options{
		Folder:    c.workFolder(),
		Content:   cmp.Or(c.Config.Operation.Content, filepath.Join(c.dataDir, contentFolder)),
		AutoIndex: c.Config.Chat.AutoIndex,
		Require:   c.Config.Chat.Require,
		Zone:      c.Config.Chat.ZoneName(),
		Log:       c.log,
	}
}

// name returns the bot's name for prompts; empty means its name on Discord.
func (c *Core) name() string { return cmp.Or(c.Config.Chat.Name, c.workspace.Name()) }
