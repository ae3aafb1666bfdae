package fakediscord

// Whisper is the name of an event that no gateway sends. Watchers hear by it of a
// message that one person alone sees: that it is new, has changed or is gone. Its
// data is {"id": message, "user_id": who sees it}.
const Whisper = "WHISPER"

func (w *World) whisper(m *Message) {
	w.queue(Whisper, 0, w.channels[m.Channel], object{"id": m.ID, "user_id": m.OnlyFor}, nil, false)
}
