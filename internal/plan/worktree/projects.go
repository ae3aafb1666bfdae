package worktree

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"discoclaw/internal/chat"
)

// A Project is a repository that plans may change.
type Project struct {
	Name   string
	Dir    string // where people have it checked out
	Verify string // the command line with which it is tested; empty if none is known
}

// Projects are what plans may change.
type Projects []Project

// ErrNoProject means that there is no project at all, and ErrNoCommand that nothing can check one.
var (
	ErrNoProject = chat.WithRemedy(errors.New("no project is set up to run plans in"),
		fmt.Sprintf("make the workspace a git repository, or put a file %s like `%s` into the data directory", projectsFile, projectsExample))
	ErrNoCommand = chat.WithRemedy(errors.New("no command is known that tests this project"),
		fmt.Sprintf("put a file %s like `%s` into the data directory", projectsFile, projectsExample))
)

// projectsFile is in the data directory.
const projectsFile = "projects.json"

// projectsExample is what a remedy shows of the file.
const projectsExample = `{"my-project": {"dir": "/home/me/my-project", "verify": "go test ./..."}}`

// Projects reads the projects of projects.json in the data directory, with an error that names every mistake in it.
// Without this file, the workspace is the only project if it is a git repository.
func (s *Trees) Projects(ctx context.Context, workspace string) (Projects, error) {
	file := filepath.Join(s.dataDir, projectsFile)
	content, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return s.workspaceProject(ctx, workspace), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the projects: %w", err)
	}
	list, err := decodeProjects(content)
	if err != nil {
		return nil, fmt.Errorf("%s %w; it has to look like %s", file, err, projectsExample)
	}
	var mistakes []error
	for _, p := range list {
		if err := s.check(ctx, p); err != nil {
			mistakes = append(mistakes, fmt.Errorf("%s: project %q: %w", file, p.Name, err))
		}
	}
	if len(mistakes) > 0 {
		return nil, errors.Join(mistakes...)
	}
	return list, nil
}

// decodeProjects reads a JSON object with a project for each name, in its order. Its errors complete a sentence about the file.
func decodeProjects(content []byte) (Projects, error) {
	in := json.NewDecoder(bytes.NewReader(content))
	in.DisallowUnknownFields()
	if open, err := in.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("does not have a JSON object with the projects")
	}
	var list Projects
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return nil, fmt.Errorf("is not valid JSON (%w)", err)
		}
		var entry *struct{ Dir, Verify string }
		if err := in.Decode(&entry); err != nil {
			return nil, fmt.Errorf("has a mistake in project %q (%s)", name, strings.TrimPrefix(err.Error(), "json: "))
		}
		p := Project{Name: name.(string)} // the keys of a JSON object are strings
		if slices.ContainsFunc(list, func(other Project) bool { return other.Name == p.Name }) {
			return nil, fmt.Errorf("has project %q twice", p.Name)
		}
		if entry != nil {
			p.Dir, p.Verify = entry.Dir, entry.Verify
		}
		list = append(list, p)
	}
	if _, err := in.Token(); err != nil {
		return nil, fmt.Errorf("is not valid JSON (%w)", err)
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("has something behind the object with the projects")
	}
	if len(list) == 0 {
		return nil, errors.New("names no project")
	}
	return list, nil
}

// check returns what is wrong with a project.
func (s *Trees) check(ctx context.Context, p Project) error {
	switch {
	// A plan names its project on a line of its header.
	case p.Name == "" || p.Name != strings.TrimSpace(p.Name) || strings.ContainsFunc(p.Name, unicode.IsControl):
		return errors.New("its name has to be a word or more, without spaces around it")
	case p.Dir == "":
		return errors.New(`it has no directory; add "dir", with the full path of its checkout`)
	case !filepath.IsAbs(p.Dir):
		return fmt.Errorf("its directory %q is not a full path; begin it with a slash", p.Dir)
	}
	_, err := s.git.repository(ctx, p.Dir)
	switch {
	case err != nil:
		return err
	case strings.TrimSpace(p.Verify) == "":
		return errors.New(`it has no command that tests it; add "verify", such as "go test ./..."`)
	}
	return nil
}

// guesses are the commands that test a project with a certain file, by which is looked for first.
var guesses = []struct{ file, verify string }{
	{"go.mod", "go test ./..."},
	{"package.json", "npm test"},
	{"Cargo.toml", "cargo test"},
	{"pyproject.toml", "python -m pytest"},
}

// workspaceProject returns the workspace as a project, if it is one.
func (s *Trees) workspaceProject(ctx context.Context, workspace string) Projects {
	if _, err := s.git.repository(ctx, workspace); err != nil {
		return nil
	}
	p := Project{Name: filepath.Base(workspace), Dir: workspace}
	for _, guess := range guesses {
		if info, err := os.Stat(filepath.Join(workspace, guess.file)); err == nil && info.Mode().IsRegular() {
			p.Verify = guess.verify
			break
		}
	}
	return Projects{p}
}

// Find returns the project of a name, or without a name the only one.
func (list Projects) Find(name string) (Project, error) {
	names := make([]string, len(list))
	for i, p := range list {
		if names[i] = p.Name; p.Name == name {
			return p, nil
		}
	}
	switch {
	case len(list) == 0:
		return Project{}, ErrNoProject
	case name != "":
		return Project{}, fmt.Errorf("there is no project %q; there is %s, and %s in the data directory adds others", name, strings.Join(names, ", "), projectsFile)
	case len(list) > 1:
		return Project{}, fmt.Errorf("there are several projects; name one of %s", strings.Join(names, ", "))
	}
	return list[0], nil
}
