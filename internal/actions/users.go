package actions

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
)

// A FindUser resolves a reference to a user on a server, for a member.
type FindUser func(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.UserRef) (chat.Member, error)

// WithUsers returns the request with every name of a user replaced by an ID. It comes before rights are checked, so that the
// user whose rank was compared, whom the card shows and who is affected in the end are the same, whoever takes the name
// meanwhile. IDs stay as they are, also those of users who are not members.
func (b Bound) WithUsers(ctx context.Context, call Call, find FindUser) (Bound, error) {
	in := b.copied()
	for _, field := range refs[chat.UserRef](in) {
		ref := chat.UserRef(field.String())
		if ref == "" || ref.ID() != "" {
			continue
		}
		m, err := find(ctx, call.Origin.Place.Guild, call.Origin.Requester, ref)
		if err != nil {
			return b, err
		}
		field.SetString(string(m.ID))
		b.named = append(b.named, m.User)
	}
	b.Input = in.Interface()
	return b, nil
}

// A FindRole resolves a reference to a role of a server.
type FindRole func(ctx context.Context, g chat.GuildID, ref chat.RoleRef) (chat.Role, error)

// WithRoles is WithUsers for roles.
func (b Bound) WithRoles(ctx context.Context, call Call, find FindRole) (Bound, error) {
	in := b.copied()
	for _, field := range refs[chat.RoleRef](in) {
		if field.String() == "" || chat.IsID(field.String()) {
			continue
		}
		r, err := find(ctx, call.Origin.Place.Guild, chat.RoleRef(field.String()))
		if err != nil {
			return b, err
		}
		field.SetString(string(r.ID))
	}
	b.Input = in.Interface()
	return b, nil
}

// withNamed is WithUsers for the users, roles and channels that a held request names. Names that cannot be found stay: they are of
// channels that earlier requests will make.
func (b Bound) withNamed(ctx context.Context, call Call) Bound {
	if call.users != nil {
		b, _ = b.WithUsers(ctx, call, call.users)
	}
	if call.roles != nil {
		b, _ = b.WithRoles(ctx, call, call.roles)
	}
	if call.channels == nil {
		return b
	}
	in := b.copied()
	for _, field := range refs[chat.ChannelRef](in) {
		if field.String() == "" {
			continue
		}
		if ch, err := call.OtherChannel(ctx, call.channels, chat.ChannelRef(field.String())); err == nil {
			field.SetString(string(ch.ID))
		}
	}
	b.Input = in.Interface()
	return b
}

// copied returns a copy of the input, whose fields can be set.
func (b Bound) copied() reflect.Value {
	in := reflect.New(reflect.TypeOf(b.Input)).Elem()
	in.Set(reflect.ValueOf(b.Input))
	return in
}

// refs returns the references of a type in the input of an action. Lists are copied, so that they can be set, too.
func refs[T ~string](v reflect.Value) (found []reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[T]():
		return []reflect.Value{v}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				found = append(found, refs[T](v.Field(i))...)
			}
		}
	case v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[T]():
		list := reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v)
		v.Set(list)
		for i := range list.Len() {
			found = append(found, list.Index(i))
		}
	}
	return found
}

// saying makes a text name the users whom the request called by a display name or nickname also by their user
// names, since several users can have the same display name.
func (b Bound) saying(text string) string {
	for _, u := range b.named {
		switch {
		case strings.Contains(text, u.Certain()):
		case strings.Contains(text, u.Mention()):
			text = strings.Replace(text, u.Mention(), u.Certain(), 1)
		default:
			text += ": " + u.Certain()
		}
	}
	return text
}

// Linked replaces the handles of messages in requests by links, where a field takes a message and
// in texts that are read outside of the turn. From then on a request means the same everywhere. Unknown
// handles stay, and do not decode.
func (g Gate) Linked(reqs []Request, h *chat.Handles) []Request {
	linked := slices.Clone(reqs)
	for i, r := range linked {
		action, _ := g.lookup(r.Type)
		if action == nil {
			continue
		}
		linked[i].Args = action.schema().Rewrite(r.Args, func(f schema.Field, text string) string {
			switch {
			case f.Message:
				return h.Link(text)
			case slices.Contains(action.Stores, f.Name):
				return h.LinkAll(text)
			}
			return text
		})
	}
	return linked
}
