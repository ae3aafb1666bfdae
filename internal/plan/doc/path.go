package doc

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
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

var (
	position  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)$`) })
	extension = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^.*[^.]\.([A-Za-z][A-Za-z0-9]{0,9})$`) })
	bareName  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.\-]+$`) })
)

// extensions are those by which the name of a file is told from other words with a dot, such as user.name.
var extensions = setOf(`bash bat c cc cfg cjs clj conf cpp cs css csv cts cue dart ex exs fish go gql gradle graphql h hpp hs htm html ini
	java jl js json jsonc jsonl jsx kt kts less lock lua m md mdx mjs mk ml mod mts nix php pl plist png prisma properties proto ps1 py pyi r rb rs rst
	sass scala scss sh snap sql sum svelte svg swift tf tmpl toml ts tsx txt txtar vue work xml yaml yml zig zsh golden`)

// names of files that have no extension.
var names = setOf(`Makefile Dockerfile Containerfile Jenkinsfile Procfile Gemfile Rakefile Justfile justfile Vagrantfile
	.gitignore .gitattributes .dockerignore .editorconfig .nvmrc .env.example .golangci.yml`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// isPath reports whether code within a line is meant as the path of a file. It is also true for paths that CleanPath
// refuses, so that they are reported instead of overlooked.
func isPath(token string) bool {
	if token == "" || strings.ContainsAny(token, " \t\"'<>{}*?|;,=!&%^") || strings.Contains(token, "://") {
		return false
	}
	slashed := strings.ReplaceAll(token, `\`, "/")
	base := slashed[strings.LastIndexByte(slashed, '/')+1:]
	ending := extension().FindStringSubmatch(base)
	switch {
	case names[base]:
		return true
	case strings.HasPrefix(slashed, "../"), strings.Contains(slashed, "/../"), isDrive(token) && strings.HasPrefix(slashed[2:], "/"):
		return true
	case ending == nil:
		return strings.HasPrefix(base, ".") && len(base) > 2 && base != "..." && strings.Contains(token, "/")
	case base != slashed:
		return true
	}
	return extensions[strings.ToLower(ending[1])] && bareName().MatchString(base) && base != strings.ToUpper(base)
}

// pathIn returns the path that a token means, without the position of a line in the file.
func pathIn(token string) (string, bool) {
	token = position().ReplaceAllString(strings.TrimSpace(token), "")
	return token, isPath(token)
}
