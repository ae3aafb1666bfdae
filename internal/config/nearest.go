package config

import "discoclaw/internal/chat"

// Nearest is the name that was probably meant, or nothing if none is within three edits. A
// wrong guess is worse than none.
func Nearest(name string, known []string) string {
	best, distance := "", min(max(len(name)/4, 1), 3)+1
	for _, k := range known {
		if d := chat.Slips(name, k); d < distance {
			best, distance = k, d
		}
	}
	return best
}
