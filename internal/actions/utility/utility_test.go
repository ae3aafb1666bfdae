package utility

import (
	"strings"
	"testing"

	"discoclaw/internal/actions/actionstest"
)

func TestCalculate(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"a product", `{"type":"calculate","expression":" 342 * 15 "}`, "-# Done: `342 * 15` = 5130"},
		{"a bare number", `{"type":"calculate","expression":7}`, "-# Done: `7` = 7"},
		{"nothing", `{"type":"calculate"}`, "Failed: I got the details wrong (`expression: missing`)"},
		{"blank", `{"type":"calculate","expression":"  "}`, "Failed: I got the details wrong (`expression: empty`)"},
		{"too long", `{"type":"calculate","expression":"` + strings.Repeat("1", 201) + `"}`, "Failed: I got the details wrong (`expression: has 201 characters, must have at most 200`)"},
		{"not arithmetic", `{"type":"calculate","expression":"rm -rf"}`, "Failed: I got the details wrong (`expression: unknown name \"rm\"`)"},
		{"by zero", `{"type":"calculate","expression":"1/0"}`, "Failed: I got the details wrong (`expression: division by zero`)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := actionstest.Run(t, New(), tt.in)[0]; got != tt.want {
				t.Errorf("%s: %s, want %s", tt.in, got, tt.want)
			}
		})
	}
}
