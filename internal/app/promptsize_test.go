package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/test/skip"
)

// largeServer returns the layout of a server with 500 channels, 60 roles and the given number of
// members.
func largeServer(members int) string {
	var b strings.Builder
	b.WriteString(apptest.World)
	for i := range 57 {
		fmt.Fprintf(&b, "role Team of people %02d: Manage Messages\n", i)
	}
	for i := range 25 {
		fmt.Fprintf(&b, "category Department %02d:", i)
		for j := range 19 {
			fmt.Fprintf(&b, " #department-%02d-room-%02d", i, j)
		}
		b.WriteString("\n")
	}
	for i := range members {
		fmt.Fprintf(&b, "stranger member%05d: Team of people %02d\n", i, i%57)
	}
	return b.String()
}

// TestPromptsStaySmall covers a plain prompt and the one after a failure, on a small server and on large ones: one with many
// members, and one with many overwrites and threads, where a member asks.
func TestPromptsStaySmall(t *testing.T) {
	skip.UnderRace(t, "prompts are values, and the bot is that of the other tests")
	for _, tt := range []struct {
		name, layout string
		most         []int // bytes of each prompt
	}{
		{"small", apptest.World, []int{8000, 9500}},
		{"large", largeServer(10_000), []int{8000, 9500}},
		{"busy", busyServer(500), []int{8000, 9500}}, // with the roles of the member; of owners, prompts say only that
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, tt.layout)
				model := script.New()
				_, stop := begins(t, apptest.Env(t, w), Externals{HTTP: w.HTTP(), Runtime: model})
				const wrong = `<discord-action>{"type":"threadCreate","channelId":"ops","title":"x"}</discord-action>` +
					`<discord-action>{"type":"roleAdd","userId":"nobody at all","role":"x"}</discord-action>`
				model.Add(script.Say("On it. "+wrong), script.Say("That did not work."))
				w.MustSay("ada", "general", "make a thread in ops, and give somebody a role")
				time.Sleep(time.Minute)
				synctest.Wait()
				asked := model.Requests()
				if len(asked) != 2 {
					t.Fatalf("the model was asked %d times", len(asked))
				}
				for i, most := range tt.most {
					t.Logf("call %d: %d bytes: %s", i+1, asked[i].Size(), parts(asked[i]))
					if size := asked[i].Size(); size > most {
						t.Errorf("call %d has %d bytes, more than %d", i+1, size, most)
					}
				}
				if _, err := stop(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// parts lists the sizes of a prompt's parts, the largest first.
func parts(r llm.Request) string {
	sizes := map[string]int{}
	for _, s := range r.Sections {
		sizes[s.Name] += s.Bytes
	}
	names := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int { return sizes[b] - sizes[a] })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, sizes[name])
	}
	return strings.Join(names, ", ")
}
