// Package secretfile knows files and folders by whose names programs find their keys.
package secretfile

import (
	"slices"
	"strings"
)

var names = []string{
	".ssh", ".gnupg", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".git-credentials", ".aws", ".azure", ".kube", ".docker",
	".claude", ".codex", ".gemini",
}

// Has reports whether a path, in lower case and with slashes, leads to such a file, or into such a folder.
func Has(path string) bool {
	parts := strings.Split(path, "/")
	return slices.ContainsFunc(parts, func(name string) bool { return slices.Contains(names, name) }) ||
		strings.Contains("/"+path+"/", "/.config/gcloud/")
}

// May is Has, and is also true for names that often are those of keys, and sometimes of other files.
func May(path string) bool {
	return Has(path) || slices.ContainsFunc(strings.Split(path, "/"), func(name string) bool {
		for _, ending := range []string{".pem", ".key", ".p12", ".pfx", ".env"} {
			if strings.HasSuffix(name, ending) {
				return true
			}
		}
		return strings.HasPrefix(name, ".env") || strings.HasPrefix(name, "id_") || strings.HasPrefix(name, "credentials")
	})
}
