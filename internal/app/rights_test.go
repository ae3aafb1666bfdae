package app

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// TestActionsNeedThePermissionsOfTheRequester walks every action and every right
// it takes, and takes just that right from who asks. The client is the real one, and
// Discord's own arithmetic is the fake's.
func TestActionsNeedThePermissionsOfTheRequester(t *testing.T) {
	for _, a := range mustCore(t, nil).registry.All() {
		tr := trials[a.Name]
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			inCourt(t, func(c *court) {
				c.ready(tr)
				bob := c.from("bob")
				for _, right := range slices.Concat(a.Needs, tr.also) {
					restore := c.take(right, "helpers")
					if got := c.try(bob, a.Name, tr.request); !refusedFor(a.Name, tr, right, got) {
						t.Errorf("without %s: %s", right, got)
					}
					restore()
				}
				if tr.tooHigh != "" {
					if got := c.try(bob, a.Name, tr.tooHigh); !strings.Contains(got, "you need a role above ") && !strings.Contains(got, "you need a higher role than ") {
						t.Errorf("about somebody too high: %s", got)
					}
				}
				if got := c.try(c.from(""), a.Name, tr.request); !tr.free && !strings.HasPrefix(got, "Failed: ") {
					t.Errorf("nobody asks: %s", got)
				}
				if got := c.try(bob, a.Name, tr.request); strings.Contains(got, denied) {
					t.Errorf("with all rights: %s", got)
				}
			})
		})
	}
}

// take takes a right from all who have it by a role. It returns what gives it back.
func (c *court) take(right chat.Permission, role string) (restore func()) {
	c.t.Helper()
	if right == chat.Operator {
		all := c.policy
		c.policy.Operators = access.List[chat.UserID]{Set: true, IDs: []chat.UserID{c.UserID("ada")}}
		return func() { c.policy = all }
	}
	set := func(on bool) {
		c.t.Helper()
		if err := c.SetPermission(role, right, on); err != nil {
			c.t.Fatal(err)
		}
		synctest.Wait()
	}
	set(false)
	return func() { set(true) }
}

// denied is what somebody is told who lacks a right.
const denied = ": you need "

// refusedFor says whether a line tells that somebody was refused for the lack of a
// right. What they may not see is not there for them.
func refusedFor(name string, tr trial, right chat.Permission, line string) bool {
	if right == chat.ViewChannel && strings.HasPrefix(line, "Failed: "+name+": "+cmp.Or(tr.unseen, "I can't see a ")) {
		return true
	}
	if right == chat.Operator {
		return line == "Failed: "+name+": only those who run me may do that"
	}
	if right == chat.ManageRoles && name == "channelPermissions" {
		right = chat.ManagePermissions // what it is called for a channel
	}
	return strings.HasPrefix(line, "Failed: "+name+denied) && strings.Contains(line, "*"+string(right)+"*")
}

// TestTheBotNamesThePermissionItLacks takes from the bot what Discord wants of it.
func TestTheBotNamesThePermissionItLacks(t *testing.T) {
	for name, tr := range trials {
		if tr.bot == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inCourt(t, func(c *court) {
				c.ready(tr)
				says := tr.says
				if says == "" {
					says = "I need *" + string(tr.bot) + "*"
				}
				c.take(tr.bot, "DiscoClaw")
				if got := c.try(c.from("ada"), name, tr.request); !strings.HasPrefix(got, "Failed: "+name+": ") || !strings.Contains(got, says) {
					t.Errorf("%s\nshould say %s", got, says)
				}
			})
		})
	}
}

// TestAJobHasThePermissionsOfItsAuthor tries everything for jobs whose author may do
// nothing, and for jobs of nobody. The author's word, given when the job was made,
// stands for approval, and for nothing else.
func TestAJobHasThePermissionsOfItsAuthor(t *testing.T) {
	inCourt(t, func(c *court) {
		for _, who := range []string{"zed", ""} {
			job := c.from(who)
			job.Flow, job.Place.Message = actions.FlowCron, ""
			for _, a := range c.core.registry.All() {
				tr := trials[a.Name]
				if got := c.try(job, a.Name, tr.request); !tr.free && !strings.HasPrefix(got, "Failed: ") {
					t.Errorf("%s in a job of %q: %s", a.Name, who, got)
				}
			}
		}
		for _, x := range c.Requests() {
			if x.Method != "GET" && x.Route != "" {
				t.Errorf("%s %s was sent", x.Method, x.Path)
			}
		}
	})
}
