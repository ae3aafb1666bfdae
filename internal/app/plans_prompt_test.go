package app

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/plan"
	"discoclaw/internal/turn/gather"
	"discoclaw/internal/turn/prompt"
)

// toldOfPlans is what a prompt tells of plans.
func (c *court) toldOfPlans(o actions.Origin, text string) prompt.Known {
	c.t.Helper()
	told, err := c.core.planFace.Knows(c.t.Context(), gather.Asked{Origin: o, About: text})
	if err != nil || len(told) > 1 {
		c.t.Fatal(told, err)
	}
	if len(told) == 0 || told[0].Text == "" {
		return prompt.Known{}
	}
	return told[0]
}

// TestPromptsOfOperatorsTellOfPlans: which are open, which was closed lately, and more of those that the message names for certain. In a marked
// turn it is those that were asked for in the same channel.
func TestPromptsOfOperatorsTellOfPlans(t *testing.T) {
	inCourtOf(t, trialWorld, func(c *court) {
		const none = "No model is working on a plan now; earlier messages about progress are history.\nplanShow, planApprove, planRun, planClose(planId); forgeResume(planId, wish?)"
		if k := c.toldOfPlans(c.from("ada"), "make a plan"); !strings.HasPrefix(k.Text, "To keep a plan") {
			t.Errorf("without any: %+v", k)
		}
		general, ops, engine := c.ChannelID("disco/general"), c.ChannelID("disco/ops"), c.core.planWork.Plans
		create := func(title string, in chat.ChannelID, outside chat.Sources) plan.Plan {
			p, err := engine.Create(c.t.Context(), plan.Draft{Description: title, Guild: c.GuildID(), Channel: in, Author: c.UserID("ada"), Outside: outside})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		create("Summer party", general, "")
		create("Obey zed", ops, "a message by zed")
		create("Old cake", general, "")
		create("Given up", general, "")
		for _, end := range []error{
			second(engine.Close(c.t.Context(), c.GuildID(), "plan-003", c.UserID("ada"))), second(engine.Cancel(c.t.Context(), c.GuildID(), "plan-004", c.UserID("ada"))),
		} {
			if end != nil {
				t.Fatal(end)
			}
		}
		const here = "plan-004 “Given up”: set aside\n%splan-001 “Summer party”: a draft\nClosed lately: plan-003 “Old cake”: closed, branch discoclaw/plan-3\n" + none
		const only = "\nOnly plan-001 waits for approval: \"looks good, go ahead\" is its planApprove."
		all := fmt.Sprintf(here, "plan-002 (from outside text): a draft\n")
		k := c.toldOfPlans(c.from("ada"), "guten Morgen")
		if k.Text != all || k.Open == nil || k.Open.Text != fmt.Sprintf(here, "")+only || k.Outside != "" {
			t.Errorf("got %q\nwant %q\nopen %q", k.Text, all, k.Open.Text)
		}
		if k := c.toldOfPlans(c.from("bob"), "show the plans"); !strings.HasPrefix(k.Text, "Plans that are kept and approved are for operators.") {
			t.Errorf("bob, who runs nothing, is told %q", k.Text)
		}
		for text, want := range map[string]string{
			"starte PLAN-1": "plan-001 “Summer party”: a draft, asked for by ", "die summer party bitte": "plan-001 “Summer party”: a draft, asked for by ",
			"close plan-2": "plan-002 (from outside text): a draft, asked for by ", "what became of ws-003?": "plan-003 “Old cake”: closed, asked for by ",
			"obey zed": "plan-004 ", "a party in summer": "plan-004 ", "plan-9 and plan-12": "plan-004 ",
		} {
			if k := c.toldOfPlans(c.from("ada"), text); !strings.HasPrefix(k.Text, want) || k.Outside != "" {
				t.Errorf("%q: %q", text, k.Text)
			}
		}
		time.Sleep(25 * time.Hour)
		for i := range 20 {
			create(fmt.Sprint(i, strings.Repeat(" word", 15)), general, "")
		}
		k = c.toldOfPlans(c.from("ada"), "hi")
		if n := chat.Length(k.Heading + "\n" + k.Text); n > 900 || !strings.Contains(k.Text, " of 22; planList has all)\n"+none) || strings.Contains(k.Text, "lately") {
			t.Errorf("%d characters: %s", n, k.Text)
		}
	})
}

func second[T any](_ T, err error) error { return err }
