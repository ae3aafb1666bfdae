package app

import (
	"cmp"
	"path/filepath"

	"discoclaw/internal/workspace"
)

// contentFolder is where the context files of channels are.
const contentFolder = "content"

// workFolder is where the model works, and where its persona is.
func (c *Core) workFolder() string {
	return cmp.Or(c.Config.Operation.Workspace, filepath.Join(c.dataDir, workFolder))
}

// texts are those that people keep for the bot, as the settings have them.
func (c *Core) texts() workspace.Options {
	return workspace.Options{
		Folder:    c.workFolder(),
		Content:   cmp.Or(c.Config.Operation.Content, filepath.Join(c.dataDir, contentFolder)),
		AutoIndex: c.Config.Chat.AutoIndex,
		Require:   c.Config.Chat.Require,
		Log:       c.log,
	}
}

// name is what the bot calls itself; empty means its name on Discord.
func (c *Core) name() string { return cmp.Or(c.Config.Chat.Name, c.workspace.Name()) }
