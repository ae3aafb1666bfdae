package fakediscord

import (
	"strings"

	"discoclaw/internal/chat"
)

// isEmoji reports whether s is exactly one Unicode emoji, by the ranges of its
// characters: Discord has a list instead.
func isEmoji(s string) bool {
	var single, flags, keys int
	joined := false
	for _, r := range s {
		switch {
		case r == zeroWidthJoiner:
			joined = true
			continue
		case isModifier(r):
		case r >= 0x1F1E6 && r <= 0x1F1FF: // two letters make a flag
			flags++
		case strings.ContainsRune("0123456789#*", r): // a keycap
			keys++
		case isPictograph(r):
			if !joined {
				single++
			}
		default:
			return false
		}
		joined = false
	}
	switch {
	case single == 1:
		return flags == 0 && keys == 0
	case flags == 2:
		return single == 0 && keys == 0
	default:
		return keys == 1 && single == 0 && strings.ContainsRune(s, keycap)
	}
}

const (
	zeroWidthJoiner = 0x200D
	keycap          = 0x20E3
)

// isModifier reports whether r modifies the emoji before it: its style, skin tone, or
// flag.
func isModifier(r rune) bool {
	return r == 0xFE0F || r == keycap || r >= 0x1F3FB && r <= 0x1F3FF || r >= 0xE0020 && r <= 0xE007F
}

func isPictograph(r rune) bool {
	for _, block := range [][2]rune{
		{0xA9, 0xA9}, {0xAE, 0xAE}, {0x203C, 0x203C}, {0x2049, 0x2049}, {0x2122, 0x2122}, {0x2139, 0x2139},
		{0x2190, 0x21FF}, {0x2300, 0x23FF}, {0x24C2, 0x24C2}, {0x25A0, 0x27BF}, {0x2934, 0x2935},
		{0x2B00, 0x2BFF}, {0x3030, 0x3030}, {0x303D, 0x303D}, {0x3297, 0x3299}, {0x1F000, 0x1FAFF},
	} {
		if r >= block[0] && r <= block[1] {
			return true
		}
	}
	return false
}

// reaction finds the reaction with an emoji, in any spelling.
func (m *Message) reaction(e chat.Emoji) *Reaction {
	for i := range m.Reactions {
		if chat.Emoji(m.Reactions[i].Emoji).Same(e) {
			return &m.Reactions[i]
		}
	}
	return nil
}
