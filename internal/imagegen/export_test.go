package imagegen

import "strings"

// Models returns the names of all models that are known, by their provider.
func Models(provider string) []string {
	var names []string
	for _, r := range built().Models {
		if r.Provider == provider && !strings.HasSuffix(r.Name, "*") {
			names = append(names, r.Name)
		}
	}
	return names
}
