package skip

import (
	"os"
	"path/filepath"
	"testing"
)

// WithoutNode skips the test where npm packages are not installed, and returns the folder of this name that has them as node_modules. .ci/run
// installs them, and demands them with DISCOCLAW_TEST_NODE=1. By hand it is, for a folder in which package.json is:
//
//	dir=$(mktemp -d) && cp -r FOLDER "$dir" && npm ci --ignore-scripts --prefix "$dir/NAME" && DISCOCLAW_NPM=$dir go test …
func WithoutNode(t testing.TB, name string) string {
	t.Helper()
	if in := os.Getenv("DISCOCLAW_NPM"); in != "" {
		dir := filepath.Join(in, name)
		if _, err := os.Stat(filepath.Join(dir, "node_modules")); err == nil {
			return dir
		}
	}
	reason := "DISCOCLAW_NPM names no folder with the packages of " + name + ", which need Node.js; .ci/run installs them"
	if os.Getenv("DISCOCLAW_TEST_NODE") == "1" {
		t.Fatal(reason)
	}
	t.Skip(reason)
	return ""
}
