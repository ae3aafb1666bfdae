package dave

import (
	"bytes"
	"slices"
	"sync"
	"time"
)

// The keys of an epoch, by user.
type epochKeys struct {
	number int // counts epochs over all groups of a call
	send   *sealer
	open   map[uint64]*opener
}

// media is what the goroutines of audio need: the keys in force, and what else may pass.
type media struct {
	mu        sync.Mutex
	send      *epochKeys     // in force; nil without
	receive   []*epochKeys   // newest first
	passUntil time.Time      // while frames may come that are not encrypted
	pass      bool           // without end
	failed    map[uint64]int // frames in a row that did not open
	lost      bool           // one of these is too high
	state     State
}

// unknownVersion is in force until op 4.
const unknownVersion = -1

// mostEpochs bounds how many epochs' keys are kept, however fast they follow each other.
const mostEpochs = 16

// failures is after how many frames in a row that do not open the group is joined anew.
const failures = 50

func (m *media) canSend() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state.Version == 0 || m.send != nil
}

func (m *media) seal(dst, opus []byte) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.state.Version == 0 || bytes.Equal(opus, Silence):
		return append(dst, opus...), nil
	case m.send == nil:
		return dst, ErrNotReady
	}
	m.state.Sealed++
	return m.send.send.seal(dst, opus)
}

// decrypt opens a frame; lost reports that too many in a row did not.
func (m *media) decrypt(user uint64, frame []byte, now time.Time) (opus []byte, lost bool, err error) {
	if bytes.Equal(frame, Silence) {
		return frame, false, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s, encrypted := parseFrame(frame)
	if !encrypted {
		if m.state.Version == 0 || m.pass || now.Before(m.passUntil) {
			return frame, false, nil
		}
		m.state.Dropped++
		return nil, false, ErrPlain
	}
	for _, epoch := range m.receive {
		o := epoch.open[user]
		if o == nil || !o.ends.IsZero() && !now.Before(o.ends) {
			continue
		}
		opus, tried := o.open(s, now)
		if tried == nil {
			delete(m.failed, user)
			m.state.Opened++
			return opus, false, nil
		}
		if err == nil {
			err = tried // of the newest epoch: in others the same number is another frame's
		}
	}
	m.state.Dropped++
	if err == ErrUndecryptable {
		m.failed[user]++
		lost = m.failed[user]%failures == 0
		m.lost = m.lost || lost
	}
	if err == nil {
		err = ErrUndecryptable // there is no key of this user's
	}
	return nil, lost, err
}

// learn takes the keys of a new epoch. Others may send with them at once; their old ones are kept for a while.
func (m *media) learn(keys *epochKeys, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.receive = slices.DeleteFunc(m.receive, func(old *epochKeys) bool {
		expired := true
		for _, o := range old.open {
			if o.ends.IsZero() {
				o.ends = now.Add(retention)
			}
			expired = expired && !now.Before(o.ends)
		}
		return expired
	})
	m.receive = slices.Insert(m.receive[:min(len(m.receive), mostEpochs-1)], 0, keys)
	m.failed = map[uint64]int{}
}

// enforce puts keys for what we say in force, unless newer ones are. nil is for a version without encryption.
func (m *media) enforce(version int, keys *epochKeys, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if version == 0 {
		m.state.Version, m.send, m.pass = 0, nil, true
		return
	}
	if m.state.Version == 0 || m.pass {
		m.passUntil = now.Add(retention)
	}
	m.state.Version, m.pass = version, false
	if keys != nil && (m.send == nil || m.send.number < keys.number) {
		m.send = keys
	}
}

// allowPlain lets frames through that are not encrypted: others stop encrypting before we are told to.
func (m *media) allowPlain() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pass = true
}

// takeLost reports whether frames have stopped opening since it was asked last.
func (m *media) takeLost() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	lost := m.lost
	m.lost = false
	return lost
}

func (m *media) countRecovery() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state.Recoveries++
}
