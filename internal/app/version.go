package app

import "runtime/debug"

// Version is which build this is, and its revision, if that is known.
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

// versionText is the version for people.
func versionText() string {
	version, revision := Version()
	if revision != "" {
		version += " (" + revision + ")"
	}
	return version
}
