package workspace

import (
	"cmp"
	"embed"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"discoclaw/internal/disk/atomicfile"
)

//go:embed templates/*.md
var templates embed.FS

// template is the initial text of a file.
func template(name string) string {
	text, err := templates.ReadFile("templates/" + name)
	if err != nil {
		panic(err) // it is part of the program
	}
	return string(text)
}

// Scaffold makes missing folders and files. Existing ones stay as they are.
func (w *Workspace) Scaffold() error {
	var persona error
	var working sync.WaitGroup
	working.Go(func() { persona = w.scaffoldPersona() })
	content := w.scaffoldContent()
	working.Wait()
	if err := persona; err != nil {
		return fmt.Errorf("the workspace cannot be set up (%w); %s, or set WORKSPACE_CWD to another folder", err, remedy(err, w.Folder))
	}
	if err := content; err != nil {
		return fmt.Errorf("the content folder cannot be set up (%w); %s, or set DISCOCLAW_CONTENT_DIR to another folder", err, remedy(err, w.Content))
	}
	return nil
}

// remedy says what to do about a folder that cannot be written to.
func remedy(err error, folder string) string {
	if atomicfile.IsFull(err) {
		return "the disk is full: make room where " + folder + " is"
	}
	return "change the permissions of " + folder
}

func (w *Workspace) scaffoldPersona() error {
	if err := os.MkdirAll(w.Folder, 0o700); err != nil {
		return err
	}
	texts := map[string]string{}
	for _, name := range []string{soul, identity, user, agents, memory} {
		texts[name] = strings.ReplaceAll(template(name), "{{zone}}", w.Zone)
	}
	if err := writeMissing(w.Folder, texts); err != nil {
		return err
	}
	root, err := os.OpenRoot(w.Folder)
	if err != nil {
		return err
	}
	defer root.Close()
	return root.MkdirAll(logs, 0o700)
}

// scaffoldContent also makes the files that the index names, so that operators find them.
func (w *Workspace) scaffoldContent() error {
	if err := os.MkdirAll(w.Content, 0o700); err != nil {
		return err
	}
	if err := writeMissing(w.Content, map[string]string{indexFile: template("DISCORD.md")}); err != nil {
		return err
	}
	w.indexing.Lock()
	defer w.indexing.Unlock()
	now, err := w.readIndex()
	if err != nil {
		return err
	}
	texts := map[string]string{}
	for _, r := range append([]row{{file: dm}}, now.rows...) {
		texts[channelsFolder+"/"+r.file] = template("channel.md")
	}
	return writeMissing(w.Content, texts)
}

// writeMissing writes the files that do not exist. The first start waits for the disk, once for all of
// them instead of twice for each.
func writeMissing(folder string, texts map[string]string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	names := slices.Sorted(maps.Keys(texts))
	errs := make([]error, len(names))
	var writing sync.WaitGroup
	for i, name := range names {
		if _, err := root.Lstat(name); isMissing(err) {
			writing.Go(func() { errs[i] = write(folder, name, texts[name]) })
		} else {
			errs[i] = err
		}
	}
	writing.Wait()
	return cmp.Or(errs...)
}

// write writes a file atomically.
func write(folder, name, text string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(root, name, atomicfile.Kept, atomicfile.Text(text))
}
