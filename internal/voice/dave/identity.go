package dave

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/binary"
	"fmt"

	"github.com/thomas-vilte/mls-go/ciphersuite"
	"github.com/thomas-vilte/mls-go/keypackages"

	"discoclaw/internal/voice/dave/wire"
)

const suite = ciphersuite.MLS128DHKEMP256

// An Identity is the signature key by which a client is known in all of its calls. There is one in a process.
type Identity struct {
	key    *ecdsa.PrivateKey
	signer *ciphersuite.SignaturePrivateKey
}

// NewIdentity returns one with a new key.
func NewIdentity() (*Identity, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the signature key of calls: %w", err)
	}
	return newIdentity(key), nil
}

func newIdentity(key *ecdsa.PrivateKey) *Identity {
	return &Identity{key: key, signer: ciphersuite.NewSignaturePrivateKey(key)}
}

// A keyPackage is how others can add us to a group, once, with its private keys.
type keyPackage struct {
	public  *keypackages.KeyPackage
	private *keypackages.KeyPackagePrivateKeys
	raw     []byte
}

// Key packages of all official clients are alike: what they can do, in the encoding of MLS. The library would add random values to this.
const capabilities = "\x02\x00\x01\x02\x00\x02\x00\x00\x02\x00\x01"

func (id *Identity) keyPackage(user uint64) (*keyPackage, error) {
	initKey, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	leafKey, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	leaf := wire.AppendVector(nil, leafKey.PublicKey().Bytes())
	leaf = wire.AppendVector(leaf, id.signer.PublicKey().AsSlice())
	leaf = binary.BigEndian.AppendUint64(append(leaf, 0, 1, 8), user)
	leaf = append(leaf, capabilities...)
	leaf = append(leaf, 1)                                                                     // from a key package
	leaf = append(leaf, "\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"...) // valid for ever
	leaf = append(leaf, 0)                                                                     // no extensions
	if leaf, err = id.appendSignature(leaf, "LeafNodeTBS"); err != nil {
		return nil, err
	}
	all := append(wire.AppendVector([]byte{0, 1, 0, 2}, initKey.PublicKey().Bytes()), leaf...)
	all = append(all, 0) // no extensions
	if all, err = id.appendSignature(all, "KeyPackageTBS"); err != nil {
		return nil, err
	}
	return id.readKeyPackage(all, initKey, leafKey)
}

func (id *Identity) readKeyPackage(raw []byte, initKey, leafKey *ecdh.PrivateKey) (*keyPackage, error) {
	public, err := keypackages.UnmarshalKeyPackage(raw)
	if err != nil {
		return nil, err
	}
	private := &keypackages.KeyPackagePrivateKeys{InitKey: initKey, EncryptionKey: leafKey, SignatureKey: id.key}
	return &keyPackage{public: public, private: private, raw: raw}, nil
}

// appendSignature appends the signature of what is there.
func (id *Identity) appendSignature(content []byte, label string) ([]byte, error) {
	signature, err := ciphersuite.SignWithLabel(id.signer, label, content)
	if err != nil {
		return nil, err
	}
	return wire.AppendVector(content, signature.AsSlice()), nil
}
