package supply_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"discoclaw/internal/test/supply"
)

const root = "../../../"

// A release is what .goreleaser.yaml says of it, as far as it is checked here.
type release struct {
	Before struct{ Hooks []string }
	Builds []struct {
		Main                              string
		Env, Goos, Goarch, Flags, Ldflags []string
		Timestamp                         string `yaml:"mod_timestamp"`
	}
	Archives []struct {
		Files []struct {
			Src  string
			Info struct{ Mtime string }
		}
		Info struct{ Mtime string } `yaml:"builds_info"`
	}
	Release struct{ Disable bool }
	Rest    map[string]any `yaml:",inline"`
}

// made are the files of an archive that a hook writes.
var made = map[string]string{"THIRD_PARTY_NOTICES": "make notices", "sbom.cdx.json": `sh -c "make -s sbom > sbom.cdx.json"`}

func text(t *testing.T, file string) string {
	t.Helper()
	raw, err := os.ReadFile(root + file)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func load(t *testing.T, file string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text(t, file)), into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

func TestAReleaseIsForSixTargets(t *testing.T) {
	var r release
	load(t, ".goreleaser.yaml", &r)
	if len(r.Builds) != 1 {
		t.Fatalf("there are %d builds", len(r.Builds))
	}
	b := r.Builds[0]
	if !slices.Equal(b.Goos, supply.Systems) || !slices.Equal(b.Goarch, []string{"amd64", "arm64"}) {
		t.Errorf("there are releases for %v on %v, and licences for %v", b.Goos, b.Goarch, supply.Systems)
	}
	if _, err := os.Stat(root + b.Main); err != nil {
		t.Error(err)
	}
	if !r.Release.Disable {
		t.Error("it would be published")
	}
	for _, key := range []string{"signs", "docker_signs", "dockers", "dockers_v2", "publishers", "announce", "blobs", "homebrew_casks"} {
		if _, found := r.Rest[key]; found {
			t.Errorf("it has %s", key)
		}
	}
}

// TestTwoBuildsOfARelease have the same bytes: there are no paths in them, and no time but that of the commit.
func TestTwoBuildsOfARelease(t *testing.T) {
	var r release
	load(t, ".goreleaser.yaml", &r)
	b := r.Builds[0]
	if !slices.Contains(b.Flags, "-trimpath") || !slices.Contains(b.Flags, "-buildvcs=false") || !slices.Equal(b.Env, []string{"CGO_ENABLED=0"}) || b.Timestamp != "{{ .CommitTimestamp }}" {
		t.Errorf("programs are built with %v, %v and the time %s", b.Env, b.Flags, b.Timestamp)
	}
	for _, a := range r.Archives {
		if a.Info.Mtime != "{{ .CommitDate }}" {
			t.Errorf("the program in the archive has the time %q", a.Info.Mtime)
		}
		for _, f := range a.Files {
			if f.Info.Mtime != "{{ .CommitDate }}" {
				t.Errorf("%s in the archive has the time %q", f.Src, f.Info.Mtime)
			}
		}
	}
}

// TestTheVersionIsLinkedIn: the linker ignores a name that does not exist.
func TestTheVersionIsLinkedIn(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), root+"internal/inspect/version.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	variables := map[string]bool{}
	for _, d := range file.Decls {
		if group, ok := d.(*ast.GenDecl); ok && group.Tok == token.VAR {
			for _, s := range group.Specs {
				for _, name := range s.(*ast.ValueSpec).Names {
					variables[name.Name] = true
				}
			}
		}
	}
	for _, name := range []string{".goreleaser.yaml", "Dockerfile"} {
		linked := map[string]bool{}
		for _, m := range regexp.MustCompile(`-X discoclaw/internal/inspect\.(\w+)=`).FindAllStringSubmatch(text(t, name), -1) {
			linked[m[1]] = true
		}
		if !maps.Equal(linked, variables) {
			t.Errorf("%s sets %v, and there are %v", name, linked, variables)
		}
	}
}

func TestTheArchiveHasWhatItNeeds(t *testing.T) {
	var r release
	load(t, ".goreleaser.yaml", &r)
	if len(r.Archives) != 1 {
		t.Fatalf("there are %d archives", len(r.Archives))
	}
	var names []string
	for _, f := range r.Archives[0].Files {
		names = append(names, f.Src)
		if hook, ok := made[f.Src]; ok {
			if !slices.Contains(r.Before.Hooks, hook) {
				t.Errorf("no hook writes %s", f.Src)
			}
			continue
		}
		// GoReleaser only warns of a file that it does not find.
		if found, err := filepath.Glob(root + f.Src); err != nil || len(found) == 0 {
			t.Errorf("there is no %s: %v", f.Src, err)
		}
	}
	for _, name := range []string{"README.md", "CHANGELOG.md", "LICENSE", "THIRD_PARTY_NOTICES", "sbom.cdx.json", ".env.example"} {
		if !slices.Contains(names, name) {
			t.Errorf("an archive does not have %s", name)
		}
	}
	err := fs.WalkDir(os.DirFS(root), "docs", func(page string, d fs.DirEntry, err error) error {
		matches := func(src string) bool { ok, _ := path.Match(src, page); return ok }
		if err == nil && !d.IsDir() && !slices.ContainsFunc(names, matches) {
			t.Errorf("an archive does not have %s", page)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	makefile := text(t, "Makefile")
	for _, target := range []string{"notices", "sbom", "release"} {
		if !strings.Contains(makefile, "\n"+target+": ##") {
			t.Errorf("there is no make %s", target)
		}
	}
}

// TestTheImage is not built here: this is what can be said without Docker.
func TestTheImage(t *testing.T) {
	file := text(t, "Dockerfile")
	stages := regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(file, -1)
	if len(stages) != 2 || stages[1][1] != "scratch" {
		t.Fatalf("the stages are %v", stages)
	}
	language := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(text(t, "go.mod"))
	if stages[0][1] != "golang:"+language[1] {
		t.Errorf("it is built with %s, and go.mod asks for Go %s", stages[0][1], language[1])
	}
	for _, part := range []string{"CGO_ENABLED=0 go build -trimpath ", " /etc/ssl/certs/ca-certificates.crt\n"} {
		if !strings.Contains(file, part) {
			t.Errorf("the Dockerfile does not have %q", part)
		}
	}
	if !strings.Contains(text(t, "cmd/discoclaw/main.go"), `_ "time/tzdata"`) {
		t.Error("the image has no time zones")
	}
	if ignored := strings.Fields(text(t, ".dockerignore")); !slices.Contains(ignored, ".env") {
		t.Error("secrets in .env would get into an image")
	}

	var c struct {
		Services map[string]struct {
			Image       string
			Restart     string
			EnvFile     string `yaml:"env_file"`
			Environment map[string]string
			User        string
			ReadOnly    bool `yaml:"read_only"`
			Volumes     []string
			Ports       []string
		}
		Volumes map[string]any
	}
	load(t, "compose.yaml", &c)
	s, ok := c.Services["discoclaw"]
	if !ok || len(c.Services) != 1 {
		t.Fatalf("the services are %v", c.Services)
	}
	if s.Image != "discoclaw" || s.Restart != "unless-stopped" || s.EnvFile != ".env" || !s.ReadOnly {
		t.Errorf("the service is %+v", s)
	}
	said := func(instruction string) string {
		all := regexp.MustCompile(`(?m)^`+instruction+` (.+)$`).FindAllStringSubmatch(file, -1)
		if len(all) != 1 {
			t.Fatalf("%s is there %d times", instruction, len(all))
		}
		return all[0][1]
	}
	if user := said("USER"); user != "65532:65532" || user != s.User || !strings.Contains(file, "--chown="+user+" /out/data /data\n") {
		t.Errorf("it runs as %s, and in compose.yaml as %s", user, s.User)
	}
	name, target, _ := strings.Cut(strings.Join(s.Volumes, " "), ":")
	if _, declared := c.Volumes[name]; !declared || target != said("VOLUME") || target != s.Environment["DISCOCLAW_DATA_DIR"] || said("ENV") != "DISCOCLAW_DATA_DIR="+target {
		t.Errorf("the volumes are %v, the data are in %s", s.Volumes, s.Environment["DISCOCLAW_DATA_DIR"])
	}
	// The bot listens on 127.0.0.1 only, which no port of a container reaches.
	if len(s.Ports) > 0 || strings.Contains(file, "\nEXPOSE ") {
		t.Errorf("the ports %v lead nowhere", s.Ports)
	}
}
