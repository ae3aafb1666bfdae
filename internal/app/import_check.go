package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"discoclaw/internal/config"
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
	old, err := resolvedPath(from)
	if err != nil {
		return err
	}
	data, err := resolvedPath(dataDir)
	if err != nil {
		return err
	}
	const remedy = "set DISCOCLAW_DATA_DIR to a new folder"
	switch {
	case old == data:
		return config.Mistakef("%s is also the data directory, and the folder of the other bot has to stay as it is; %s", from, remedy)
	case isWithin(data, old):
		return config.Mistakef("the data directory %s is inside %s, which has to stay as it is; %s", dataDir, from, remedy)
	case isWithin(old, data):
		return config.Mistakef("%s is inside the data directory %s, and has to stay as it is; %s", from, dataDir, remedy)
	}
	return nil
}

// resolvedPath returns an absolute path without symbolic links. The end of the path need not exist.
func resolvedPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	missing := ""
	for existing := path; ; existing = filepath.Dir(existing) {
		if real, err := filepath.EvalSymlinks(existing); err == nil {
			return filepath.Join(real, missing), nil
		}
		if filepath.Dir(existing) == existing {
			return path, nil
		}
		missing = filepath.Join(filepath.Base(existing), missing)
	}
}

// isWithin reports whether a path is below a folder.
func isWithin(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != "." && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
