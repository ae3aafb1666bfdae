package actions

import (
	"context"
	"reflect"
	"strings"

	"discoclaw/internal/chat"
)

// A FindUser resolves a reference to a user on a server, for a member.
type FindUser func(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.UserRef) (chat.Member, error)

// WithUsers returns the request with every name of a user replaced by an ID. It comes before rights are checked, so that the
// user whose rank was compared, whom the card shows and who is affected in the end are the same, whoever takes the name
// meanwhile. IDs stay as they are, also those of users who are not members.
func (b Bound) WithUsers(ctx context.Context, call Call, find FindUser) (Bound, error) {
	in := reflect.New(reflect.TypeOf(b.Input)).Elem()
	in.Set(reflect.ValueOf(b.Input))
	for _, field := range userFields(in) {
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

// userFields returns the references to users in the input of an action.
func userFields(v reflect.Value) (found []reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[chat.UserRef]():
		return []reflect.Value{v}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				found = append(found, userFields(v.Field(i))...)
			}
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
