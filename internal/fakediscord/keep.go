package fakediscord

import "sync"

// A keeper saves the changes of a world before anyone can see them.
type keeper struct {
	save func() error

	mu    sync.Mutex
	saved uint64 // the version that was saved
}

// Keep has save called after every change, and before that change is visible: in an event, in a response, or
// to a caller of Sync. So a process that is killed loses nothing that the bot or a member has seen. Concurrent
// changes may share a call. After an error, save is called again by the next Sync.
//
// Keep is called before the world is used. save may read the world, but not change it.
func (w *World) Keep(save func() error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.keeper = &keeper{save: save}
}

// Sync returns when all changes so far have been saved, or could not be. Without Keep it does nothing.
func (w *World) Sync() {
	k, version := w.unsaved()
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.saved >= version {
		return
	}
	// The version is read before the state: a later change may be saved already, but is never taken for saved.
	_, version = w.unsaved()
	if k.save() == nil {
		k.saved = version
	}
}

// unsaved returns the keeper, which may be nil, and the version of the world.
func (w *World) unsaved() (*keeper, uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.keeper, w.version
}
