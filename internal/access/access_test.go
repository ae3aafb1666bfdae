package access_test

import (
	"context"
	"errors"
	"testing"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
)

func TestAdmit(t *testing.T) {
	ada := chat.User{ID: "1"}
	guild := chat.Place{Guild: "9", Channel: "10"}
	open := access.Policy{Users: []chat.UserID{"1"}}
	listed := access.Policy{Users: []chat.UserID{"1"}, Channels: access.List[chat.ChannelID]{Set: true, IDs: []chat.ChannelID{"10"}}}
	for _, tt := range []struct {
		name   string
		policy access.Policy
		who    chat.User
		where  chat.Place
		want   access.Refusal
	}{
		{"served, anywhere", open, ada, guild, access.Admitted},
		{"the zero policy", access.Policy{}, ada, guild, access.NotServed},
		{"an unknown user", open, chat.User{}, guild, access.NobodyKnown},
		{"an unknown user, and an empty entry in the list", access.Policy{Users: []chat.UserID{""}}, chat.User{}, guild, access.NobodyKnown},
		{"a stranger", open, chat.User{ID: "2"}, guild, access.NotServed},
		{"a bot, even one on the list", open, chat.User{ID: "1", Bot: true}, guild, access.AnotherBot},
		{"a listed channel", listed, ada, guild, access.Admitted},
		{"another channel", listed, ada, chat.Place{Guild: "9", Channel: "11"}, access.ChannelNotFor},
		{"a thread of a listed channel", listed, ada, chat.Place{Guild: "9", Channel: "12", Parent: "10"}, access.Admitted},
		{"a thread of another channel", listed, ada, chat.Place{Guild: "9", Channel: "12", Parent: "11"}, access.ChannelNotFor},
		{"a list without a valid entry", access.Policy{Users: []chat.UserID{"1"}, Channels: access.List[chat.ChannelID]{Set: true}}, ada, guild, access.ChannelNotFor},
		{"another server than the one that was named", access.Policy{Users: []chat.UserID{"1"}, Guild: "8"}, ada, guild, access.AnotherServer},
		{"the server that was named", access.Policy{Users: []chat.UserID{"1"}, Guild: "9"}, ada, guild, access.Admitted},
		{"a direct message, where a server was named", access.Policy{Users: []chat.UserID{"1"}, Guild: "9"}, ada, chat.Place{Channel: "77"}, access.Admitted},
		{"a direct message", listed, ada, chat.Place{Channel: "77"}, access.Admitted},
		{"a stranger's direct message", listed, chat.User{ID: "2"}, chat.Place{Channel: "77"}, access.NotServed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.policy.Admit(access.ByMessage, tt.who, tt.where); got != tt.want {
				t.Errorf("Admit = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestOtherBots(t *testing.T) {
	p := access.Policy{Users: []chat.UserID{"1", "8"}, Bots: []chat.UserID{"7", "1"}, Channels: access.List[chat.ChannelID]{Set: true, IDs: []chat.ChannelID{"10"}}}
	here, elsewhere := chat.Place{Guild: "9", Channel: "10"}, chat.Place{Guild: "9", Channel: "11"}
	for _, tt := range []struct {
		name  string
		way   *access.Way
		who   chat.User
		where chat.Place
		want  access.Refusal
	}{
		{"one on the list", access.ByBot, chat.User{ID: "7", Bot: true}, here, access.Admitted},
		{"in another channel", access.ByBot, chat.User{ID: "7", Bot: true}, elsewhere, access.ChannelNotFor},
		{"one on the list of people", access.ByBot, chat.User{ID: "8", Bot: true}, here, access.AnotherBot},
		{"one on no list", access.ByBot, chat.User{ID: "6", Bot: true}, here, access.AnotherBot},
		{"as if it were a person", access.ByMessage, chat.User{ID: "7", Bot: true}, here, access.AnotherBot},
		{"at a button", access.ByButton, chat.User{ID: "7", Bot: true}, here, access.AnotherBot},
		{"a person on both lists", access.ByBot, chat.User{ID: "1"}, here, access.NoBot},
		{"an unknown user", access.ByBot, chat.User{}, here, access.NobodyKnown},
	} {
		if got := p.Admit(tt.way, tt.who, tt.where); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if p.Operates(t.Context(), rights{}, "7", "1") {
		t.Error("another bot is an operator")
	}
}

func TestHears(t *testing.T) {
	p := access.Policy{Users: []chat.UserID{"1"}, Guild: "9", Channels: access.List[chat.ChannelID]{Set: true, IDs: []chat.ChannelID{"10"}}}
	for _, tt := range []struct {
		name  string
		who   chat.UserID
		where chat.Place
		want  bool
	}{
		{"a served user", "1", chat.Place{Guild: "9", Channel: "10"}, true},
		{"a stranger", "2", chat.Place{Guild: "9", Channel: "10"}, true},
		{"a stranger, in a thread", "2", chat.Place{Guild: "9", Channel: "12", Parent: "10"}, true},
		{"in another channel", "1", chat.Place{Guild: "9", Channel: "11"}, false},
		{"on another server", "1", chat.Place{Guild: "8", Channel: "10"}, false},
		{"in a direct message", "1", chat.Place{Channel: "77"}, true},
		{"a stranger's direct message", "2", chat.Place{Channel: "77"}, false},
	} {
		if got := p.Hears(chat.User{ID: tt.who}, tt.where); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestOperates(t *testing.T) {
	ctx := t.Context()
	one := access.Policy{Users: []chat.UserID{"1"}}
	all := access.Policy{Users: []chat.UserID{"1", "2"}}
	fenced := access.Policy{Users: []chat.UserID{"1", "2"}, Guild: "other"}
	some := access.Policy{Users: []chat.UserID{"1", "2"}, Operators: access.List[chat.UserID]{Set: true, IDs: []chat.UserID{"2", "3"}}}
	none := access.Policy{Users: []chat.UserID{"1", "2"}, Operators: access.List[chat.UserID]{Set: true}}
	for _, tt := range []struct {
		policy access.Policy
		who    chat.UserID
		on     chat.GuildID
		want   bool
	}{
		{one, "1", "g", true}, {one, "1", "", true}, {one, "2", "g", false},
		{all, "1", "g", false}, {all, "2", "g", true}, {all, "3", "g", false}, {all, "", "g", false},
		{all, "1", "", false}, {all, "2", "", true}, {fenced, "2", "", false},
		{some, "1", "g", false}, {some, "2", "g", true}, {some, "3", "g", false}, {none, "1", "g", false},
	} {
		members := rights{"1": {"": {chat.Administrator}}, "2": {}, "3": {}}
		if got := tt.policy.Operates(ctx, members, tt.who, tt.on); got != tt.want {
			t.Errorf("%v.Operates(%q, %q) = %v", tt.policy, tt.who, tt.on, got)
		}
	}
}

// rights stands in for Discord: what each member lacks in each channel.
type rights map[chat.UserID]map[chat.ChannelID][]chat.Permission

func (r rights) MissingPermissions(_ context.Context, _ chat.GuildID, u chat.UserID, ch chat.ChannelID, needs []chat.Permission) ([]chat.Permission, error) {
	lacks, ok := r[u]
	if !ok {
		return nil, errors.New("there is no such member")
	}
	var missing []chat.Permission
	for _, n := range needs {
		for _, l := range lacks[ch] {
			if n == l {
				missing = append(missing, n)
			}
		}
	}
	return missing, nil
}

// Outranks ranks members by the alphabet, the first highest; a role has its member's name.
func (r rights) Outranks(_ context.Context, _ chat.GuildID, u chat.UserID, member chat.UserID, role chat.RoleID) (bool, error) {
	if _, ok := r[u]; !ok {
		return false, errors.New("there is no such member")
	}
	return (member == "" || u < member) && (role == "" || string(u) < string(role)), nil
}

func (r rights) Servers() []chat.GuildID { return []chat.GuildID{"g"} }

// User finds a member by their ID alone, which is the name.
func (r rights) User(_ context.Context, _ chat.GuildID, _ chat.UserID, ref chat.UserRef) (chat.Member, error) {
	if _, ok := r[chat.UserID(ref)]; !ok {
		return chat.Member{}, errors.New("there is no such member")
	}
	return chat.Member{User: chat.User{ID: chat.UserID(ref)}}, nil
}

func TestGuard(t *testing.T) {
	needs := func(ch chat.ChannelID, p ...chat.Permission) func(*actionstest.Spec) {
		return func(s *actionstest.Spec) {
			s.Needs = p
			if ch != "" {
				s.NeedsIn = func(context.Context, actions.Call, struct{}) (chat.ChannelID, error) { return ch, nil }
			}
		}
	}
	also := func(demands ...actions.Demand) func(*actionstest.Spec) {
		return func(s *actionstest.Spec) {
			for _, d := range demands {
				s.MayNeed = append(s.MayNeed, d.Rights...)
			}
			s.AlsoNeeds = func(context.Context, actions.Call, struct{}) ([]actions.Demand, error) {
				if len(demands) == 0 {
					return nil, errors.New("there is no role “Mod”")
				}
				return demands, nil
			}
		}
	}
	lost := func(s *actionstest.Spec) {
		s.Needs = []chat.Permission{chat.SendMessages}
		s.NeedsIn = func(context.Context, actions.Call, struct{}) (chat.ChannelID, error) {
			return "", errors.New("there is no channel #nowhere")
		}
	}
	full := func(s *actionstest.Spec) {
		s.Do = func(context.Context, actions.Call, struct{}) (actions.Result, error) {
			return actions.Result{}, chat.WithRemedy(errors.New("five wait already"), "raise MAX_WAITING")
		}
	}
	reg := actionstest.Registry(t, actionstest.Category{Called: "c", List: []*actions.Action{
		actionstest.Define("free"),
		actionstest.Define("full", full),
		actionstest.Define("send", needs("10", chat.ViewChannel, chat.SendMessages)),
		actionstest.Define("pin", needs("20", chat.ViewChannel, chat.PinMessages)),
		actionstest.Define("rename", needs("", chat.ManageChannels)),
		actionstest.Define("model", needs("", chat.Operator)),
		actionstest.Define("both", needs("10", chat.Operator, chat.SendMessages)),
		actionstest.Define("lost", lost),
		actionstest.Define("rename2", needs("", chat.ManageChannels), also(actions.Demand{Channel: "20", Rights: []chat.Permission{chat.PinMessages}})),
		actionstest.Define("pin2", also(actions.Demand{Channel: "20", Rights: []chat.Permission{chat.PinMessages}})),
		actionstest.Define("kick", also(actions.Demand{AboveMember: "ben", AboveRole: "bella"})),
		actionstest.Define("crown", also(actions.Demand{AboveMember: "bzz", AboveRole: "bella"})),
		actionstest.Define("puzzled", also()),
		actionstest.Define("sly", also(actions.Demand{Rights: []chat.Permission{chat.PinMessages}}), func(s *actionstest.Spec) { s.MayNeed = nil }),
		actionstest.Define("lend", also(actions.Demand{Rights: []chat.Permission{chat.PinMessages}}), func(s *actionstest.Spec) { s.MayNeed, s.PassesOn = nil, true }),
	}})
	policy := access.Policy{Users: []chat.UserID{"ada", "bob", "gone"}, Operators: access.List[chat.UserID]{Set: true, IDs: []chat.UserID{"ada"}}}
	members := rights{
		"ada": {},
		"bob": {"20": {chat.PinMessages}, "": {chat.ManageChannels}},
	}
	dispatcher := actions.NewDispatcher(actions.DispatcherOptions{}, access.Guard(policy, members))
	for _, tt := range []struct {
		who  chat.UserID
		do   string
		want string
	}{
		{"ada", "free", "Done: free"},
		{"ada", "full", "Failed: five wait already; raise MAX_WAITING"},
		{"bob", "full", "Failed: five wait already"},
		{"", "full", "Failed: five wait already"},
		{"ada", "send", "Done: send"},
		{"ada", "model", "Done: model"},
		{"ada", "both", "Done: both"},
		{"ada", "lost", "Failed: there is no channel #nowhere"},
		{"bob", "send", "Done: send"},
		{"bob", "pin", "Failed: you need *Pin Messages* in <#20> for that"},
		{"bob", "rename", "Failed: you need *Manage Channels* for that"},
		{"bob", "model", "Failed: only the people who run me may do that"},
		{"bob", "both", "Failed: only the people who run me may do that"},
		{"gone", "send", "Failed: I could not look up what you may do: there is no such member"},
		{"ada", "rename2", "Done: rename2"},
		{"ada", "pin2", "Done: pin2"},
		{"ada", "kick", "Done: kick"},
		{"ada", "puzzled", "Failed: there is no role “Mod”"},
		{"ada", "sly", "Failed: a mistake in the definition of sly, which does not name *Pin Messages*; please report it"},
		{"ada", "lend", "Done: lend"},
		{"bob", "rename2", "Failed: you need *Manage Channels* for that"},
		{"bob", "pin2", "Failed: you need *Pin Messages* in <#20> for that"},
		{"bob", "kick", "Failed: you need a higher role than <@ben> for that"},
		{"bob", "crown", "Failed: you need a role above <@&bella> for that"},
		{"gone", "kick", "Failed: I could not look up the roles: there is no such member"},
		{"", "kick", "Failed: nobody is known to have asked for this"},
		{"", "free", "Done: free"},
		{"", "send", "Failed: nobody is known to have asked for this"},
		{"", "model", "Failed: nobody is known to have asked for this"},
	} {
		t.Run(string(tt.who)+" "+tt.do, func(t *testing.T) {
			t.Parallel()
			origin := actions.Origin{Requester: tt.who, Place: chat.Place{Guild: "9", Channel: "10"}}
			outs := dispatcher.Execute(t.Context(), origin, reg.Gate(actionstest.Open(reg)), []actions.Request{{Type: tt.do}})
			if got := outs[0].Line(); got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
	answered := actions.Origin{Requester: "ada", Prompters: "bob", Place: chat.Place{Guild: "9", Channel: "10"}}
	for do, want := range map[string]string{
		"send":   "Done: send",
		"rename": "Failed: <@bob>, who asked the question, needs *Manage Channels* for that",
		"model":  "Failed: only the people who run me may do that",
	} {
		if got := dispatcher.Execute(t.Context(), answered, reg.Gate(actionstest.Open(reg)), []actions.Request{{Type: do}})[0].Line(); got != want {
			t.Errorf("ada answers bob's question: %s\nwant %s", got, want)
		}
	}
	outs := dispatcher.Execute(t.Context(), actions.Origin{Requester: "ada"}, reg.Gate(actionstest.Open(reg)), []actions.Request{{Type: "send"}})
	if got, want := outs[0].Line(), "Failed: this works on a server only"; got != want {
		t.Errorf("in a direct message: %s", got)
	}
}

func (rights) Role(_ context.Context, _ chat.GuildID, ref chat.RoleRef) (chat.Role, error) {
	return chat.Role{ID: chat.RoleID(ref)}, nil
}
