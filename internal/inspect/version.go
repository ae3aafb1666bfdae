package inspect

import "runtime/debug"

// A release is linked with these (-ldflags -X, see .goreleaser.yaml and Dockerfile). They are empty otherwise.
var (
	version string // the tag, such as v0.1.0
	commit  string
	date    string // of the commit, in RFC 3339
)

// A Build says what the program was made from. What is not known is empty.
type Build struct {
	Version string // the tag; for other builds what Go makes of the commit, or (devel)
	Commit  string // its first twelve digits
	Date    string // of the commit, as in 2026-11-18
}

// Version returns what this program was made from: what a release was linked with, or else what Go has noted. Go notes the commit for
// "go build" in a clone, and nothing for "go run" and tests.
func Version() Build {
	b := Build{Version: "unknown"}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Version = info.Main.Version
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Commit = s.Value
			case "vcs.time":
				b.Date = s.Value
			}
		}
	}
	if version != "" {
		b = Build{version, commit, date}
	}
	b.Commit = b.Commit[:min(len(b.Commit), 12)]
	b.Date = b.Date[:min(len(b.Date), len("2026-11-18"))]
	return b
}

// Origin returns the commit and its date for people, as in "commit 0123456789ab of 2026-11-18", or "" if they are not known.
func (b Build) Origin() string {
	switch {
	case b.Commit == "":
		return ""
	case b.Date == "":
		return "commit " + b.Commit
	}
	return "commit " + b.Commit + " of " + b.Date
}

// VersionText formats the version for people.
func VersionText() string {
	b := Version()
	if b.Commit == "" {
		return b.Version
	}
	return b.Version + " (" + b.Commit + ")"
}
