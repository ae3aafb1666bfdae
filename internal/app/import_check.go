package app

import (
	"os"
	"path/filepath"
	"slices"

	"discoclaw/internal/config"
	"discoclaw/internal/disk/datadir"
)

// importFolders are the folders of the original bot from which something is imported.
var importFolders = []string{"memory", "tasks", "beads", "cron"}

// checkImport refuses a folder that the import must not read from. Nothing has been written by then.
func checkImport(from, dataDir string) error {
	if !slices.ContainsFunc(importFolders, func(name string) bool {
		info, err := os.Stat(filepath.Join(from, name))
		return err == nil && info.IsDir()
	}) {
		return config.Mistakef("%s is not the data folder of the TypeScript version: it has no memory, tasks, beads or cron", from)
	}
	if err := datadir.CheckApart(dataDir, from); err != nil {
		return config.Mistakef("%v", err)
	}
	return nil
}
