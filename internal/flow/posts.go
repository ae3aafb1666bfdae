package flow

import (
	"context"
	"slices"

	"discoclaw/internal/chat"
	"discoclaw/internal/turn"
)

// posts is where the answers of a turn go that nobody waits for: there is no
// placeholder and no preview, and an answer that is not given leaves nothing behind.
type posts struct {
	server  Server
	channel chat.ChannelID
	remark  string // stands above the answer; may be empty
}

// Open shows nothing.
func (p posts) Open(context.Context, string, string) (turn.Reply, error) { return p, nil }

// Preview shows nothing.
func (p posts) Preview(context.Context, string) error { return nil }

// Discard has nothing to take away.
func (p posts) Discard(context.Context) error { return nil }

const (
	longestPost = 2000 // characters; https://discord.com/developers/docs/resources/message#create-message
	mostFiles   = 10   // with one message
)

// Finish sends the chunks one after the other, and the files with the last one. After
// an error, the receipt has what was delivered.
func (p posts) Finish(ctx context.Context, chunks []string, files ...chat.File) (chat.Receipt, error) {
	receipt := chat.Receipt{Channel: p.channel}
	for _, m := range p.messages(chunks, files) {
		id, err := p.server.Send(ctx, p.channel, m)
		if err != nil {
			return receipt, err
		}
		receipt.Messages = append(receipt.Messages, id)
	}
	return receipt, nil
}

func (p posts) messages(chunks []string, files []chat.File) []chat.Outgoing {
	var list []chat.Outgoing
	for _, text := range withRemark(p.remark, chunks) {
		list = append(list, chat.Outgoing{Text: text})
	}
	for i, some := range slices.Collect(slices.Chunk(files, mostFiles)) {
		if i > 0 || len(list) == 0 {
			list = append(list, chat.Outgoing{})
		}
		list[len(list)-1].Files = some
	}
	return list
}

// withRemark puts a remark above chunks, in a message of its own if the first has no room
// for it.
func withRemark(remark string, chunks []string) []string {
	if remark == "" || len(chunks) == 0 {
		return chunks
	}
	if with := remark + "\n" + chunks[0]; chat.Length(with) <= longestPost {
		return append([]string{with}, chunks[1:]...)
	}
	return append([]string{remark}, chunks...)
}
