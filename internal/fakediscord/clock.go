package fakediscord

import "time"

// Skew puts the world's clock ahead of the machine's, or behind it: Discord's times (IDs,
// timestamps, Date headers) then differ from the bot's clock. IDs never go back, so after a
// step backwards they stand still for as long.
func (w *World) Skew(ahead time.Duration) { w.skew.Store(int64(ahead)) }

// clock is the time on Discord.
func (w *World) clock() time.Time { return time.Now().Add(time.Duration(w.skew.Load())) }

// now is the time in milliseconds, which is Discord's precision.
func (w *World) now() time.Time { return w.clock().UTC().Truncate(time.Millisecond) }
