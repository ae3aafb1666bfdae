package dave

import (
	"bytes"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"slices"

	"github.com/thomas-vilte/mls-go/ciphersuite"
	"github.com/thomas-vilte/mls-go/extensions"
	"github.com/thomas-vilte/mls-go/group"
	"github.com/thomas-vilte/mls-go/keypackages"

	"discoclaw/internal/voice/dave/wire"
)

// join takes the payload of op 30 without its transition ID. Any participant may have made it, so it is decrypted here first, and
// read to the last byte: the library trusts lengths in it.
func (s *session) join(raw []byte) (err error) {
	if s.own == nil || s.sender == nil {
		return errNoUse
	}
	defer refusePanic(&err)
	if err := s.checkWelcome(raw); err != nil {
		return err
	}
	welcome, err := group.UnmarshalWelcome(raw)
	if err != nil {
		return errRefuse
	}
	g, err := group.JoinFromWelcome(welcome, s.own.public, s.own.private, nil)
	if err != nil || !oncePerUser(g) {
		return errRefuse
	}
	s.adopt(g)
	return nil
}

func (s *session) checkWelcome(raw []byte) error {
	w, err := wire.ReadWelcome(raw)
	if err != nil {
		return err
	}
	ref := wire.KeyPackage{Raw: s.own.raw}.Ref()
	i := slices.IndexFunc(w.Secrets, func(secret wire.Secret) bool { return bytes.Equal(secret.KeyPackage, ref) })
	if i < 0 {
		return errRefuse
	}
	sealed := ciphersuite.HPKECiphertext{KEMOutput: w.Secrets[i].KEMOutput, Ciphertext: w.Secrets[i].Ciphertext}
	secret, err := ciphersuite.DecryptWithLabel(s.own.private.InitKey.Bytes(), "Welcome", w.Info, &sealed, suite)
	if err != nil {
		return errRefuse
	}
	joiner, err := wire.ReadJoinerSecret(secret)
	if err != nil {
		return err
	}
	key, nonce := welcomeKey(joiner)
	info, err := ciphersuite.DecryptWithCipherSuite(key, nonce, w.Info, nil, suite)
	if err != nil {
		return errRefuse
	}
	return wire.CheckInfo(info, s.groupID, s.sender)
}

// welcomeKey is what the group's description is encrypted with for those who join.
func welcomeKey(joiner []byte) (key, nonce []byte) {
	member, err := hkdf.Extract(sha256.New, make([]byte, sha256.Size), joiner)
	if err != nil {
		panic(err) // the hash is good
	}
	secret := expand(member, "welcome", nil, sha256.Size)
	return expand(secret, "key", nil, 16), expand(secret, "nonce", nil, 12)
}

// welcome makes the welcome for those whom a commit adds; nil if there are none. The library would copy the group's extension into the
// description of the group, where others refuse it, and keeps to itself which secret is whose. So it makes the welcome for key packages
// with a key of our own; then we take the secrets out, mend the description, and encrypt both for the real ones.
func (s *session) welcome(g *group.Group, staged *group.StagedCommit, joiner *ciphersuite.Secret, queue []wire.Proposal) ([]byte, error) {
	readable, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	var added []wire.KeyPackage
	var copies []*keypackages.KeyPackage
	for _, p := range queue {
		if p.Add == nil {
			continue
		}
		public, err := keypackages.UnmarshalKeyPackage(p.Add.Raw)
		if err != nil {
			return nil, errRefuse
		}
		public.InitKey, public.Raw = readable.PublicKey().Bytes(), nil
		added, copies = append(added, *p.Add), append(copies, public)
	}
	if added == nil {
		return nil, nil
	}
	made, err := g.CreateWelcomeWithOpts(copies, s.id.signer, group.WithJoinerSecret(joiner), group.WithStagedCommit(staged),
		group.WithGroupInfoOptions(group.WithRatchetTree(true), group.WithExternalPub(false)))
	if err != nil {
		return nil, errRefuse
	}
	info, err := s.describe(made.GroupInfo, joiner.AsSlice())
	if err != nil {
		return nil, err
	}
	w := group.Welcome{Version: made.Version, CipherSuite: suite, EncryptedGroupInfo: info}
	for i, k := range added {
		secret, err := ciphersuite.DecryptWithLabel(readable.Bytes(), "Welcome", made.EncryptedGroupInfo, &made.Secrets[i].EncryptedGroupSecrets, suite)
		if err != nil {
			return nil, errRefuse
		}
		sealed, err := ciphersuite.EncryptWithLabel(k.InitKey, "Welcome", info, secret, suite)
		if err != nil {
			return nil, errRefuse
		}
		w.Secrets = append(w.Secrets, group.EncryptedGroupSecrets{NewMember: k.Ref(), EncryptedGroupSecrets: *sealed})
	}
	return w.Marshal(), nil
}

// describe returns the encrypted description of the group, without the group's own extension.
func (s *session) describe(info *group.Info, joiner []byte) ([]byte, error) {
	mended := *info
	mended.Extensions = slices.DeleteFunc(slices.Clone(info.Extensions), func(e group.Extension) bool {
		return e.Type == extensions.ExtensionTypeExternalSenders
	})
	signature, err := ciphersuite.SignWithLabel(s.id.signer, "GroupInfoTBS", mended.MarshalTBS())
	if err != nil {
		return nil, errRefuse
	}
	mended.Signature = signature.AsSlice()
	key, nonce := welcomeKey(joiner)
	return ciphersuite.EncryptWithCipherSuite(key, nonce, mended.Marshal(), nil, suite)
}
