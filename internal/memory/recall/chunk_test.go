package recall

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"discoclaw/internal/chat"
)

func TestChunks(t *testing.T) {
	sentence := strings.Repeat("word ", 99) + "end. "           // 500 characters
	code := "```\n" + strings.Repeat("x := 1. \n", 200) + "```" // 1,807
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"short", " Hi. There! ", []string{"Hi. There!"}},
		{"blank", " \n ", nil},
		{"at a sentence", strings.Repeat(sentence, 4), []string{strings.TrimSpace(strings.Repeat(sentence, 3)), strings.TrimSpace(sentence)}},
		{"nowhere better", strings.Repeat("x", 2000), []string{strings.Repeat("x", 1500), strings.Repeat("x", 500)}},
		{"code at the beginning", code + " after", []string{code, "after"}},
		{"code later", sentence + code, []string{strings.TrimSpace(sentence), code}},
		{"code without an end", "```" + strings.Repeat("y", 7000), []string{"```" + strings.Repeat("y", 5997), strings.Repeat("y", 1003)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := chunks(tt.text); !slices.Equal(got, tt.want) {
				t.Errorf("chunks of %d characters: %q", len(tt.text), got)
			}
		})
	}
}

// TestChunksLoseNothing but white space, and none is too long.
func TestChunksLoseNothing(t *testing.T) {
	dense := func(s string) string { return strings.Join(strings.Fields(s), "") }
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"wörter ", "日本。", ". ", "\n\n", "```", strings.Repeat("z", 700), "! "}), 0, 60).Draw(t, "text"), "")
		list := chunks(text)
		if got := dense(strings.Join(list, "")); got != dense(text) {
			t.Fatalf("%q became %q", text, list)
		}
		for _, c := range list {
			if n := len([]rune(c)); n > maxFence || n > chunkLength && !strings.HasPrefix(c, "```") {
				t.Fatalf("a chunk of %d: %q", n, c)
			}
		}
	})
}

func TestTerms(t *testing.T) {
	for text, want := range map[string]string{
		"When do the backups of db-2 run?":            `"backups" "db" "2" "run"`,
		"what is it about?":                           ``,
		"<@123456789012345678> Über-Straße & naïveté": `"über" "straße" "naïveté"`,
		"東京の天気 today":                                 `"today" "東京" "京の" "の天" "天気"`,
		`"; DROP`:                                     `"drop"`,
		"wombat wombat Wombat":                        `"wombat"`,
	} {
		if got := strings.Join(terms(text), " "); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestAHitInBothListsWins, and one in the same channel before one elsewhere.
func TestAHitInBothListsWins(t *testing.T) {
	hit := func(message, channel string) Hit {
		var h Hit
		h.At.Message, h.At.Channel = chat.MessageID(message), chat.ChannelID(channel)
		return h
	}
	order := func(hits []Hit) (all string) {
		for _, h := range hits {
			all += string(h.At.Message)
		}
		return all
	}
	words := []Hit{hit("a", "x"), hit("b", "x"), hit("c", "x")}
	meaning := []Hit{hit("d", "x"), hit("c", "x"), hit("a2", "x")}
	if got := order(fuse("y", words, meaning)); !strings.HasPrefix(got, "c") {
		t.Errorf("fused: %s", got)
	}
	if got := order(fuse("y", words, nil)); got != "abc" {
		t.Errorf("one list: %s", got)
	}
	words[2].At.Channel = "y"
	if got := order(fuse("y", words, nil)); got != "cab" {
		t.Errorf("one of them here: %s", got)
	}
	if got := order(fuse("y", []Hit{hit("a", "x"), hit("a", "x"), hit("b", "x")})); got != "ab" {
		t.Errorf("two rows of a message: %s", got)
	}
}
