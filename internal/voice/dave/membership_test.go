package dave

import (
	"math/rand/v2"
	"testing"

	"discoclaw/internal/voice/dave/davetest"
)

// randomMembership has clients come, go and be added anew in one commit, with a random winner each time.
func randomMembership(t *testing.T, seed uint64, epochs, most int, open func(user uint64) peer) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 0))
	c := newCall(t)
	user := uint64(1000)
	come := func() {
		user++
		c.join(user, open(user))
	}
	come()
	come()
	for range epochs {
		members := c.group.Members()
		var remove []uint64
		if len(members) > 0 {
			for range random.IntN(3) {
				if at := random.IntN(len(members)); len(members) > 2 {
					remove = append(remove, members[at])
					members = append(members[:at:at], members[at+1:]...)
				}
			}
			for range random.IntN(3) {
				if len(members)+len(c.waiting) < most {
					come()
				}
			}
			if len(remove) > 0 && random.IntN(4) == 0 {
				c.waiting = append(c.waiting, c.again(remove[0])) // removed and added at once
				c.leave(remove[1:]...)
			} else {
				c.leave(remove...)
			}
			if len(remove) == 0 && len(c.waiting) == 0 {
				come()
			}
		}
		c.advance(remove, func(from []uint64) uint64 { return from[random.IntN(len(from))] })
		c.check(random)
	}
}

// again has a member that is to be removed ask to be added.
func (c *call) again(user uint64) davetest.Joiner {
	return davetest.Joiner{User: user, KeyPackage: c.peers[user].join(c.sender.Package())}
}

func TestAnybodyMayComeAndGo(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		randomMembership(t, seed, 25, 6, func(user uint64) peer { return newOurPeer(t, user) })
	}
}
