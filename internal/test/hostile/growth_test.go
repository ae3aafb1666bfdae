package hostile_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/test/chaos"
	"discoclaw/internal/test/hostile"
	"discoclaw/internal/test/hostile/work"
	"discoclaw/internal/turn/prompt"
	"discoclaw/internal/turn/render"
)

// shapes are hard on whatever looks for the end of something.
var shapes = map[string]hostile.Text{
	"letters": hostile.Repeat("x"), "words": hostile.Repeat("x "), "lines": hostile.Repeat("x\n"), "blanks": hostile.Repeat(" "), "line ends": hostile.Repeat("\n"),
	"backticks": hostile.Repeat("`"), "backticks of all lengths": hostile.Growing("`", " "), "fences": hostile.Repeat("```\n"),
	"opening tags": hostile.Repeat("<discord-action>"), "angle brackets": hostile.Repeat("<"), "brackets behind blanks": hostile.Repeat("<     "),
	"open braces": hostile.After("<discord-action>", hostile.Repeat("{")), "deep lists": hostile.Repeat("["), "deep objects": hostile.Repeat(`{"a":`),
	"quotes": hostile.Repeat(`"`), "escapes": hostile.After(`{"a":"`, hostile.Repeat(`\`)), "rows": hostile.Repeat("|-|-|\n"), "mentions": hostile.Repeat("<@1"),
	"scans": hostile.Repeat("\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00"), "empty segments": hostile.Repeat("\xff\xe0\x00\x02"), "scans of many colors": hostile.Repeat("\xff\xda\x02\x01\xff" + strings.Repeat("\x01\x00", 255)),
	"turned words": hostile.Repeat("a\u202e"), "joiners": hostile.Repeat("\u200d"), "emoji": hostile.Repeat("👩‍🚀"), "broken bytes": hostile.Repeat("\xff\xf0"),
}

// readers are the functions that read foreign text. Those without steps are measured by what they allocate: the standard
// library reads for them.
func readers(t *testing.T) []reader {
	parser := dialect.New(func(actions.Request) bool { return true }, dialect.Blocks())
	type fields struct {
		Content string   `json:"content" doc:"Text."`
		Tags    []string `json:"tags,omitempty" doc:"Tags."`
	}
	typ, err := schema.Of(reflect.TypeFor[fields]())
	if err != nil {
		t.Fatal(err)
	}
	bot := listen(t)
	person := chat.Person{Member: chat.Member{User: chat.User{ID: "1", Name: "ada lovelace", Handle: "ada"}, DisplayName: "Ada"}}
	around := chat.Surroundings{Channels: slices.Repeat([]chat.Channel{{ID: "2", Name: "book-club", Kind: chat.TextChannel}}, 2), People: slices.Repeat([]chat.Person{person}, 2)}
	return []reader{
		{"blocks: parse", true, func(s string) { parser.Parse(s) }},
		{"blocks: preview", true, func(s string) { parser.Visible(s) }},
		{"blocks: break markers", true, func(s string) { dialect.Defuse(s) }},
		{"blocks: break names", true, func(s string) { dialect.DefuseNames(s) }},
		{"render: messages", true, func(s string) { render.Chunks(s) }},
		{"render: preview", true, func(s string) { render.Preview(s, "12 s") }},
		{"render: tables", true, func(s string) { render.Tables(s) }},
		{"text: take out what is hidden", true, func(s string) { chat.Visible(s) }},
		{"text: one line", true, func(s string) { chat.OneLine(s) }},
		{"text: literal", true, func(s string) { chat.Literal(s) }},
		{"text: words", true, func(s string) { chat.Words(s) }},
		{"text: letters", true, func(s string) { chat.Letters(s) }},
		{"text: cut", true, func(s string) { chat.Cut(s, len(s)/2) }},
		{"prompt: fence of a file", true, func(s string) {
			said := prompt.Said{Opened: chat.Opened{Texts: []chat.Document{{Name: "a", Text: s}}}}
			_, _ = prompt.Message{Said: []prompt.Said{said}}.First(context.Background())
		}},
		{"mentions: whom a text mentions", true, func(s string) { chat.Mentioned(s) }},
		{"mentions: names in a request", true, func(s string) {
			_, _ = prompt.Message{Setting: prompt.Setting{Where: prompt.Where{Around: around}}, Said: []prompt.Said{{Message: chat.Message{Text: s}}}}.First(context.Background())
		}},
		{"pictures: a JPEG", false, func(s string) { openPicture("\xff\xd8\xff" + s) }},
		{"pictures: a JPEG in color", false, func(s string) { openPicture(colored(4) + s) }},
		{"pictures: a JPEG of 255 colors", false, func(s string) { openPicture(colored(255) + s) }},
		{"gateway: a message", true, func(s string) { bot.hear(t, s) }},
		{"schema: fields", false, func(s string) { _, _ = typ.Decode([]byte(s)) }},
		{"schema: a field", false, func(s string) {
			quoted, _ := json.Marshal(map[string]string{"content": s, "tags": s})
			_, _ = typ.Decode(quoted)
		}},
		{"REST: error", false, func(s string) {
			quoted, _ := json.Marshal(map[string]any{"code": 50035, "message": s}) // anything else is retried, since it is not Discord's
			c := discord.New(discord.Options{Token: "t", HTTP: &http.Client{Transport: answering{http.StatusBadRequest, string(quoted)}}})
			_ = c.React(context.Background(), "1", "2", "👍")
			c.Close()
		}},
	}
}

// colored is the beginning of a JPEG of 8 × 8 pixels with n components, all with the same ID.
func colored(n int) string {
	size := 8 + 3*n
	return "\xff\xd8\xff\xc0" + string([]byte{byte(size >> 8), byte(size)}) + "\x08\x00\x08\x00\x08" + string([]byte{byte(n)}) + strings.Repeat("\x01\x11\x00", n)
}

type reader struct {
	name  string
	steps bool
	read  func(string)
}

// dear is how many steps a byte may cost, or allocated bytes. Quadratic work is stopped there.
const dear = 200

// cost is the work for a byte of a text, in steps, or else in allocated bytes.
func (r reader) cost(text string) float64 {
	n, _ := work.Of((dear+1)*len(text), func() { r.read(text) })
	if !r.steps {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r.read(text)
		runtime.ReadMemStats(&after)
		n = int(after.TotalAlloc - before.TotalAlloc)
	}
	return float64(n) / float64(len(text))
}

// ofSize is a text with so many bytes.
func ofSize(text hostile.Text, size int) string { return text(size)[:size] }

// TestGrowth: a byte costs the same in a short text and in a long one, whatever the text.
func TestGrowth(t *testing.T) {
	files := []string{"../../chat/text.go", "../../chat/hidden.go", "../../actions/dialect/*.go", "../../turn/render/*.go", "../../turn/prompt/around.go", "../../chat/mention.go",
		"../../discord/gateway/payload.go", "../../discord/listener.go", "../../discord/wire.go", "../../discord/message_events.go"}
	if !hostile.Counted(t, files...) {
		return
	}
	page, sizes := os.Getenv("DISCOCLAW_GROWTH"), []int{1 << 10, 8 << 10, 128 << 10} // enough to see what is not linear
	if page != "" {
		sizes = []int{1 << 10, 32 << 10, 1 << 20}
	}
	table := chaos.Table{Head: []string{"Reads foreign text", "counted in", "at 1 KB", "at 32 KB", "at 1 MB", "growth from 32 KB to 1 MB"}}
	for _, r := range readers(t) {
		unit := "steps"
		if !r.steps {
			unit = "allocated bytes"
		}
		var worst [3]float64
		growth := 0.0
		for name, text := range shapes {
			var costs [3]float64
			for i, size := range sizes {
				costs[i] = r.cost(ofSize(text, size))
				worst[i] = max(worst[i], costs[i])
			}
			// What a call costs beforehand is spread over more bytes, so that only growth is a fault. An answer is split
			// from one message on, and buffers double; quadratic work would cost at least 16 times as much.
			grown := costs[2] / max(costs[1], 1)
			growth = max(growth, grown)
			if costs[2] > dear || grown > 3 || costs[2]/max(costs[0], 1) > 3 {
				t.Errorf("%s, of %s: %.1f %s for a byte, %.1f and %.1f, at %d bytes", r.name, name, costs[0], unit, costs[1], costs[2], sizes)
			}
		}
		table.Rows = append(table.Rows, []string{r.name, unit, fmt.Sprintf("%.1f", worst[0]), fmt.Sprintf("%.1f", worst[1]), fmt.Sprintf("%.1f", worst[2]), fmt.Sprintf("%.2f", growth)})
	}
	if page != "" {
		const shown = 10
		table.Summary = fmt.Sprintf("The worst of %d shapes of text, for the %d of %d readers whose work grows most:", len(shapes), shown, len(table.Rows))
		slices.SortStableFunc(table.Rows, func(a, b []string) int { return strings.Compare(b[5], a[5]) }) // all are below 3
		table.Rows = table.Rows[:shown]
		if err := os.WriteFile(page, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
