package discord_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
)

const namedWorld = `
guild disco: #general #Ops #hidden #🎉-party #big-news #twin #twin #talk talk:voice ideas:forum Projects:category #projects
thread "help me" in #general
thread "twin threads" in #general
thread "twin threads" in #Ops: archived
thread "old stuff" in #general: archived
thread "idea one" in ideas
deny #Ops @everyone: View Channel
deny #hidden @everyone: View Channel
allow #Ops DiscoClaw: View Channel
`

func TestChannelResolvesAReference(t *testing.T) {
	t.Parallel()
	onBench(t, namedWorld, func(t *testing.T, b *bench) {
		for _, tt := range []struct {
			name string
			ref  string
			want string // name
			kind chat.Kind
		}{
			{"by name", "general", "general", chat.TextChannel},
			{"by name with #", "#general", "general", chat.TextChannel},
			{"with spaces around", "  #general ", "general", chat.TextChannel},
			{"in capitals", "GENERAL", "general", chat.TextChannel},
			{"by a name in capitals", "ops", "Ops", chat.TextChannel},
			{"by ID", string(b.ChannelID("general")), "general", chat.TextChannel},
			{"as a mention", "<#" + string(b.ChannelID("general")) + ">", "general", chat.TextChannel},
			{"with an emoji", "🎉-party", "🎉-party", chat.TextChannel},
			{"with a space for a dash", "Big News", "big-news", chat.TextChannel},
			{"a thread", "help me", "help me", chat.Thread},
			{"a thread with dashes", "#help-me", "help me", chat.Thread},
			{"an archived thread by ID", string(b.ChannelID("old stuff")), "old stuff", chat.Thread},
			{"an archived thread by name, once it is known", "old stuff", "old stuff", chat.Thread},
			{"an open thread before an archived one", "twin threads", "twin threads", chat.Thread},
			{"a thread of a forum", "idea one", "idea one", chat.Thread},
			{"a channel for messages before one for voices", "talk", "talk", chat.TextChannel},
			{"a channel for messages before a category", "Projects", "projects", chat.TextChannel},
			{"a forum if there is nothing else", "ideas", "ideas", chat.Forum},
		} {
			got, err := b.client.Channel(t.Context(), b.GuildID(), "", chat.ChannelRef(tt.ref))
			if err != nil {
				t.Errorf("%s: %q: %v", tt.name, tt.ref, err)
				continue
			}
			if got.Name != tt.want || got.Kind != tt.kind || got.Guild != b.GuildID() {
				t.Errorf("%s: %q is %+v, want %s %s", tt.name, tt.ref, got, tt.kind, tt.want)
			}
		}
	})
}

func TestErrorsOfChannelNameTheProblem(t *testing.T) {
	t.Parallel()
	onBench(t, namedWorld, func(t *testing.T, b *bench) {
		for _, tt := range []struct {
			name, ref string
			notFound  bool
			want      []string
			not       string
		}{
			{"two of a name", "twin", false, []string{"which #twin, <#", "> (no category) or <#", "> (no category)?"}, ""},
			{"unknown", "random", true, []string{"I can't see a channel #random"}, "did you mean"},
			{"misspelt", "genral", true, []string{"did you mean #general?"}, ""},
			{"part of a name", "part", true, []string{"#🎉-party"}, ""},
			{"like one that not every member sees", "opss", true, []string{"see a channel #opss"}, "Ops"},
			{"the name of all that the bot does not see", "___hidden___", true, []string{"see a channel #___hidden___"}, ""},
			{"an archived thread that is not cached", "old stuff", true, []string{"see a channel #old stuff"}, ""},
			{"an unknown ID", "123456789012345678", true, []string{"see a channel <#123456789012345678>"}, ""},
			{"empty", " # ", false, []string{"empty"}, ""},
			{"endless", strings.Repeat("general ", 5000), true, []string{"see a channel #general"}, ""},
		} {
			_, err := b.client.Channel(t.Context(), b.GuildID(), "", chat.ChannelRef(tt.ref))
			if err == nil || errors.Is(err, discord.ErrNotFound) != tt.notFound {
				t.Errorf("%s: error %v; not found should be %v", tt.name, err, tt.notFound)
				continue
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%s: error %v lacks %q", tt.name, err, part)
				}
			}
			if _, hint, _ := strings.Cut(err.Error(), "; "); tt.not != "" && strings.Contains(hint, tt.not) {
				t.Errorf("%s: error %v should not speak of %q", tt.name, err, tt.not)
			}
			if len(err.Error()) > 500 {
				t.Errorf("%s: the error is %d bytes long", tt.name, len(err.Error()))
			}
		}
	})
}

func TestAnyChannelCategoryAndThreadResolveAReference(t *testing.T) {
	t.Parallel()
	onBench(t, namedWorld+"category Büro 🌻: #日本語\nthread \"big-news\" in #general\ncategory Twin: #y\nthread \"Projects\" in #general", func(t *testing.T, b *bench) {
		type finder func(*discord.Client, context.Context, chat.GuildID, chat.UserID, chat.ChannelRef) (chat.Channel, error)
		any, category, thread := (*discord.Client).AnyChannel, (*discord.Client).Category, (*discord.Client).Thread
		for _, tt := range []struct {
			name string
			find finder
			ref  string
			want string
			kind chat.Kind
		}{
			{"a text channel", any, "general", "general", chat.TextChannel},
			{"a forum", any, "#ideas", "ideas", chat.Forum},
			{"a voice channel by ID", any, string(b.Channels()[8].ID), "talk", chat.Voice},
			{"a category", any, "büro 🌻", "Büro 🌻", chat.CategoryKind},
			{"a category with a dash", any, "Büro-🌻", "Büro 🌻", chat.CategoryKind},
			{"a name that is no Latin", any, "#日本語", "日本語", chat.TextChannel},
			{"a channel before a thread", any, "big news", "big-news", chat.TextChannel},
			{"a thread if there is nothing else", any, "help me", "help me", chat.Thread},
			{"a category and nothing else", category, "projects", "Projects", chat.CategoryKind},
			{"a category by ID", category, string(b.ChannelID("Büro 🌻")), "Büro 🌻", chat.CategoryKind},
			{"a category as a mention", category, "<#" + string(b.ChannelID("Büro 🌻")) + ">", "Büro 🌻", chat.CategoryKind},
			{"a category of a name that channels have", category, "twin", "Twin", chat.CategoryKind},
			{"a thread and nothing else", thread, "big-news", "big-news", chat.Thread},
			{"an open thread before an archived one", thread, "twin threads", "twin threads", chat.Thread},
			{"an archived thread by ID", thread, string(b.ChannelID("old stuff")), "old stuff", chat.Thread},
			{"an archived thread by name, once it is known", thread, "old stuff", "old stuff", chat.Thread},
			{"a post", thread, "idea-one", "idea one", chat.Thread},
		} {
			got, err := tt.find(b.client, t.Context(), b.GuildID(), "", chat.ChannelRef(tt.ref))
			if err != nil || got.Name != tt.want || got.Kind != tt.kind || got.Guild != b.GuildID() {
				t.Errorf("%s: %q is %+v, %v; want %s %s", tt.name, tt.ref, got, err, tt.kind, tt.want)
			}
		}
		for _, tt := range []struct {
			name, ref string
			find      finder
			notFound  bool
			want      []string
		}{
			{"two of a name", "twin", any, false, []string{"which #twin, <#", "(text, no category)", "(category)"}},
			{"two kinds of a name", "talk", any, false, []string{"which #talk, <#", "(text, no category) or <#", "(voice, no category)?"}},
			{"a channel and a category", "projects", any, false, []string{"which #projects", "(category)"}},
			{"hidden", string(b.ChannelID("hidden")), any, true, []string{"see a channel <#"}},
			{"misspelt", "idees", any, true, []string{"I can't see a channel #idees; did you mean #ideas?"}},
			{"a channel that is no category", "general", category, true, []string{"I can't see a category “general”"}},
			{"a category, misspelt", "Project", category, true, []string{"I can't see a category “Project”; did you mean the category “Projects”?"}},
			{"the ID of a channel that is no category", string(b.ChannelID("general")), category, false, []string{"is not a category"}},
			{"a channel that is no thread", "general", thread, true, []string{"I can't see a thread “general”"}},
			{"the ID of a category", string(b.ChannelID("Büro 🌻")), thread, false, []string{"is not a thread"}},
			{"a thread, misspelt", "help mee", thread, true, []string{"did you mean the thread “help me”?"}},
			{"an unknown ID", "123456789012345678", thread, true, []string{"I can't see a thread <#"}},
			{"nothing", " # ", category, false, []string{"category: empty"}},
		} {
			_, err := tt.find(b.client, t.Context(), b.GuildID(), "", chat.ChannelRef(tt.ref))
			if err == nil || errors.Is(err, discord.ErrNotFound) != tt.notFound {
				t.Errorf("%s: error %v; not found should be %v", tt.name, err, tt.notFound)
				continue
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%s: error %v lacks %q", tt.name, err, part)
				}
			}
		}
		for _, find := range []finder{any, category, thread} {
			for _, channel := range []string{"general", "Büro 🌻", "help me"} {
				if _, err := find(b.client, t.Context(), "123456789012345678", "", chat.ChannelRef(b.ChannelID(channel))); !errors.Is(err, discord.ErrNotFound) {
					t.Errorf("%s on another server: error %v", channel, err)
				}
			}
		}
	})
}

// TestAHiddenChannelDoesNotExistForTheUser: not by its name, not by its ID, and not as a second
// channel of a name.
func TestAHiddenChannelDoesNotExistForTheUser(t *testing.T) {
	t.Parallel()
	const world = "guild disco: #general #ops #big-news #big_news talk:voice Staff:category\nmember ada: owner\nmember bob\nthread \"inner\" in #ops\n" +
		"deny #ops bob: View Channel\ndeny talk bob: View Channel\ndeny Staff bob: View Channel\ndeny #big_news bob: View Channel"
	onBench(t, world, func(t *testing.T, b *bench) {
		for name, find := range map[string]func(context.Context, chat.GuildID, chat.UserID, chat.ChannelRef) (chat.Channel, error){
			"ops": b.client.Channel, "#ops": b.client.AnyChannel, "talk": b.client.VoiceChannel, "Staff": b.client.Category, "inner": b.client.Thread,
		} {
			for _, ref := range []chat.ChannelRef{chat.ChannelRef(name), chat.ChannelRef(b.ChannelID(name))} {
				for _, who := range []chat.UserID{"", b.UserID("ada")} {
					if _, err := find(t.Context(), b.GuildID(), who, ref); err != nil {
						t.Errorf("%s for %q: %v", ref, who, err)
					}
				}
				if ch, err := find(t.Context(), b.GuildID(), b.UserID("bob"), ref); !errors.Is(err, discord.ErrNotFound) {
					t.Errorf("%s for bob is %+v, %v", ref, ch, err)
				}
			}
		}
		if _, err := b.client.Channel(t.Context(), b.GuildID(), b.UserID("ada"), "big news"); err == nil || !strings.Contains(err.Error(), "which #big news, ") {
			t.Errorf("two of a name for ada: error %v", err)
		}
		if ch, err := b.client.Channel(t.Context(), b.GuildID(), b.UserID("bob"), "big news"); err != nil || ch.Name != "big-news" {
			t.Errorf("one of a name for bob is %+v, %v", ch, err)
		}
	})
}

func TestChannelsOfOtherServersAreNotFound(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		_, err := b.client.Channel(t.Context(), "123456789012345678", "", chat.ChannelRef(b.ChannelID("general")))
		if !errors.Is(err, discord.ErrNotFound) {
			t.Errorf("error %v", err)
		}
	})
}

func TestAChannelIsFetchedOnlyIfItIsUnknown(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nthread \"old\" in #general: archived", func(t *testing.T, b *bench) {
		for range 3 {
			for _, name := range []string{"general", "old"} {
				ch, err := b.client.ChannelByID(t.Context(), b.ChannelID(name))
				if err != nil || ch.Name != name {
					t.Fatalf("ChannelByID(%s) = %+v, %v", name, ch, err)
				}
			}
		}
		if got := b.count("GET /channels/{channel}"); got != 1 {
			t.Errorf("%d requests, want one for the archived thread, which Discord does not announce", got)
		}
		if _, err := b.client.ChannelByID(t.Context(), "no ID"); !errors.Is(err, discord.ErrNotFound) {
			t.Errorf("error %v", err)
		}
	})
}

func TestAFailedLookupIsNotErrNotFound(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		b.Fail(fakediscord.Fault{Match: "GET /channels/{channel}", Status: 500})
		_, err := b.client.Channel(t.Context(), b.GuildID(), "", "123456789012345678")
		if err == nil || errors.Is(err, discord.ErrNotFound) {
			t.Errorf("error %v", err)
		}
	})
}

// TestStartPrivateThread: those who are added see it, others do not.
func TestStartPrivateThread(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general news:announcement ideas:forum\nmember ada: owner\nmember bob\nmember eve", func(t *testing.T, b *bench) {
		got, err := b.client.StartPrivateThread(t.Context(), b.ChannelID("general"), " plans ", time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		if there, _ := b.Channel(string(got.ID)); !got.Private || got.Name != "plans" || there.Type != fakediscord.PrivateThread || there.AutoArchive != 60 || there.NoInvites {
			t.Errorf("made %+v, %+v", got, there)
		}
		for range 2 {
			if err := b.client.AddToThread(t.Context(), got.ID, b.UserID("bob")); err != nil {
				t.Fatal(err)
			}
		}
		for who, sees := range map[string]bool{"bob": true, "eve": false} {
			missing, err := b.client.MissingPermissions(t.Context(), b.GuildID(), b.UserID(who), got.ID, []chat.Permission{chat.ViewChannel})
			if err != nil || (len(missing) == 0) != sees {
				t.Errorf("%s lacks %v, %v", who, missing, err)
			}
		}
		for _, channel := range []string{"news", "ideas", "plans"} {
			if _, err := b.client.StartPrivateThread(t.Context(), b.ChannelID(channel), "x", 0); err == nil || !strings.Contains(err.Error(), "private threads can be started in text channels") {
				t.Errorf("in %s: %v", channel, err)
			}
		}
	})
}

func TestStartThread(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general news:announcement ideas:forum talk:voice", func(t *testing.T, b *bench) {
		start := func(channel string, from chat.MessageID, name string, after time.Duration) (chat.Channel, error) {
			return b.client.StartThread(t.Context(), b.ChannelID(channel), from, name, after)
		}
		said := b.MustSay("ada", "general", "let us plan")
		announced := b.send(t, "news", "big")
		for _, tt := range []struct {
			channel string
			from    chat.MessageID
			name    string
			after   time.Duration
			kind    fakediscord.ChannelType
		}{
			{"general", "", "plans", time.Hour, fakediscord.PublicThread},
			{"general", said.ID, "more plans", 0, fakediscord.PublicThread},
			{"news", "", "talk about it", 24 * time.Hour, fakediscord.AnnouncementThread},
			{"news", announced, "talk about that", 0, fakediscord.AnnouncementThread},
		} {
			got, err := start(tt.channel, tt.from, " "+tt.name+" ", tt.after)
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			if got.Name != tt.name || got.Kind != chat.Thread || got.Parent != b.ChannelID(tt.channel) || got.Guild != b.GuildID() {
				t.Errorf("%s: %+v", tt.name, got)
			}
			if there, _ := b.Channel(string(got.ID)); there.Type != tt.kind {
				t.Errorf("%s is of type %d, want %d", tt.name, there.Type, tt.kind)
			}
		}
		for _, tt := range []struct {
			channel string
			from    chat.MessageID
			name    string
			after   time.Duration
			want    string
		}{
			{"general", "", " ", 0, "needs a name"},
			{"general", "", strings.Repeat("x", 101), 0, "101 characters"},
			{"general", said.ID, "again", 0, "a thread on this message already"},
			{"ideas", "", "post", 0, "#ideas is a forum channel"},
			{"talk", "", "thread", 0, "#talk is a voice channel"},
			{"plans", "", "thread", 0, "is a thread"},
		} {
			if _, err := start(tt.channel, tt.from, tt.name, tt.after); err == nil || !strings.Contains(b.named(err), tt.want) {
				t.Errorf("%s in %s: error %v, want something about %q", tt.name, tt.channel, err, tt.want)
			}
		}
	})
}

// TestAThreadCannotTakeAChannelsPlace: any member may start a thread with any name.
func TestAThreadCannotTakeAChannelsPlace(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general #ops #big-news\nthread \"Big News\" in #general\nthread \"ops\" in #general\nthread \"lunch\" in #general", func(t *testing.T, b *bench) {
		for written, meant := range map[string]string{"Big News": "big-news", "ops": "ops", "#ops": "ops", "lunch": "lunch"} {
			ch, err := b.client.Channel(t.Context(), b.GuildID(), "", chat.ChannelRef(written))
			if err != nil || ch.Name != meant || (ch.Kind == chat.Thread) != (meant == "lunch") {
				t.Errorf("%q means %+v, %v", written, ch, err)
			}
		}
	})
}

// TestANameAmongManyChannelsCostsFewAllocations: a model names a channel in most of its actions.
func TestANameAmongManyChannelsCostsFewAllocations(t *testing.T) {
	const channels, most = 500, 10
	var layout strings.Builder
	layout.WriteString("guild disco:")
	for i := range channels {
		fmt.Fprintf(&layout, " #big_room-%d", i)
	}
	layout.WriteString(" #📢︱announcements")
	onBench(t, layout.String(), func(t *testing.T, b *bench) {
		for _, name := range []chat.ChannelRef{"big_room-250", "Big Room 250", "#big-room-499", "announcements"} {
			n := testing.AllocsPerRun(10, func() {
				if _, err := b.client.Channel(t.Context(), b.GuildID(), "", name); err != nil {
					t.Fatal(err)
				}
			})
			if n > most {
				t.Errorf("%s: %v allocations, want at most %d", name, n, most)
			}
		}
	})
}

// TestDecoratedNamesAreFoundByTheirLetters: the kind comes before the spelling, the spelling before the
// letters, and what the user does not see makes no name ambiguous.
func TestDecoratedNamesAreFoundByTheirLetters(t *testing.T) {
	t.Parallel()
	const world = `
guild disco: #general #📢︱announcements #🎨-design #design #ops #o-p-s #【club】 #🎲club
category ✨ Projects ✨: #beta
member ada: owner
member bob
thread "announcements" in #general
thread "🔥 Lunch" in #general
deny #🎲club bob: View Channel
`
	onBench(t, world, func(t *testing.T, b *bench) {
		ada, bob := b.UserID("ada"), b.UserID("bob")
		for _, tt := range []struct {
			name string
			find func(context.Context, chat.GuildID, chat.UserID, chat.ChannelRef) (chat.Channel, error)
			who  chat.UserID
			ref  chat.ChannelRef
			want string
		}{
			{"a channel before a thread of the very name", b.client.Channel, ada, "announcements", "📢︱announcements"},
			{"with another divider", b.client.Channel, ada, "#📢-Announcements", "📢︱announcements"},
			{"the very name before its letters", b.client.Channel, ada, "design", "design"},
			{"the very name with letters", b.client.Channel, ada, "o-p-s", "o-p-s"},
			{"a thread", b.client.Thread, ada, "lunch", "🔥 Lunch"},
			{"a category", b.client.Category, ada, "projects", "✨ Projects ✨"},
			{"the only one that is seen", b.client.Channel, bob, "club", "【club】"},
			{"two that are seen", b.client.Channel, ada, "club", ""},
			{"no letters at all", b.client.Channel, ada, "📢", ""},
		} {
			ch, err := tt.find(t.Context(), b.GuildID(), tt.who, tt.ref)
			if ch.Name != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("%s: %q is %q, %v", tt.name, tt.ref, ch.Name, err)
			}
		}
	})
}

// TestChannelsOfOneNameAreToldApart by their categories, but for the name of a category that is not
// open to all.
func TestChannelsOfOneNameAreToldApart(t *testing.T) {
	t.Parallel()
	const world = `
guild disco: #general
category Projects: #design
category Game_Jam: #Design
category Secret: #design
member ada: owner
member bob
deny Secret @everyone: View Channel
allow Secret DiscoClaw: View Channel
`
	onBench(t, world, func(t *testing.T, b *bench) {
		var ids []any
		for _, ch := range b.Channels() {
			if strings.EqualFold(ch.Name, "design") {
				ids = append(ids, ch.ID)
			}
		}
		for who, want := range map[string]string{
			"ada": fmt.Sprintf("which #design, <#%s> (Projects), <#%s> (Game\\_Jam) or <#%s>?", ids...),
			"bob": fmt.Sprintf("which #design, <#%s> (Projects) or <#%s> (Game\\_Jam)?", ids[:2]...),
		} {
			if _, err := b.client.Channel(t.Context(), b.GuildID(), b.UserID(who), "design"); err == nil || err.Error() != want {
				t.Errorf("%s: %v, want %s", who, err, want)
			}
		}
	})
}
