package fakediscord

// Whisper is the name of an event that no gateway sends: an ephemeral message was created,
// changed or deleted. Watchers get it. Its data is {"id": message, "user_id": the member
// who sees it}.
const Whisper = "WHISPER"

func (w *World) whisper(m *Message) {
	w.touch(m)
	w.queue(Whisper, 0, w.channels[m.Channel], object{"id": m.ID, "user_id": m.OnlyFor}, nil, false)
}
