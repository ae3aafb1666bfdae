package chat

import "context"

// An Asker is who asked for something, and the message in which they did.
type Asker struct {
	User UserID
	Place
}

type askerKey struct{}

// AskedBy returns a context whose requests to Discord are made for somebody, which the server's
// audit log says.
func AskedBy(ctx context.Context, who Asker) context.Context {
	return context.WithValue(ctx, askerKey{}, who)
}

// AskerOf returns for whom requests are made. ok is false if that is nobody.
func AskerOf(ctx context.Context) (who Asker, ok bool) {
	who, _ = ctx.Value(askerKey{}).(Asker)
	return who, who.User != ""
}
