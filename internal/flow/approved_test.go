package flow_test

import (
	"context"
	"testing"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
	"discoclaw/internal/flow"
)

type everything struct{}

func (everything) MissingPermissions(context.Context, chat.GuildID, chat.UserID, chat.ChannelID, []chat.Permission) ([]chat.Permission, error) {
	return nil, nil
}
func (everything) Outranks(context.Context, chat.GuildID, chat.UserID, chat.UserID, chat.RoleID) (bool, error) {
	return true, nil
}
func (everything) Servers() []chat.GuildID { return nil }
func (everything) User(context.Context, chat.GuildID, chat.UserID, chat.UserRef) (chat.Member, error) {
	return chat.Member{}, nil
}

// TestApprovedActionsAreRefusedIfTheRequesterIsNoLongerServed: Bob was taken off the list, and the bot was restarted,
// while his approval card was open.
func TestApprovedActionsAreRefusedIfTheRequesterIsNoLongerServed(t *testing.T) {
	reg := actionstest.Registry(t, actionstest.Category{Called: "channels", List: []*actions.Action{
		actionstest.Define("wreck", func(s *actionstest.Spec) { s.Needs = []chat.Permission{chat.ManageChannels} }),
	}})
	policy := access.Policy{Users: []chat.UserID{"1"}} // ada
	a := flow.Approved{Registry: reg, Flags: actionstest.Open(reg), Dispatcher: actions.NewDispatcher(actions.DispatcherOptions{}, access.Guard(policy, everything{})), Access: policy, Members: everything{}}
	bob := actions.Origin{Flow: actions.FlowMessage, Place: chat.Place{Guild: "9", Channel: "8"}, Requester: "2"}
	for _, out := range a.Do(t.Context(), bob, []actions.Request{{Type: "wreck"}}) {
		if out.Done() {
			t.Errorf("%s", out.Line())
		}
	}
}

func (everything) Role(_ context.Context, _ chat.GuildID, ref chat.RoleRef) (chat.Role, error) {
	return chat.Role{ID: chat.RoleID(ref)}, nil
}
