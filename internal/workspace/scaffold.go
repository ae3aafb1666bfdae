package workspace

import (
	"embed"
	"fmt"
	"os"
	"path"
	"strings"

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
	if err := w.scaffoldPersona(); err != nil {
		return fmt.Errorf("the workspace cannot be set up (%w); %s, or set WORKSPACE_CWD to another folder", err, remedy(err, w.Folder))
	}
	if err := w.scaffoldContent(); err != nil {
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
	zone := w.Zone
	if zone == "" {
		zone = systemZone()
	}
	for _, name := range []string{soul, identity, user, agents, memory} {
		if err := writeMissing(w.Folder, name, strings.ReplaceAll(template(name), "{{zone}}", zone)); err != nil {
			return err
		}
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
	if err := writeMissing(w.Content, indexFile, template("DISCORD.md")); err != nil {
		return err
	}
	w.indexing.Lock()
	defer w.indexing.Unlock()
	now, err := w.readIndex()
	if err != nil {
		return err
	}
	for _, r := range append([]row{{file: dm}}, now.rows...) {
		if err := writeMissing(w.Content, channelsFolder+"/"+r.file, template("channel.md")); err != nil {
			return err
		}
	}
	return nil
}

// writeMissing writes a file unless it exists.
func writeMissing(folder, name, text string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Lstat(name); !isMissing(err) {
		return err
	}
	return write(folder, name, text)
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
