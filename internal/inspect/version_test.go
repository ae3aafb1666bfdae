package inspect

import "testing"

func TestAReleaseNamesItsTagCommitAndDate(t *testing.T) {
	t.Cleanup(func() { version, commit, date = "", "", "" })
	if b := Version(); b.Version == "" || b.Version == "unknown" {
		t.Errorf("a test is of version %q", b.Version)
	}
	version, commit, date = "v0.1.0", "0123456789abcdef0123456789abcdef01234567", "2026-11-18T16:17:00Z"
	b := Version()
	if want := (Build{"v0.1.0", "0123456789ab", "2026-11-18"}); b != want {
		t.Errorf("the version is %+v, want %+v", b, want)
	}
	if got, want := b.Origin(), "commit 0123456789ab of 2026-11-18"; got != want {
		t.Errorf("it comes from %q, want %q", got, want)
	}
	if got, want := VersionText(), "v0.1.0 (0123456789ab)"; got != want {
		t.Errorf("people read %q, want %q", got, want)
	}
}

func TestWhatIsNotKnownOfABuildIsLeftOut(t *testing.T) {
	for want, b := range map[string]Build{
		"":                    {Version: "(devel)"},
		"commit 0123456789ab": {Version: "v0.1.0", Commit: "0123456789ab"},
	} {
		if got := b.Origin(); got != want {
			t.Errorf("%+v comes from %q, want %q", b, got, want)
		}
	}
}
