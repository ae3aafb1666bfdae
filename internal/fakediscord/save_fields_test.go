package fakediscord

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"discoclaw/internal/chat"
)

// TestEveryFieldIsSaved fails when somebody adds a field to the world and forgets
// the file.
func TestEveryFieldIsSaved(t *testing.T) {
	t.Parallel()
	w := newWorld()
	role, member, channel, message := filled[Role](), filled[Member](), filled[Channel](), filled[Message]()
	g := w.addGuild("1", "d")
	role.ID, role.Guild, member.Guild, channel.Guild = chat.RoleID("1"), g.id, g.id, "" // @everyone has the guild's ID
	member.Bot, g.owner, w.bot = true, member.ID, member.ID
	g.roles, g.members = []*Role{&role}, []*Member{&member}
	channel.Type, channel.Parent, channel.Overwrites[0].Role = DMChannel, "", ""
	w.channels[channel.ID], w.channelOrder = &channel, []chat.ChannelID{channel.ID}
	message.interaction = &interaction{id: "5", user: member.ID, channel: channel.ID, message: "6"}
	message.Channel, message.Attachments[0].ID = channel.ID, "8"
	w.messages[message.ID], w.history[channel.ID] = &message, []chat.MessageID{message.ID}
	event, invite, entry, emoji, webhook := filled[ScheduledEvent](), filled[Invite](), filled[AuditEntry](), filled[GuildEmoji](), filled[Webhook]()
	invite.Created, event.Guild = time.Now().UTC(), g.id
	g.scheduled, w.invites, g.auditLog = []*ScheduledEvent{&event}, []*Invite{&invite}, []*AuditEntry{&entry}
	g.emojis, w.webhooks = []*GuildEmoji{&emoji}, []*Webhook{&webhook}
	w.ids.last = 100_000_000_000_000_005

	data, err := json.Marshal(w.saved())
	if err != nil {
		t.Fatal(err)
	}
	s, err := readSaved(data)
	if err != nil {
		t.Fatal(err)
	}
	again := newWorld()
	if err := again.restore(s); err != nil {
		t.Fatal(err)
	}
	loaded := again.first()
	same := cmp.Options{cmpopts.IgnoreUnexported(Message{})}
	for name, pair := range map[string][2]any{
		"role":    {g.roles, loaded.roles},
		"member":  {g.members, loaded.members},
		"channel": {w.channels, again.channels},
		"message": {w.messages, again.messages},
		"server": {
			[]any{g.scheduled, w.invites, g.auditLog, g.emojis, w.webhooks},
			[]any{loaded.scheduled, again.invites, loaded.auditLog, loaded.emojis, again.webhooks},
		},
		"history": {w.history, again.history},
		"order":   {w.channelOrder, again.channelOrder},
		"others": {
			[]any{g.id, g.name, g.owner, w.bot, w.ids.last, w.granted},
			[]any{loaded.id, loaded.name, loaded.owner, again.bot, again.ids.last, again.granted},
		},
	} {
		if diff := cmp.Diff(pair[0], pair[1], same); diff != "" {
			t.Errorf("%s (-before +after):\n%s", name, diff)
		}
	}
	if got, want := again.messages[message.ID].interaction, message.interaction; !reflect.DeepEqual(got, want) {
		t.Errorf("the interaction is %+v, want %+v", got, want)
	}
}

// filled is a T in which every field that can be seen has a value.
func filled[T any]() T {
	var v T
	fill(reflect.ValueOf(&v).Elem(), 0)
	return v
}

func fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("100000000000000001")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(7)
	case reflect.Uint8:
		v.SetUint('x')
	case reflect.Uint64:
		v.SetUint(1<<47 | 1<<10) // a right without a name, and one with
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{"key": "value"}))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth)
	case reflect.Slice:
		if depth < 3 { // components have components
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0), depth+1)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 3, 2, 12, 0, 0, 123456789, time.UTC)))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), depth)
			}
		}
	default:
		panic("a field of a kind that no test knows: " + v.Type().String())
	}
}
