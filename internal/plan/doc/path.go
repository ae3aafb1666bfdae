package doc

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"discoclaw/internal/chat"
	"discoclaw/internal/disk/secretfile"
)

// CleanPath returns the normal form of a path in the project. A path that could lead out of the project is an error that
// names it. What is a symbolic link is for who opens the file to find out.
func CleanPath(raw string) (string, error) {
	p := strings.TrimSpace(strings.Trim(strings.TrimSpace(raw), "`"))
	why := ""
	switch segments := strings.Split(p, "/"); {
	case p == "" || path.Clean(p) == ".":
		return "", errors.New("an empty path; name the file that changes")
	case strings.Contains(p, `\`):
		why = "has a backslash; write it with /"
	case strings.HasPrefix(p, "/"), strings.HasPrefix(p, "~"), isDrive(p):
		why = "is absolute; write it as seen from the root of the project"
	case slices.Contains(segments, ".."):
		why = "leads out of its folder with ..; write it as seen from the root of the project"
	case slices.ContainsFunc(segments, func(s string) bool { return strings.EqualFold(s, ".git") }):
		why = "belongs to git itself; a plan cannot change it"
	case secretfile.Has(strings.ToLower(p)):
		why = "is where programs keep keys; a plan cannot change it"
	case strings.ContainsFunc(p, unicode.IsControl), chat.Visible(p) != p:
		why = "has characters that cannot be seen; write it anew"
	}
	if why != "" {
		return "", fmt.Errorf("the path %s %s", chat.InCode(chat.Clip(p, 100)), why)
	}
	return path.Clean(p), nil
}

func isDrive(p string) bool {
	return len(p) > 1 && p[1] == ':' && (p[0]|0x20) >= 'a' && (p[0]|0x20) <= 'z'
}
