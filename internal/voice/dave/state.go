package dave

// A State is what there is to see of the encryption of a call.
type State struct {
	Version     int      // in force for what is said: 0 without encryption, -1 until it is known
	Epoch       uint64   // of the group; 0 until there is one
	Members     []Member // of the group, in its order
	PrivacyCode string   // 30 digits that are the same for all members; empty without a group
	Recoveries  int      // how often the group was left to be joined anew
	Sealed      int64    // frames encrypted
	Opened      int64    // frames decrypted
	Dropped     int64    // frames that were not opened
}

// A Member is a user in the group.
type Member struct {
	User uint64
	Key  []byte // the public signature key
}

// State is what there is to see of the encryption of a call.
func (c *Controller) State() State {
	c.media.mu.Lock()
	defer c.media.mu.Unlock()
	return c.media.state
}

// show has State tell of the group as it is now.
func (c *Controller) show() {
	var epoch uint64
	var code string
	if c.session.established() {
		epoch, code = uint64(c.session.group.Epoch()), privacyCode(c.session.group.EpochAuthenticator())
	}
	members := c.session.members()
	c.media.mu.Lock()
	defer c.media.mu.Unlock()
	s := &c.media.state
	s.Epoch, s.PrivacyCode, s.Members = epoch, code, members
}
