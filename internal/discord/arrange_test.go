package discord_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

const arranged = `
guild disco: #a #b talk:voice #c Empty:category Full:category
category Full: #x #y #z
`

func TestMoveChannel(t *testing.T) {
	t.Parallel()
	const none, stay = "", "-"
	for _, tt := range []struct {
		name     string
		channel  string
		parent   string
		position int // -1 for none
		want     string
	}{
		{"to the front", "c", stay, 0, "c a b talk Empty Full x y z"},
		{"back by one", "b", stay, 2, "a c b talk Empty Full x y z"},
		{"to where it is", "b", stay, 1, "a b c talk Empty Full x y z"},
		{"beyond the end", "a", stay, 99, "b c a talk Empty Full x y z"},
		{"within a category", "z", stay, 0, "a b c talk Empty Full z x y"},
		{"into an empty category", "a", "Empty", -1, "b c talk Empty a Full x y z"},
		{"into a category, between others", "c", "Full", 1, "a b talk Empty Full x c y z"},
		{"out of a category, to the front", "y", none, 0, "y a b c talk Empty Full x z"},
		{"a category", "Full", stay, 0, "a b c talk Full x y z Empty"},
		{"a voice channel, which stands below the others", "talk", "Full", 0, "a b c Empty Full x y z talk"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			offTheAir(t, arranged, func(t *testing.T, b *bench) {
				var parent *chat.ChannelID
				if tt.parent != stay {
					parent = new(chat.ChannelID)
					if tt.parent != none {
						*parent = b.ChannelID(tt.parent)
					}
				}
				var position *int
				if tt.position >= 0 {
					position = &tt.position
				}
				if err := b.client.MoveChannel(t.Context(), b.GuildID(), b.ChannelID(tt.channel), parent, position); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff([]string{patchChannels + " 204"}, b.requests()); diff != "" {
					t.Errorf("requests (-want +got):\n%s", diff)
				}
				got := strings.Join(strings.Fields(strings.Join(b.shown(t), " ")), " ")
				if got != tt.want {
					t.Errorf("the cache has %s, want %s", got, tt.want)
				}
				b.login(t) // and is described anew
				if told := strings.Join(strings.Fields(strings.Join(b.shown(t), " ")), " "); told != tt.want {
					t.Errorf("Discord shows %s, want %s", told, tt.want)
				}
			})
		})
	}
}

// TestAMoveKeepsTheOrderOfOthers moves at random, over numbers with gaps and duplicates.
func TestAMoveKeepsTheOrderOfOthers(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #a #b #c #d #e #f", func(t *testing.T, b *bench) {
		random := rand.New(rand.NewPCG(1, 2))
		order := b.shown(t)
		for range 40 {
			from, to := random.IntN(len(order)), random.IntN(len(order))
			name := order[from]
			want := slices.Insert(slices.Delete(slices.Clone(order), from, from+1), to, name)
			if err := b.client.MoveChannel(t.Context(), b.GuildID(), b.ChannelID(name), nil, &to); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if order = b.shown(t); !slices.Equal(order, want) {
				t.Fatalf("%s to %d gave %v, want %v", name, to, order, want)
			}
		}
	})
}

func TestAMoveChangesNoRights(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #secret Open:category\nmember bob\ndeny #secret bob: View Channel", func(t *testing.T, b *bench) {
		open := b.ChannelID("Open")
		if err := b.client.MoveChannel(t.Context(), b.GuildID(), b.ChannelID("secret"), &open, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Say("bob", "#secret", "hello"); err == nil {
			t.Error("a private channel became public")
		}
	})
}

func TestChannelsThatTheBotDoesNotSeeAreNotMoved(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #a #hidden #b\ndeny #hidden bot: View Channel", func(t *testing.T, b *bench) {
		first := 0
		if err := b.client.MoveChannel(t.Context(), b.GuildID(), b.ChannelID("b"), nil, &first); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"b", "a"}, b.shown(t)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestBadMovesAreRefusedWithoutARequest(t *testing.T) {
	t.Parallel()
	onBench(t, arranged+"thread \"help\" in #a", func(t *testing.T, b *bench) {
		full, a := b.ChannelID("Full"), b.ChannelID("a")
		minus := -1
		for _, tt := range []struct {
			name     string
			channel  chat.ChannelID
			parent   *chat.ChannelID
			position *int
			want     string
		}{
			{"a thread", b.ChannelID("help"), &full, nil, "#help is a thread, which stays"},
			{"a category into a category", b.ChannelID("Empty"), &full, nil, "cannot be inside another"},
			{"into a channel", b.ChannelID("b"), &a, nil, "#a is a text channel"},
			{"before the first", a, nil, &minus, "the first is 0"},
			{"no ID", "a", &full, nil, "not a channel's ID"},
		} {
			err := b.client.MoveChannel(t.Context(), b.GuildID(), tt.channel, tt.parent, tt.position)
			if err == nil || !strings.Contains(b.named(err), tt.want) {
				t.Errorf("%s: error %v, want something about %q", tt.name, err, tt.want)
			}
		}
		if err := b.client.MoveChannel(t.Context(), "123456789012345678", a, &full, nil); err == nil {
			t.Error("a channel of one server was moved on another")
		}
		if got := b.requests(); len(got) > 0 {
			t.Errorf("requests: %v", got)
		}
	})
}

func TestANewChannelHasTheWantedPosition(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		position int
		want     string
		requests int
	}{
		{0, "new A B C", 2}, // the others have to make room first
		{1, "A new B C", 2},
		{3, "A B C new", 1},
		{99, "A B C new", 1},
	} {
		t.Run(fmt.Sprint(tt.position), func(t *testing.T) {
			t.Parallel()
			offTheAir(t, "guild disco: A:category B:category C:category", func(t *testing.T, b *bench) {
				if _, err := b.client.CreateChannel(t.Context(), b.GuildID(), chat.NewChannel{Name: "new", Kind: chat.CategoryKind, Position: &tt.position}); err != nil {
					t.Fatal(err)
				}
				if got := b.requests(); len(got) != tt.requests {
					t.Errorf("requests: %v", got)
				}
				if got := strings.Join(b.shown(t), " "); got != tt.want {
					t.Errorf("the bot believes %s, want %s", got, tt.want)
				}
				b.login(t)
				if got := strings.Join(b.shown(t), " "); got != tt.want {
					t.Errorf("Discord shows %s, want %s", got, tt.want)
				}
			})
		})
	}
}

func TestAChannelIsNotMadeWhereThereIsNoRoom(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #a #b", func(t *testing.T, b *bench) {
		b.Fail(fakediscord.Fault{Match: patchChannels, Status: 500})
		first := 0
		if _, err := b.client.CreateChannel(t.Context(), b.GuildID(), chat.NewChannel{Name: "new", Position: &first}); err == nil {
			t.Error("no error")
		}
		if got := b.count(postChannel); got > 0 || len(b.Channels()) != 2 {
			t.Errorf("%d channels after %v", len(b.Channels()), b.requests())
		}
	})
}
