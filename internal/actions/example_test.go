package actions_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/dialect"
)

// A Category counts things.
type Category struct{}

// New returns the counting category. What a category needs comes in here.
func New() *Category { return &Category{} }

func (*Category) Name() string { return "counting" }

func (*Category) Flag() actions.Flag {
	return actions.Flag{Env: "DISCOCLAW_DISCORD_ACTIONS_COUNTING", Default: true}
}

func (c *Category) Actions() []*actions.Action {
	return []*actions.Action{c.wordCount()}
}

// A WordCount counts the words of a text.
type WordCount struct {
	Text string `json:"text" doc:"The text to count." max:"2000"`
	Most int    `json:"most,omitempty" doc:"Stop counting there." min:"1" default:"100"`
}

func (c *Category) wordCount() *actions.Action {
	return actions.Define(actions.Spec[WordCount]{
		Name:     "wordCount",
		Summary:  "Count the words of a text.",
		Sentence: "Count the words of {text}, up to {most}",
		Examples: []WordCount{{Text: "to be or not"}},
		Do: func(_ context.Context, _ actions.Call, in WordCount) (actions.Result, error) {
			n := min(len(strings.Fields(in.Text)), in.Most)
			return actions.Result{Summary: fmt.Sprintf("Word count: %d", n)}, nil
		},
	})
}

// Example is the whole way of a request, from a model's text to the lines below
// the reply.
func Example() {
	registry, err := actions.NewRegistry(New())
	if err != nil {
		panic(err)
	}
	gate := registry.Gate(actions.FlagsOf(registry.Categories(), func(string) bool { return true }))

	reply := `Let me count. <discord-action>{"type":"wordCount","text":"to be or not to be"}</discord-action>`
	parsed := dialect.New(gate.Accepts, dialect.Blocks()).Parse(reply)
	try, stripped := gate.Split(parsed.Requests)
	outcomes := actions.NewDispatcher(actions.DispatcherOptions{}).Execute(context.Background(), actions.Origin{Flow: actions.FlowMessage}, gate, try)

	fmt.Println(parsed.Text)
	fmt.Println(strings.Join(actions.Lines(outcomes), "\n"))
	fmt.Println(len(stripped), "stripped")
	// Output:
	// Let me count.
	// Done: Word count: 6
	// 0 stripped
}

func TestWordCount(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"a few", `{"type":"wordCount","text":"a b c"}`, "Done: Word count: 3"},
		{"no more than asked", `{"type":"wordCount","text":"a b c","most":2}`, "Done: Word count: 2"},
		{"nothing", `{"type":"wordCount"}`, "Failed: I got the details wrong, so that was not done; if I do not put it right below, please ask again"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := actionstest.Run(t, New(), tt.in)[0]; got != tt.want {
				t.Errorf("%s: %s, want %s", tt.in, got, tt.want)
			}
		})
	}
}

// TestPagesShowCodeThatCompiles compares the pages for contributors with this file and that of the ways in.
func TestPagesShowCodeThatCompiles(t *testing.T) {
	source := ""
	for _, file := range []string{"example_test.go", "../flow/example_test.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source += string(text)
	}
	for _, name := range []string{"CONTRIBUTING.md", "docs/dev/adding.md"} {
		page, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		blocks := strings.Split(string(page), "```go\n")[1:]
		if len(blocks) == 0 {
			t.Errorf("%s shows no code", name)
		}
		for _, block := range blocks {
			code, _, _ := strings.Cut(block, "```")
			if !strings.Contains(source, code) {
				t.Errorf("this part of %s is not in example_test.go:\n%s", name, code)
			}
		}
	}
}
