package app

import (
	"fmt"
	"os"
	"runtime"

	"discoclaw/internal/config"
)

// An Exposure is a file or folder with secrets of the bot that other users of this machine can read.
type Exposure struct {
	Path string
	mode os.FileMode // without the exposure
}

func (e Exposure) String() string {
	return fmt.Sprintf("other users of this machine can read %s: chmod %o %s, or discoclaw doctor --fix", e.Path, e.mode, e.Path)
}

// exposures returns which of the settings file, the file of MCP servers and the data directory are exposed. What is not there is not, and where
// Windows decides by lists of its own, nothing is known.
func (c *Core) exposures(settings string) []Exposure {
	var list []Exposure
	for _, path := range []string{settings, c.Config.MCP.File, c.dataDir} {
		info, err := os.Stat(path)
		if path == "" || err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
			continue
		}
		list = append(list, Exposure{path, info.Mode().Perm() &^ 0o077})
	}
	return list
}

// Protect takes the rights of other users from the settings file and the data directory, and returns those that had some.
func Protect(env config.Env, settings string) ([]Exposure, error) {
	core, err := newCore(env, Outside{})
	if core == nil {
		return nil, err
	}
	list := core.exposures(settings)
	for _, e := range list {
		if err := os.Chmod(e.Path, e.mode); err != nil {
			return nil, Mistakef("%v; give it to the user who runs the bot", err)
		}
	}
	return list, nil
}
