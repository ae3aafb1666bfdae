package fakediscord

import "time"

// Skew puts the world's clock ahead of the machine's, or behind it: what Discord says
// about time (IDs, timestamps, the Date of its answers) then differs from what the bot
// reads off its own clock. To the bot, it is its own clock that is wrong. IDs never go
// back, so that after a step backwards they stand still for as long.
func (w *World) Skew(ahead time.Duration) { w.skew.Store(int64(ahead)) }

// clock is the time on Discord.
func (w *World) clock() time.Time { return time.Now().Add(time.Duration(w.skew.Load())) }

// now is the time to the millisecond, which is how precise Discord is about it.
func (w *World) now() time.Time { return w.clock().UTC().Truncate(time.Millisecond) }
