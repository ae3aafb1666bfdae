package chat_test

import (
	"encoding"
	"maps"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/chat"
)

func unmarshal[T ~string, P interface {
	*T
	encoding.TextUnmarshaler
}](text string) string {
	var v T
	if err := P(&v).UnmarshalText([]byte(text)); err != nil {
		return "error: " + err.Error()
	}
	return string(v)
}

func TestChannelRef(t *testing.T) {
	for in, want := range map[string]string{
		"general":               "general",
		"#general":              "general",
		" #general ":            "general",
		"# general":             "general",
		"##general":             "#general", // one is the mark, the other part of the name
		"<#123456789012345678>": "123456789012345678",
		"123456789012345678":    "123456789012345678",
		"<#general":             "<#general",
		"büro-🌻":                "büro-🌻",
		"":                      "error: empty; give a channel's name or ID",
		" # ":                   "error: empty; give a channel's name or ID",
		"<#>":                   "error: empty; give a channel's name or ID",
	} {
		if got := unmarshal[chat.ChannelRef](in); got != want {
			t.Errorf("%q is read as %q, want %q", in, got, want)
		}
	}
	if id, ok := chat.ChannelRef("123456789012345678").ID(); !ok || id != "123456789012345678" {
		t.Error("an ID was not recognised")
	}
	if _, ok := chat.ChannelRef("2024").ID(); ok {
		t.Error("a short number was taken for an ID")
	}
}

func TestMessageRef(t *testing.T) {
	const none = ` is no message: give a handle such as m2, an ID (15 to 20 digits), a link, or "last"`
	for in, want := range map[string]string{
		"123456789012345678": "123456789012345678",
		"last":               "last",
		" Last ":             "last",
		"https://discord.com/channels/111111111111111111/222222222222222222/333333333333333333": "222222222222222222/333333333333333333",
		"https://discord.com/channels/@me/222222222222222222/333333333333333333":                "222222222222222222/333333333333333333",
		"222222222222222222/333333333333333333":                                                 "222222222222222222/333333333333333333",
		"m9":                                                                                    "error: there is no message m9 in this conversation or its results",
		"the first one":                                                                         `error: "the first one"` + none,
		"":                                                                                      `error: ""` + none,
		"https://discord.com/channels/":                                                         `error: "https://discord.com/channels/"` + none,
	} {
		if got := unmarshal[chat.MessageRef](in); got != want {
			t.Errorf("%q is read as %q, want %q", in, got, want)
		}
	}
	if r := chat.MessageRef("222222222222222222/333333333333333333"); r.ID() != "333333333333333333" || r.Channel() != "222222222222222222" {
		t.Errorf("%s is %s in %s", r, r.ID(), r.Channel())
	}
	if r := chat.MessageRef("333333333333333333"); r.ID() != "333333333333333333" || r.Channel() != "" {
		t.Errorf("%s is %s in %s", r, r.ID(), r.Channel())
	}
}

func TestEmoji(t *testing.T) {
	for in, want := range map[string]string{
		"👍":                            "👍",
		" 👍 ":                          "👍",
		":thumbsup:":                   "👍",
		"thumbsup":                     "👍",
		":+1:":                         "👍",
		"👩‍👩‍👧":                        "👩‍👩‍👧",
		"1️⃣":                          "1️⃣",
		"<:party:123456789012345678>":  "party:123456789012345678",
		"<a:party:123456789012345678>": "party:123456789012345678",
		"a:party:123456789012345678":   "party:123456789012345678",
		"party:123456789012345678":     "party:123456789012345678",
		":nosuchthing:":                `error: there is no emoji ":nosuchthing:" here; write the character itself, such as 👍`,
		"nice":                         `error: there is no emoji "nice" here; write the character itself, such as 👍`,
		"":                             `error: "" is not an emoji`,
		"👍 👍":                          `error: "👍 👍" is not an emoji`,
		"../../x":                      `error: "../../x" is not an emoji`,
		"<:party:1>":                   `error: "party:1" is not an emoji`,
	} {
		if got := unmarshal[chat.Emoji](in); got != want {
			t.Errorf("%q is read as %q, want %q", in, got, want)
		}
	}
	if !chat.Emoji("❤️").Same("❤") || !chat.Emoji("a:123456789012345678").Same("b:123456789012345678") || chat.Emoji("👍").Same("👎") {
		t.Error("Same is wrong")
	}
}

func TestMentioned(t *testing.T) {
	for text, want := range map[string]string{
		"<@1> and <@!22>, <@1>": "1 22", "<@>": "", "<@1": "", "<@1 >": "", "<@<@3>": "3", "<@&4> <#5>": "", "@everyone": "",
	} {
		var got []string
		for _, id := range slices.Sorted(maps.Keys(chat.Mentioned(text))) {
			got = append(got, string(id))
		}
		if strings.Join(got, " ") != want || len(got) > 0 && got[0] == "" {
			t.Errorf("%q mentions %v, want %s", text, got, want)
		}
	}
}
