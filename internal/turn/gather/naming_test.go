package gather

import (
	"strings"
	"testing"

	"discoclaw/internal/chat"
)

// TestNamedForCertain: by an ID or a whole name, in every language alike, and of names within names the longest. What the people of a turn may
// not know of changes nothing.
func TestNamedForCertain(t *testing.T) {
	t.Parallel()
	type thing struct{ id, name string }
	all := []thing{
		{"x-1", "Morning weather"}, {"x-2", "Evening weather"}, {"x-3", "Weather"}, {"x-4", "Tea"}, {"x-5", "🌅"}, {"x-6", "Menu of lunch"}, {"x-7", "On-call question"},
		{"x-8", "Secret weather of all"}, {"x-9", "marked"}, {"x-10", "a marked one"}, {"x-11", "朝の天気"}, {"x-12", "Tee"}, {"x-13", "Tee"},
	}
	for _, tt := range []struct{ name, text, want string }{
		{"an ID", "pause X-1, please", "x-1"},
		{"an ID comes before a name", "is x-1 the evening weather?", "x-1 x-2"},
		{"an unknown ID, and a name", "is x-99 the “evening weather”?", "x-2"},
		{"the ID of one that they may not know of", "show x-8", ""},
		{"part of an ID", "x-1a or xx-1", ""},
		{"a whole name", "mach   MORNING Weather aus", "x-1"},
		{"the longest of the names within each other", "show me the evening weather", "x-2"},
		{"none within one that they may not know of", "secret weather of all", "x-3"},
		{"a name with marks", "when does the on call question run?", "x-7"},
		{"words of a name in another order", "what is for lunch on the menu?", ""},
		{"parts of words", "teatime, steam, weathered", ""},
		{"a name without letters", "🌅", ""},
		{"one that outsiders may have chosen, short", "it is marked", ""},
		{"one that outsiders may have chosen, long", "it is a marked one", "x-10"},
		{"in a script without spaces", "朝の天気は何時?", "x-11"},
		{"two of one name", "tee", "x-12 x-13"},
		{"more than two", "tea, lunch, evening weather, morning weather", "x-1 x-2"},
		{"nothing", "", ""},
	} {
		said := chat.WordingOf(tt.text)
		naming := Naming[thing]{
			Certain: func(x thing) bool { return said.Has(x.id) },
			Name:    func(x thing) string { return x.name },
			Marked:  func(x thing) bool { return strings.Contains(x.name, "marked") },
			Sees:    func(x thing) bool { return !strings.HasPrefix(x.name, "Secret") },
		}
		var ids []string
		for _, x := range naming.In(tt.text, all) {
			ids = append(ids, x.id)
		}
		if got := strings.Join(ids, " "); got != tt.want {
			t.Errorf("%s: %q names %q, want %q", tt.name, tt.text, got, tt.want)
		}
	}
}
