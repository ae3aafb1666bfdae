package layout_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/layout"
)

func TestLinesAreInTheOrderInWhichTheyCanBeCarriedOut(t *testing.T) {
	t.Parallel()
	got, err := layout.Parse(`
		deny #ops bob: View Channel, Send Messages # a comment
		post "Dark in here" in ideas [bug, good idea]: my eyes: they hurt
		thread "help me" in #general: private
		member Ada
		#
		tag "good idea" in ideas: 💡
		tag bug in ideas
		guild disco: #general #ops	# another
		role mods
		guild lair: #traps
		bot Robo:
		member gus: owner`)
	if err != nil {
		t.Fatal(err)
	}
	want := []layout.Line{
		{Word: "guild", Name: "disco", Items: []string{"#general", "#ops"}},
		{Word: "guild", Guild: 1, Name: "lair", Items: []string{"#traps"}},
		{Word: "tag", Name: "good idea", In: "ideas", Items: []string{"💡"}},
		{Word: "tag", Name: "bug", In: "ideas"},
		{Word: "role", Name: "mods"},
		{Word: "member", Name: "Ada"},
		{Word: "bot", Guild: 1, Name: "Robo", Items: []string{}},
		{Word: "member", Guild: 1, Name: "gus", Items: []string{"owner"}},
		{Word: "bot", Name: "Robo"},
		{Word: "member", Name: "owner", Items: []string{"owner"}},
		{Word: "post", Name: "Dark in here", In: "ideas", Items: []string{"bug", "good idea"}, Text: "my eyes: they hurt"},
		{Word: "thread", Name: "help me", In: "#general", Items: []string{"private"}},
		{Word: "deny", Name: "bob", In: "#ops", Items: []string{"View Channel", "Send Messages"}},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(layout.Line{})); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestALayoutThatCannotBeReadNamesItsLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, layout, want string }{
		{"nothing at all", "", "no guild"},
		{"unknown word", "guild d: #a\nchannel b", "line 2 (channel b): \"channel\" begins no line"},
		{"a name that the bot would have", "guild d: #a\nmember DiscoClaw", "make a bot: the name DiscoClaw is taken; name it with a bot line"},
		{"two guilds of one name", "guild d: #a\nguild D: #b", "line 2"},
		{"channel without kind", "guild d: general", `"general" is no channel`},
		{"unknown kind", "guild d: a:chess", `"a:chess" is no channel`},
		{"unknown permission", "guild d: #a\n\nrole r: Fly", `line 3 (role r: Fly): there is no permission "Fly"`},
		{"unknown role", "guild d: #a\nmember bob: mods", "there is no role mods"},
		{"two of one name", "guild d: #a\nmember bob\nmember Bob", "line 3 (member Bob): the name Bob is taken"},
		{"two owners", "guild d: #a\nmember a: owner\nmember b: owner", "has an owner already"},
		{"two bots", "guild d: #a\nbot a\nbot b", "there is a bot already"},
		{"member without a name", "guild d: #a\nmember", "the name is missing"},
		{"thread without quotes", "guild d: #a\nthread x in #a", `write thread "name" in #channel`},
		{"thread nowhere", "guild d: #a\nthread \"x\" in #b", "there is no channel #b"},
		{"thread in a voice channel", "guild d: a:voice\nthread \"x\" in a", "has no threads"},
		{"thread with a strange state", "guild d: #a\nthread \"x\" in #a: green", "not green"},
		{"category without a name", "guild d: #a\ncategory : #b", "the category's name is missing"},
		{"category in a category", "guild d: #a\ncategory b: c:category", "c cannot be in a category"},
		{"category with a strange channel", "guild d: #a\ncategory b: c", `"c" is no channel`},
		{"tag without a forum", "guild d: #a\ntag bug", `write tag "name" in forum`},
		{"tag nowhere", "guild d: #a\ntag bug in b", "there is no channel b"},
		{"tag in a text channel", "guild d: #a\ntag bug in a", "#a is not a forum"},
		{"tag with two emoji", "guild d: a:forum\ntag bug in a: 🐛, 🦋", "🦋 would be the second"},
		{"post without a text", "guild d: a:forum\npost \"x\" in a", "a colon, and its text"},
		{"post in a text channel", "guild d: #a\npost \"x\" in a: y", "#a is not a forum"},
		{"post with an unknown tag", "guild d: a:forum\npost \"x\" in a [bug]: y", "#a has no tag bug"},
		{"overwrite for nobody", "guild d: #a\ndeny #a bob: View Channel", "no member and no role bob"},
		{"a time that is none", "guild d: #a\n-2x ada in #a: hi", `"-2x" is no time`},
		{"an hour of hours", "guild d: #a\n-2h 09:00 ada in #a: hi", "only days have a time of the day"},
		{"a time without a word", "guild d: #a\n-2h ada sings: la", "comes in, posts, asks or holds"},
		{"said nowhere", "guild d: #a\n-2h ada in #b: hi", "there is no channel #b"},
		{"said in a forum", "guild d: a:forum\n-2h ada in a: hi", "nobody can write in #a itself"},
		{"said by nobody", "guild d: #a\n-2h bob in #a: hi", "there is no member bob"},
		{"said in the future", "guild d: #a\n+2h ada in #a: hi", "has not happened yet"},
		{"an event in the past", "guild d: #a\n-2h ada holds \"x\" in here for 2h: hi", "begins later than now"},
		{"an event without an end", "guild d: #a\n+2h ada holds \"x\" in here for ever: hi", `"ever" is no duration`},
		{"a pin of nothing", "guild d: #a\npinned", "pinned belongs below a message"},
		{"a reaction of nobody", "guild d: #a\n-2h ada in #a: hi\nreaction 👍", "who reacted"},
		{"a note about nobody", "guild d: #a\nabout bob: hi", "there is no member bob"},
		{"a task of nobody", "guild d: #a\ntask paint", "write of, a name"},
		{"overwrite without permissions", "guild d: #a\ndeny #a ada", "a colon"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := fakediscord.New(tt.layout)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("New(%q) = %v, want an error with %q", tt.layout, err, tt.want)
			}
		})
	}
}
