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

// TestActionsNeedThePermissionsOfTheRequester: each action is tried without each of the permissions
// that it needs, one at a time. The client is the real one; the fake computes permissions by
// itself, as Discord does.
func TestActionsNeedThePermissionsOfTheRequester(t *testing.T) {
	for _, a := range mustCore(t, nil).registry.All() {
		tr := trialOf(a)
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

// take removes a permission from a role. Restore adds it again.
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

// denied is in the result line if the requester lacks a permission.
const denied = ": you need "

// refusedFor reports whether a result line says that the requester lacks a permission. A channel
// that the requester cannot see is reported as missing.
func refusedFor(name string, tr trial, right chat.Permission, line string) bool {
	if right == chat.ViewChannel && strings.HasPrefix(line, "Failed: "+name+": "+cmp.Or(tr.unseen, "I can't see a ")) {
		return true
	}
	if right == chat.Operator {
		return line == "Failed: "+name+": only the people who run me may do that"
	}
	if right == chat.ManageRoles && name == "channelPermissions" {
		right = chat.ManagePermissions // its name in a channel
	}
	return strings.HasPrefix(line, "Failed: "+name+denied) && strings.Contains(line, "*"+string(right)+"*")
}

// TestTheBotNamesThePermissionItLacks: the bot's role loses the permission that Discord requires of
// it.
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

// TestAJobHasThePermissionsOfItsAuthor: all actions are tried in jobs whose author has no
// permissions, and in jobs without an author. That the author created the job counts as approval,
// and as nothing else.
func TestAJobHasThePermissionsOfItsAuthor(t *testing.T) {
	inCourt(t, func(c *court) {
		for _, who := range []string{"zed", ""} {
			job := c.from(who)
			job.Flow, job.Place.Message = actions.FlowCron, ""
			for _, a := range c.core.registry.All() {
				tr := trialOf(a)
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
