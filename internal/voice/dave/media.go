package dave

import (
	"bytes"
	"slices"
	"sync"
	"time"
)

// The keys of an epoch.
type epochKeys struct {
	number int // counts epochs over all groups of a call
	send   *sealer
	open   map[uint64]*opener // by user
	ends   time.Time          // when they are not heard any more; zero for the newest ones
}

// media is what the goroutines of audio need: the keys in force, and what else may pass.
type media struct {
	mu        sync.Mutex
	send      *epochKeys     // in force; nil without
	receive   []*epochKeys   // newest first
	passUntil time.Time      // while frames may come that are not encrypted
	pass      bool           // without end
	failed    map[uint64]int // frames in a row that did not open
	lost      bool           // one of these is too high, as woken tells
	woken     chan struct{}
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

func (m *media) decrypt(user uint64, frame []byte, now time.Time) (opus []byte, err error) {
	if bytes.Equal(frame, Silence) {
		return frame, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s, encrypted := parseFrame(frame)
	if !encrypted {
		if m.state.Version == 0 || m.pass || now.Before(m.passUntil) {
			return frame, nil
		}
		m.state.Dropped++
		return nil, ErrPlain
	}
	for _, epoch := range m.receive {
		o := epoch.open[user]
		if o == nil || epoch.over(now) {
			continue
		}
		opus, tried := o.open(s, now)
		if tried == nil {
			delete(m.failed, user)
			m.state.Opened++
			return opus, nil
		}
		if err == nil {
			err = tried // of the newest epoch: in others the same number is another frame's
		}
	}
	m.state.Dropped++
	switch err {
	case nil:
		err = ErrUndecryptable // there is no key of this user's
	case ErrUndecryptable:
		m.countFailure(user)
	}
	return nil, err
}

func (m *media) countFailure(user uint64) {
	m.failed[user]++
	if m.failed[user]%failures != 0 {
		return
	}
	m.lost = true
	select {
	case m.woken <- struct{}{}:
	default:
	}
}

func (k *epochKeys) over(now time.Time) bool { return !k.ends.IsZero() && !now.Before(k.ends) }

// learn takes the keys of a new epoch. Others may send with them at once; their old ones are kept for a while.
func (m *media) learn(keys *epochKeys, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.receive) > 0 {
		m.receive[0].ends = now.Add(retention)
	}
	m.receive = slices.DeleteFunc(m.receive, func(old *epochKeys) bool { return old.over(now) })
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
