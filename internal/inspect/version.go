package inspect

import "runtime/debug"

// Version returns the version of this build, and its revision if that is known.
func Version() (version, revision string) {
	version = "unknown"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version, ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			revision = s.Value[:min(len(s.Value), 12)]
		}
	}
	return info.Main.Version, revision
}

// VersionText formats the version for people.
func VersionText() string {
	version, revision := Version()
	if revision != "" {
		version += " (" + revision + ")"
	}
	return version
}
