package wire

import (
	"crypto/sha256"
	"slices"
)

const (
	version = 1 // of MLS, and of the one wire format, PublicMessage
	suite   = 2 // P-256, AES-128-GCM, SHA-256
	hash    = 32
	point   = 65 // an uncompressed point of P-256

	mostLeaves = 1024
	mostLevels = 11
)

// A KeyPackage is how a user can be added to a group.
type KeyPackage struct {
	Raw     []byte
	User    uint64
	InitKey []byte
}

// Ref is by what a welcome finds it.
func (k KeyPackage) Ref() []byte { return reference("KeyPackage", k.Raw) }

// A Proposal is a voice gateway's, to add or to remove somebody.
type Proposal struct {
	Raw    []byte
	Group  []byte
	Epoch  uint64
	Add    *KeyPackage // nil to remove
	Remove uint32      // a leaf
}

// Ref is by what commits name it.
func (p Proposal) Ref() []byte { return reference("Proposal", p.Raw[2:]) }

func reference(of string, value []byte) []byte {
	sum := sha256.Sum256(AppendVector(AppendVector(nil, []byte("MLS 1.0 "+of+" Reference")), value))
	return sum[:]
}

// ReadProposals reads what follows the kind of an op 27: proposals to append.
func ReadProposals(vector []byte) ([]Proposal, error) {
	var all []Proposal
	r := reader{rest: vector}
	r.each(2*mostLeaves, func(r *reader) { all = append(all, r.proposal()) })
	return all, r.end()
}

// ReadRefs reads what follows the kind of an op 27: the references of proposals to revoke.
func ReadRefs(vector []byte) ([][]byte, error) {
	var all [][]byte
	r := reader{rest: vector}
	r.each(2*mostLeaves, func(r *reader) { all = append(all, r.fixed(hash)) })
	return all, r.end()
}

func (r *reader) proposal() Proposal {
	whole := r.rest
	var p Proposal
	r.publicMessage(&p.Group, &p.Epoch)
	r.require(r.number(1) == 2 && r.number(4) == 0) // an external sender, the first
	r.require(len(r.vector()) == 0)                 // authenticated data
	r.require(r.number(1) == 2)                     // a proposal
	switch r.number(2) {
	case 1:
		k := r.keyPackage()
		p.Add = &k
	case 3:
		p.Remove = uint32(r.number(4))
	default:
		r.require(false)
	}
	r.signature()
	if !r.bad {
		p.Raw = whole[:len(whole)-len(r.rest)]
	}
	return p
}

func (r *reader) publicMessage(group *[]byte, epoch *uint64) {
	r.require(r.number(4) == version<<16|version)
	*group = r.fixed(8)
	*epoch = r.number(8)
}

// A Commit is a member's, of proposals that it names by reference.
type Commit struct {
	Raw   []byte
	Group []byte
	Epoch uint64
	Leaf  uint32 // of the member
	User  uint64 // whom the member says to be; 0 in commits that do not repeat it
	Refs  [][]byte
}

// ReadCommit reads one that stands alone, as in op 29.
func ReadCommit(raw []byte) (Commit, error) {
	r := reader{rest: raw}
	c := r.commit()
	return c, r.end()
}

// ReadCommitWelcome reads the payload of op 28, a commit and, if anybody is added, a welcome. Nothing else marks where the commit ends.
func ReadCommitWelcome(payload []byte) (c Commit, welcome []byte, err error) {
	r := reader{rest: payload}
	c = r.commit()
	if r.bad || len(r.rest) == 0 {
		return c, nil, r.end()
	}
	_, err = ReadWelcome(r.rest)
	return c, r.rest, err
}

func (r *reader) commit() Commit {
	whole := r.rest
	var c Commit
	r.publicMessage(&c.Group, &c.Epoch)
	r.require(r.number(1) == 1) // a member
	c.Leaf = uint32(r.number(4))
	r.require(len(r.vector()) == 0) // authenticated data
	r.require(r.number(1) == 3)     // a commit
	r.each(2*mostLeaves, func(r *reader) {
		r.require(r.number(1) == 2) // by reference
		c.Refs = append(c.Refs, r.fixed(hash))
	})
	if r.optional() {
		c.User = r.path()
	}
	r.signature()
	r.fixed(hash) // confirmation tag
	r.fixed(hash) // membership tag
	if !r.bad {
		c.Raw = whole[:len(whole)-len(r.rest)]
	}
	return c
}

// path returns the user whose it is.
func (r *reader) path() uint64 {
	user := r.leaf(fromCommit)
	secrets := 0
	r.each(mostLevels, func(r *reader) {
		r.point()
		r.each(mostLeaves, func(r *reader) {
			secrets++
			r.require(secrets <= mostLeaves)
			r.point()
			r.fixed(hash + 16)
		})
	})
	return user
}

// The sources of a leaf: the key package by which a member was added, or its own commit since.
const (
	fromKeyPackage = 1
	fromCommit     = 3
)

func (r *reader) keyPackage() KeyPackage {
	whole := r.rest
	r.require(r.number(2) == version && r.number(2) == suite)
	k := KeyPackage{InitKey: r.point()}
	k.User = r.leaf(fromKeyPackage)
	r.noExtensions()
	r.signature()
	if !r.bad {
		k.Raw = whole[:len(whole)-len(r.rest)]
	}
	return k
}

// leaf returns the user of one that comes from any of these sources.
func (r *reader) leaf(sources ...uint64) (user uint64) {
	r.point() // encryption key
	r.point() // signature key
	r.require(r.number(2) == 1)
	r.require(r.number(1) == 8)
	user = r.number(8)
	r.require(user != 0)
	for range 5 { // capabilities
		r.each(64, func(r *reader) { r.number(2) })
	}
	source := r.number(1)
	r.require(slices.Contains(sources, source))
	if source == fromKeyPackage {
		r.take(16) // lifetime
	} else {
		r.parentHash()
	}
	r.noExtensions()
	r.signature()
	return user
}

func (r *reader) point() []byte {
	p := r.fixed(point)
	r.require(len(p) == point && p[0] == 4)
	return p
}

func (r *reader) parentHash() {
	if h := r.vector(); len(h) > 0 {
		r.require(len(h) == hash)
	}
}

func (r *reader) noExtensions() { r.require(len(r.vector()) == 0) }

// signature is one of ECDSA in ASN.1.
func (r *reader) signature() {
	s := r.vector()
	r.require(len(s) >= 8 && len(s) <= 72)
}

func (r *reader) optional() bool {
	present := r.number(1)
	r.require(present <= 1)
	return present == 1
}
