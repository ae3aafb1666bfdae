package wire

import "bytes"

// CheckExternalSender reads the payload of op 25: who may propose without being a member, which is the voice gateway.
func CheckExternalSender(raw []byte) error {
	r := reader{rest: raw}
	r.point()
	r.require(r.number(2) == 1)
	r.require(len(r.vector()) <= 256) // its identity
	return r.end()
}

// ExternalSenders is the body of the one extension that a group has.
func ExternalSenders(sender []byte) []byte { return AppendVector(nil, sender) }

// A Welcome is how somebody who was added joins.
type Welcome struct {
	Secrets []Secret
	Info    []byte // encrypted
}

// A Secret is for one of those who join.
type Secret struct {
	KeyPackage            []byte // its reference
	KEMOutput, Ciphertext []byte
}

// ReadWelcome reads one that stands alone.
func ReadWelcome(raw []byte) (Welcome, error) {
	var w Welcome
	r := reader{rest: raw}
	r.require(r.number(2) == suite)
	r.each(mostLeaves, func(r *reader) {
		w.Secrets = append(w.Secrets, Secret{KeyPackage: r.fixed(hash), KEMOutput: r.point(), Ciphertext: r.vector()})
	})
	w.Info = r.vector()
	return w, r.end()
}

// ReadJoinerSecret reads the secret of a welcome once it is decrypted.
func ReadJoinerSecret(raw []byte) ([]byte, error) {
	r := reader{rest: raw}
	joiner := r.fixed(hash)
	if r.optional() {
		r.fixed(hash)
	}
	r.require(len(r.vector()) == 0) // no shared keys
	return joiner, r.end()
}

// CheckInfo reads the rest of a welcome once it is decrypted: it has to be about this group, with this external sender.
func CheckInfo(raw, group []byte, sender []byte) error {
	r := reader{rest: raw}
	r.require(r.number(2) == version && r.number(2) == suite)
	r.require(bytes.Equal(r.vector(), group))
	r.require(r.number(8) > 0)          // epoch
	r.fixed(hash)                       // of the tree
	r.fixed(hash)                       // of the transcript
	senders := reader{rest: r.vector()} // the one extension of the group
	r.require(senders.number(2) == 5 && bytes.Equal(senders.vector(), ExternalSenders(sender)) && senders.end() == nil)
	var users []uint64
	trees := 0
	r.each(3, func(r *reader) {
		switch kind, body := r.number(2), (reader{rest: r.vector()}); kind {
		case 2:
			trees++
			users = body.tree()
			r.require(body.end() == nil)
		case 4: // a key for those who come uninvited, which we do not use
			body.point()
			r.require(body.end() == nil)
		case 5: // mls-go has it here, too
			r.require(bytes.Equal(body.rest, ExternalSenders(sender)))
		default:
			r.require(false)
		}
	})
	r.require(trees == 1)
	r.fixed(hash) // confirmation tag
	signer := r.number(4)
	r.require(signer < uint64(len(users)) && users[signer] != 0)
	r.signature()
	return r.end()
}

// tree returns the user of each leaf; 0 is a blank one.
func (r *reader) tree() []uint64 {
	var users []uint64
	var unmerged uint64 // the leaf after the last one that is named anywhere
	known := map[uint64]bool{}
	n, last := 0, false
	r.each(2*mostLeaves-1, func(r *reader) {
		isLeaf := n%2 == 0
		n++
		if isLeaf {
			users = append(users, 0)
		}
		if last = r.optional(); !last {
			return
		}
		if isLeaf {
			r.require(r.number(1) == 1)
			user := r.leaf(fromKeyPackage, fromCommit)
			r.require(!known[user])
			known[user] = true
			users[len(users)-1] = user
			return
		}
		r.require(r.number(1) == 2)
		r.point()
		r.parentHash()
		next := uint64(0)
		r.each(mostLeaves, func(r *reader) {
			leaf := r.number(4)
			r.require(leaf >= next && leaf < mostLeaves)
			next = leaf + 1
		})
		unmerged = max(unmerged, next)
	})
	r.require(n%2 == 1 && last && unmerged <= uint64(len(users)))
	return users
}
