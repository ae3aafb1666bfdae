package plan

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"discoclaw/internal/chat"
	"discoclaw/internal/disk/atomicfile"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/store"
)

// maxFile is how large the file of a plan may be.
const maxFile = 256 << 10

// statusRoom is left in a file for a longer status, which always has to fit.
const statusRoom = 1 << 10

// templateFile is what new plans look like, if people have put it there.
const templateFile = ".plan-template.md"

// root opens the folder of plans, from which no name of a file leads out.
func (e *Engine) root() (*os.Root, error) {
	if err := os.MkdirAll(e.Folder, 0o700); err != nil {
		return nil, fmt.Errorf("the folder of plans cannot be made: %w", err)
	}
	return os.OpenRoot(e.Folder)
}

func (e *Engine) fileNames() ([]string, error) {
	root, err := e.root()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	list, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("the folder of plans cannot be read: %w", err)
	}
	var names []string
	for _, f := range list {
		names = append(names, f.Name())
	}
	return names, nil
}

// Template returns what new plans look like.
func (e *Engine) Template() (string, error) {
	text, err := e.read(templateFile)
	if errors.Is(err, fs.ErrNotExist) {
		return doc.Template, nil
	}
	return text, err
}

func (e *Engine) render(f doc.Fields) (string, error) {
	template, err := e.Template()
	if err != nil {
		return "", err
	}
	return doc.Render(template, f)
}

func (e *Engine) read(name string) (string, error) {
	root, err := e.root()
	if err != nil {
		return "", err
	}
	defer root.Close()
	info, err := root.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return "", fmt.Errorf("%s is no file of at most %d KB", name, maxFile>>10)
	}
	data, err := root.ReadFile(name)
	return string(data), err
}

// readBack takes over what people have written into the file of a plan, and reports whether there was something.
func (e *Engine) readBack(p *Plan) (edited bool, err error) {
	if p.written == "" {
		return false, nil // the file is behind
	}
	text, err := e.read(p.File)
	if errors.Is(err, fs.ErrNotExist) {
		p.written = "" // it is written again
		return false, nil
	}
	if err != nil {
		return false, unreadable(*p, err)
	}
	if hash(text) == p.written {
		return false, nil
	}
	d, err := doc.Parse(text)
	if err == nil && d.ID != p.ID {
		err = fmt.Errorf("its ID is %s", d.ID)
	}
	if err == nil {
		err = p.setText(text)
	}
	if err != nil {
		return false, unreadable(*p, err)
	}
	return true, nil
}

// unreadable is the error for a file that people have to mend.
func unreadable(p Plan, err error) error {
	return fmt.Errorf("the file of %s, %s, cannot be read: %w. Mend it, or delete it to have the last good text again", p.ID, chat.InCode(p.File), err)
}

// reconsider sends a plan back to review whose approved text was edited.
func (e *Engine) reconsider(ctx context.Context, tx *store.Tx, p *Plan) error {
	if p.Status != doc.Approved || p.Approved == p.Hash() {
		return nil
	}
	return e.set(ctx, tx, p, doc.Review, p.Decider, "")
}

// putFile writes the file of a plan, and then notes that it was written.
func (e *Engine) putFile(ctx context.Context, p *Plan) error {
	root, err := e.root()
	if err == nil {
		err = atomicfile.Write(root, p.File, atomicfile.Kept, atomicfile.Text(p.Text()))
		_ = root.Close()
	}
	if err != nil {
		e.Log.ErrorContext(ctx, "cannot write the file of a plan", "plan", p.ID, "err", err)
		return nil // the database has it, and the file follows at the next chance
	}
	p.written = hash(p.Text())
	if _, err := e.db.ExecContext(ctx, "UPDATE plans SET written = ? WHERE number = ?", p.written, p.number); err != nil {
		e.Log.WarnContext(ctx, "cannot note that the file of a plan was written", "plan", p.ID, "err", err)
	}
	return nil
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
