// Package foreign has tests in which programs of others meet ours: published MCP servers, whose tools a turn uses, and clients of Discord, which
// take named steps on the fake one. How many of their steps went as on Discord, and which did not, is in the golden files.
//
// Most of the programs are npm packages, listed in the folder npm with the checksums of all that they need. Where they are not installed, the tests
// are skipped; .ci/run installs them, and so does
//
//	dir=$(mktemp -d) && cp internal/test/foreign/npm/{.npmrc,*.json} "$dir" && npm ci --ignore-scripts --prefix "$dir"
//	DISCOCLAW_NPM=$dir go test ./internal/test/foreign
package foreign

import (
	"os"
	"path/filepath"
	"testing"
)

// installed returns the path of a file of the npm packages. It skips the test where they are not installed.
func installed(t *testing.T, file string) string {
	t.Helper()
	dir := os.Getenv("DISCOCLAW_NPM")
	if dir == "" {
		const reason = "DISCOCLAW_NPM names no folder with the packages of internal/test/foreign/npm, which need Node.js; .ci/run installs them"
		if os.Getenv("DISCOCLAW_REQUIRE_NPM") == "1" {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	path := filepath.Join(dir, "node_modules", file)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("DISCOCLAW_NPM names a folder without what is needed: %v; install the packages of internal/test/foreign/npm there with npm ci", err)
	}
	return path
}
