package fakediscord

// mayType checks the rights for a typing indicator.
func (w *World) mayType(c *Channel, may Permissions) error {
	need := sendMessages
	if c.Type.IsThread() {
		need = sendInThreads
	}
	switch {
	case !c.Type.takesMessages():
		return errNoTextChannel
	case !may.Has(need):
		return errMissingPermissions
	}
	return nil
}

func (w *World) emitTyping(c *Channel, who *Member) {
	o := object{"channel_id": c.ID, "user_id": who.ID, "timestamp": w.clock().Unix()}
	intent := intentDirectTyping
	if c.Type != DMChannel {
		o["guild_id"], o["member"], intent = c.Guild, w.memberJSON(who), intentTyping
	}
	w.emit("TYPING_START", intent, c, o)
}
