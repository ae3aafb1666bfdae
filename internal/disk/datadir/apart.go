package datadir

import (
	"fmt"
	"path/filepath"
	"strings"
)

// CheckApart returns an error if a data directory and the folder of another bot, which has to stay as it is, are the same or one is inside
// the other, whatever links lead there.
func CheckApart(dataDir, other string) error {
	theirs, err := resolvedPath(other)
	if err != nil {
		return err
	}
	data, err := resolvedPath(dataDir)
	if err != nil {
		return err
	}
	const remedy = "set DISCOCLAW_DATA_DIR to a new folder"
	switch {
	case theirs == data:
		return fmt.Errorf("%s is also the data directory, and the folder of the other bot has to stay as it is; %s", other, remedy)
	case isWithin(data, theirs):
		return fmt.Errorf("the data directory %s is inside %s, which has to stay as it is; %s", dataDir, other, remedy)
	case isWithin(theirs, data):
		return fmt.Errorf("%s is inside the data directory %s, and has to stay as it is; %s", other, dataDir, remedy)
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
