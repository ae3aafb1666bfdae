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
		{"nothing", `{"type":"calculate"}`, "Failed: calculate: expression: missing"},
		{"blank", `{"type":"calculate","expression":"  "}`, "Failed: calculate: expression: empty"},
		{"too long", `{"type":"calculate","expression":"` + strings.Repeat("1", 201) + `"}`, "Failed: calculate: expression: has 201 characters, must have at most 200"},
		{"not arithmetic", `{"type":"calculate","expression":"rm -rf"}`, "Failed: calculate: expression: unknown name \"rm\""},
		{"by zero", `{"type":"calculate","expression":"1/0"}`, "Failed: calculate: expression: division by zero"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := actionstest.Run(t, New(nil), tt.in)[0]
			if strings.HasPrefix(got, "Failed: ") {
				got = actionstest.Tell(t, New(nil), tt.in)[0] // people are not told why
			}
			if got != tt.want {
				t.Errorf("%s: %s, want %s", tt.in, got, tt.want)
			}
		})
	}
}
