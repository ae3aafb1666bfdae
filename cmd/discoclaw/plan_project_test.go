package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A planProject is a repository that a plan changes, and the programs by which the bot is killed while it works there.
type planProject struct {
	dir    string
	tools  string // has a git and a check that carry out orders
	verify string // the command of the project
}

// killerScript is a program that the bot runs, maybe below a guard. If the order names it, it kills the bot in the place of the program's
// Nth run, or after it: "before git update-ref 1".
const killerScript = `#!/bin/sh
orders=%s
run() { %s; }
[ -e $orders/command ] || { run "$@"; exit; }
name=%s
for word in "$@"; do
	[ -z "$skip" ] || { skip=; continue; }
	case $word in
	-c) skip=yes ;;
	-*) ;;
	*) name="$name $word"; break ;;
	esac
done
read -r when order < $orders/command
echo "$name" >> $orders/ran
[ "$name $(grep -cx "$name" $orders/ran)" = "$order" ] || { run "$@"; exit; }
rm $orders/command
[ $when = before ] || run "$@"
bot=$PPID
case $(tr '\0' ' ' < /proc/$bot/cmdline) in
discoclaw-guard*) bot=$(sed -n 's/^PPid:[[:space:]]*//p' /proc/$bot/status) ;;
esac
kill -9 $bot
`

// newPlanProject makes a project with a small program, which is on the branch main with a change that people have not committed.
func newPlanProject(t *testing.T, o orders) planProject {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed, so there are no plans to be carried out")
	}
	p := planProject{dir: t.TempDir(), tools: t.TempDir()}
	p.verify = "exec " + filepath.Join(p.tools, "check")
	for name, text := range map[string]string{
		"git":   fmt.Sprintf(killerScript, string(o), git+` "$@"`, "git"),
		"check": fmt.Sprintf(killerScript, string(o), "! grep -rq BROKEN --include=*.go .", "check"),
	} {
		writeFile(t, filepath.Join(p.tools, name), text, 0o755)
	}
	writeFile(t, filepath.Join(p.dir, "greet.go"), clause+"\n"+greeting+" string { return \"hello\" }\n", 0o644)
	if err := os.Mkdir(filepath.Join(p.dir, "shout"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(p.dir, "shout", "shout.go"), quiet, 0o644)
	writeFile(t, filepath.Join(p.dir, "notes.txt"), "To do: all of it.\n", 0o644)
	p.git(t, "init", "-q", "-b", "main")
	p.git(t, "add", "-A")
	p.git(t, "-c", "user.name=ada", "-c", "user.email=ada@example.com", "commit", "-q", "-m", "begin")
	writeFile(t, filepath.Join(p.dir, "notes.txt"), "To do: less.\n", 0o644)
	writeFile(t, filepath.Join(p.dir, "draft.txt"), "not for git\n", 0o644)
	return p
}

func writeFile(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// git runs git as a person would, and returns what it prints.
func (p planProject) git(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = p.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.tools, "GIT_CONFIG_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// install names the project in a data directory.
func (p planProject) install(t *testing.T, data string) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"greeter": map[string]string{"dir": p.dir, "verify": p.verify}})
	if err == nil {
		err = os.MkdirAll(data, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(data, "projects.json"), string(text), 0o600)
}

// checkout is what people have: their files, what they have staged and committed, and the settings of their repository.
func (p planProject) checkout(t *testing.T) string {
	t.Helper()
	state := p.git(t, "status", "--porcelain=v2", "--branch") + "\n" + p.git(t, "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/main", "refs/tags", "refs/remotes", "refs/stash") + "\n"
	for _, name := range []string{"greet.go", "shout/shout.go", "notes.txt", "draft.txt", ".git/HEAD", ".git/config", ".git/index"} {
		text, err := os.ReadFile(filepath.Join(p.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		state += fmt.Sprintf("%s %x\n", name, text)
	}
	return state
}

// commits are those of the plan's branch, the first first: title, author, and all files.
func (p planProject) commits(t *testing.T) []string {
	t.Helper()
	return strings.Split(p.git(t, "log", "--reverse", "--format=%s (%an) %T", "main..discoclaw/plan-1"), "\n")
}

// listing is all files below a folder, without the objects of git, which it removes when it likes, and without the parts and
// the copy of a database, which is made when the bot is started again.
func listing(t *testing.T, root string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(name, ".git/objects"):
			return fs.SkipDir
		case !strings.HasSuffix(name, "-wal") && !strings.HasSuffix(name, "-shm") && !strings.HasSuffix(name, "-copy.db"):
			list = append(list, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
