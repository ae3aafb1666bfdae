package chat

// Length is the length of s as Discord counts it, in UTF-16 code units: an emoji
// outside the basic plane counts twice.
func Length(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// Clip cuts s after most characters and marks the cut, so that a value someone
// else made up cannot fill a message.
func Clip(s string, most int) string {
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
