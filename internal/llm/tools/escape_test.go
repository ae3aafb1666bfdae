package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/tools"
)

// canary is in every file that no tool may show.
const canary = "CANARY-a8f3"

// A trap is a workspace with ways out of it and secrets in it.
type trap struct {
	dir, outside string
	tools.Options
}

func setTrap(t testing.TB) trap {
	t.Helper()
	base := t.TempDir()
	tr := trap{dir: filepath.Join(base, "work"), outside: filepath.Join(base, "outside")}
	for _, name := range []string{
		"outside/secret.txt", "outside/dir/file", "outside/settings.env", "work/.env", "work/.env.local", "work/src/.ENV", "work/server.pem", "work/Key.PEM", "work/id_rsa",
		"work/.ssh/known", "work/.claude/a", "work/.codex/auth.json", "work/.gemini/b", "work/.git/config", "work/.git/hooks/pre-commit", "work/sub/.git/config",
		"work/data/bot.db", "work/data/deep/x", "work/.netrc", "work/app/.npmrc", "work/.pypirc", "work/.aws/a", "work/.azure/a", "work/.kube/a", "work/.docker/a.json",
		"work/.config/gcloud/a.db", "work/.git-credentials",
	} {
		put(t, filepath.Join(base, name), canary)
	}
	for _, name := range []string{"a.txt", "src/b.txt", ".git/HEAD"} {
		put(t, filepath.Join(tr.dir, name), "harmless")
	}
	for name, target := range map[string]string{
		"out": "../outside", "out.txt": "../outside/secret.txt", "abs": tr.outside, "abs.txt": filepath.Join(tr.outside, "secret.txt"), "new.txt": "../outside/new.txt",
		"up": "..", "env": ".env", "sshdir": ".ssh", "gitdir": ".git", "datadir": "data", "src/far": "../../outside/dir", "loop": "loop", "root": "/", "chain": "src/../../outside",
		"twice": "env", "inside": "src",
	} {
		link(t, target, filepath.Join(tr.dir, name))
	}
	for name, target := range map[string]string{"hard.txt": "settings.env", "src/hard2": "settings.env"} {
		if err := os.Link(filepath.Join(tr.outside, target), filepath.Join(tr.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	tr.Options = tools.Options{Root: tr.dir, Deny: []string{filepath.Join(tr.dir, "data"), filepath.Join(tr.outside, "settings.env"), filepath.Join(base, "missing")}}
	return tr
}

// escapes are paths that lead out, or to what is denied.
var escapes = []string{
	"../outside/secret.txt", "src/../../outside/secret.txt", "/etc/passwd", "out/secret.txt", "out.txt", "abs/secret.txt", "abs.txt", "new.txt", "up/outside/secret.txt",
	"src/far/file", "root/etc/passwd", "chain/secret.txt", "loop", "a.txt\x00",
	".env", "./.env", ".ENV", ".Env.local", "src/.env", "src/../.env", "env", "twice", "server.pem", "SERVER.PEM", "key.pem", "id_rsa", ".ssh/known", ".SSH/known", ".\u017fsh/known", "sshdir/known",
	".claude/a", ".codex/auth.json", ".gemini/b", ".git/config", ".GIT/config", "gitdir/config", ".git/hooks/pre-commit", "gitdir/hooks/pre-commit", "sub/.git/config",
	"data/bot.db", "DATA/bot.db", "datadir/bot.db", "data/deep/x", "hard.txt", "src/hard2", "inside/hard2", "inside/.ENV", ".env\u200b", ".env.", "id_new", ".envrc",
	".netrc", "app/.npmrc", ".NPMRC", ".pypirc", ".aws/a", ".azure/a", ".kube/a", ".docker/a.json", ".config/gcloud/a.db", ".Config/GCloud", ".git-credentials",
}

func TestNoFileToolLeavesTheWorkspace(t *testing.T) {
	tr := setTrap(t)
	before := tr.snapshot(t)
	for _, path := range append(escapes, filepath.Join(tr.outside, "secret.txt"), filepath.Join(tr.dir, ".env"), filepath.Join(tr.dir, "out.txt")) {
		for tool, input := range map[string]fields{
			"read_file":      {"file_path": path},
			"search_content": {"pattern": ".", "path": path},
			"list_files":     {"pattern": "**", "path": path},
			"write_file":     {"file_path": path, "content": "overwritten"},
			"edit_file":      {"file_path": path, "old_string": canary, "new_string": "overwritten"},
		} {
			got := call(t, tr.Options, llm.ToolsWrite, tool, input)
			if strings.Contains(got.Text, canary) || strings.Contains(got.Text, "root:") {
				t.Errorf("%s %q shows what it must not: %q", tool, path, got.Text)
			}
			if tool == "read_file" && !got.Failed {
				t.Errorf("%s %q: %q", tool, path, got.Text)
			}
		}
	}
	if diff := cmp.Diff(before, tr.snapshot(t)); diff != "" {
		t.Errorf("files were changed (-before +after):\n%s", diff)
	}
}

func TestSecretsAreNeitherListedNorFound(t *testing.T) {
	tr := setTrap(t)
	for _, start := range []string{"", ".", "src", "inside", ".git", "gitdir", tr.dir} {
		got := call(t, tr.Options, llm.ToolsWrite, "search_content", fields{"pattern": "CANARY|harmless", "path": start})
		if strings.Contains(got.Text, canary) || !strings.Contains(got.Text, "harmless") {
			t.Errorf("a search in %q: %q", start, got.Text)
		}
		got = call(t, tr.Options, llm.ToolsWrite, "list_files", fields{"pattern": "**", "path": start})
		for _, name := range []string{"env", "pem", "id_rsa", "ssh", "config", "hooks", "data", "secret"} {
			if strings.Contains(strings.ToLower(got.Text), name) {
				t.Errorf("a list of %q has %s: %q", start, name, got.Text)
			}
		}
	}
}

func TestGitIsNotWritten(t *testing.T) {
	tr := setTrap(t)
	for _, path := range []string{".git/HEAD", ".git/new/x", "gitdir/HEAD", ".git", "src/.git/x", ".Git/info"} {
		wants(t, call(t, tr.Options, llm.ToolsWrite, "write_file", fields{"file_path": path, "content": "x"}), true, "are not written here")
	}
	wants(t, call(t, tr.Options, llm.ToolsWrite, "read_file", fields{"file_path": ".git/HEAD"}), false, "harmless")
	for _, path := range []string{".git/new", "src/.git"} {
		if _, err := os.Lstat(filepath.Join(tr.dir, path)); err == nil {
			t.Errorf("%s was made", path)
		}
	}
}

func TestALinkIsNotWrittenThrough(t *testing.T) {
	dir := workspace(t, map[string]string{"a.txt": "old"})
	link(t, "a.txt", filepath.Join(dir, "link"))
	wants(t, call(t, tools.Options{Root: dir}, llm.ToolsWrite, "write_file", fields{"file_path": "link", "content": "new"}), true, "This is a symbolic link.")
	if info, err := os.Lstat(filepath.Join(dir, "link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
}

func TestAWorkspaceInsideTheDataDirectoryIsUsable(t *testing.T) {
	data := t.TempDir()
	put(t, filepath.Join(data, "workspace/a.txt"), "hello")
	put(t, filepath.Join(data, "bot.db"), canary)
	o := tools.Options{Root: filepath.Join(data, "workspace"), Deny: []string{data}}
	wants(t, call(t, o, llm.ToolsRead, "read_file", fields{"file_path": "a.txt"}), false, "hello")
	wants(t, call(t, o, llm.ToolsRead, "read_file", fields{"file_path": "../bot.db"}), true, "This path leads out of the workspace.")
	o.Root = data
	wants(t, call(t, o, llm.ToolsRead, "read_file", fields{"file_path": "workspace/a.txt"}), true, "This file is off limits")
}

// plainFile begins the content of a file in a snapshot.
const plainFile = "= "

// snapshot has all files, inside the workspace and outside, by their paths.
func (tr trap) snapshot(t testing.TB) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(filepath.Dir(tr.dir), func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case d.Type()&os.ModeSymlink != 0:
			target, err := os.Readlink(path)
			files[path] = "-> " + target
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = plainFile + string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestAFolderThatBecomesALinkLeadsNowhere swaps a folder for symbolic links, to outside and to secrets, while it is used.
func TestAFolderThatBecomesALinkLeadsNowhere(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "work")
	for _, name := range []string{"work/real/a.txt", "outside/keep", "work/.ssh/keep"} {
		put(t, filepath.Join(base, name), "harmless")
	}
	put(t, filepath.Join(base, "outside/a.txt"), canary)
	put(t, filepath.Join(dir, ".ssh/a.txt"), canary)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			draft := filepath.Join(dir, "draft")
			_ = os.Symlink([]string{"real", "../outside", ".ssh"}[i%3], draft) // what fails is tried again
			_ = os.Rename(draft, filepath.Join(dir, "sub"))
		}
	}()
	for range 300 {
		for tool, input := range map[string]fields{"read_file": {"file_path": "sub/a.txt"}, "write_file": {"file_path": "sub/new.txt", "content": "x"}, "search_content": {"pattern": ".", "path": "sub"}} {
			if got := call(t, tools.Options{Root: dir}, llm.ToolsWrite, tool, input); strings.Contains(got.Text, canary) {
				t.Errorf("%s: %q", tool, got.Text)
			}
		}
	}
	close(stop)
	<-stopped
	for _, name := range []string{"outside/new.txt", "work/.ssh/new.txt"} {
		if _, err := os.Stat(filepath.Join(base, name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}
