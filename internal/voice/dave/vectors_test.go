package dave

import (
	"bytes"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A hexBytes is written in hexadecimal.
type hexBytes []byte

func (h *hexBytes) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

type vectors struct {
	FrameCheck []struct {
		Frame         hexBytes
		ProtocolFrame bool `json:"protocol_frame"`
	} `json:"frame_check"`
	Ratchet struct {
		Base hexBytes
		Keys map[string]hexBytes
	}
	FramesFixedKey struct {
		Base   hexBytes
		Frames []vectorFrame
	} `json:"frames_fixed_key"`
	FramesWithRanges []struct{ Base, Frame, Plain hexBytes } `json:"frames_with_ranges"`
	Rollover         struct {
		Base   hexBytes
		Frames []vectorFrame `json:"frames_from_davey"`
	} `json:"generation_rollover"`
	Fingerprint struct {
		Code        string
		Fingerprint hexBytes
		KeyA        hexBytes `json:"key_a"`
		KeyB        hexBytes `json:"key_b"`
		UserA       uint64   `json:"user_a,string"`
		UserB       uint64   `json:"user_b,string"`
	}
	Sessions []vectorSession
}

type vectorFrame struct {
	Frame, Opus hexBytes
	Nonce       uint32
	Sender      uint64 `json:",string"`
}

type vectorSession struct {
	Peer      string   `json:"foreign_peer"`
	Channel   uint64   `json:"channel_id,string"`
	Self      uint64   `json:"self_user_id,string"`
	Known     []string `json:"known_user_ids"`
	Init      hexBytes `json:"init_private_key"`
	Leaf      hexBytes `json:"leaf_encryption_private_key"`
	Signature hexBytes `json:"signature_private_key"`
	Founder   hexBytes `json:"founder_key_package"`
	Steps     []struct {
		What       string
		ToClient   hexBytes `json:"to_client"`
		FromClient hexBytes `json:"from_client"`
		Expect     *struct {
			Epoch         uint64
			Authenticator hexBytes `json:"epoch_authenticator"`
			Code          string   `json:"privacy_code"`
			Members       []string
			Senders       map[string]struct {
				Base hexBytes
				Key0 hexBytes `json:"key_generation_0"`
				Key1 hexBytes `json:"key_generation_1"`
			}
			Frames []vectorFrame
		}
	}
}

func readVectors(t testing.TB) (v vectors) {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestFramesAreRecognisedAsByOthers(t *testing.T) {
	for _, v := range readVectors(t).FrameCheck {
		if _, ok := parseFrame(v.Frame); ok != v.ProtocolFrame {
			t.Errorf("%x is an encrypted frame: %v, want %v", v.Frame, ok, v.ProtocolFrame)
		}
	}
}

func TestKeysOfGenerations(t *testing.T) {
	v := readVectors(t).Ratchet
	r := newRatchet(v.Base)
	checked := 0
	for ; checked < len(v.Keys); r = r.next() {
		want, ok := v.Keys[strconv.Itoa(int(r.generation))]
		if !ok {
			continue
		}
		checked++
		if got := r.keyBytes(); !bytes.Equal(got, want) {
			t.Errorf("key of generation %d = %x, want %x", r.generation, got, want)
		}
	}
}

func TestFramesOfAFixedKey(t *testing.T) {
	v := readVectors(t).FramesFixedKey
	for _, f := range v.Frames {
		s := newSealer(v.Base)
		for s.ratchet.generation < f.Nonce>>24 {
			s.ratchet = s.ratchet.next()
			s.key = s.ratchet.key()
		}
		s.frames = f.Nonce - 1
		got, err := s.seal(nil, f.Opus)
		if err != nil || !bytes.Equal(got, f.Frame) {
			t.Errorf("frame %d of %x = %x, %v, want %x", f.Nonce, f.Opus, got, err, f.Frame)
		}
	}
}

func TestFramesWithPlainRangesOpen(t *testing.T) {
	for _, v := range readVectors(t).FramesWithRanges {
		s, _ := parseFrame(v.Frame)
		got, err := newOpener(v.Base, time.Now()).open(s, time.Now())
		if err != nil || !bytes.Equal(got, v.Plain) {
			t.Errorf("%x opens as %x, %v, want %x", v.Frame, got, err, v.Plain)
		}
	}
}

// A sender needs more than a day for a generation: the opener knows since when it has sent.
func TestTheKeyChangesAfterManyFrames(t *testing.T) {
	v := readVectors(t).Rollover
	now := time.Now()
	slow, fast := newOpener(v.Base, now.Add(-48*time.Hour)), newOpener(v.Base, now)
	for _, f := range v.Frames {
		s, _ := parseFrame(f.Frame)
		got, err := slow.open(s, now)
		if err != nil || !bytes.Equal(got, f.Opus) {
			t.Errorf("frame %d = %q, %v, want %q", f.Nonce, got, err, f.Opus)
		}
		if _, err := fast.open(s, now); (err == nil) != (f.Nonce < 1<<24) {
			t.Errorf("frame %d of an epoch that has just begun: %v", f.Nonce, err)
		}
	}
}

func TestPairwiseCode(t *testing.T) {
	v := readVectors(t).Fingerprint
	a, b := Member{User: v.UserA, Key: v.KeyA}, Member{User: v.UserB, Key: v.KeyB}
	if got, err := fingerprint(b, a); err != nil || !bytes.Equal(got, v.Fingerprint) {
		t.Errorf("fingerprint = %x, %v, want %x", got, err, []byte(v.Fingerprint))
	}
	if code, err := PairwiseCode(a, b); err != nil || code != v.Code {
		t.Errorf("code = %s, %v, want %s", code, err, v.Code)
	}
}

func TestRecordedCalls(t *testing.T) {
	for _, v := range readVectors(t).Sessions {
		t.Run(v.Peer, func(t *testing.T) {
			c := recordedClient(t, v)
			for _, step := range v.Steps {
				if step.FromClient != nil {
					c.session.own = readOwn(t, c.session.id, v, step.FromClient[1:])
					if err := c.session.found(); err != nil {
						t.Fatal(err)
					}
					continue
				}
				answers := c.HandleBinary(int(step.ToClient[2]), step.ToClient[3:])
				want := step.Expect
				if want == nil {
					continue
				}
				if len(answers) != 1 || answers[0].Op != OpTransitionReady {
					t.Fatalf("%s: answered %+v", step.What, answers)
				}
				state := c.State()
				var members []string
				for _, m := range state.Members {
					members = append(members, strconv.FormatUint(m.User, 10))
				}
				slices.Sort(members)
				slices.Sort(want.Members)
				if diff := cmp.Diff(want.Members, members); diff != "" || state.Epoch != want.Epoch || state.PrivacyCode != want.Code {
					t.Errorf("%s: epoch %d, code %s, members (-want +got):\n%s", step.What, state.Epoch, state.PrivacyCode, diff)
				}
				bases, err := c.session.keys()
				if err != nil {
					t.Fatal(err)
				}
				for id, s := range want.Senders {
					user, _ := strconv.ParseUint(id, 10, 64)
					r := newRatchet(bases[user])
					if !bytes.Equal(bases[user], s.Base) || !bytes.Equal(r.keyBytes(), s.Key0) || !bytes.Equal(r.next().keyBytes(), s.Key1) {
						t.Errorf("%s: other keys of %s", step.What, id)
					}
				}
				for _, f := range want.Frames {
					if got, err := c.Open(f.Sender, f.Frame); err != nil || !bytes.Equal(got, f.Opus) {
						t.Errorf("%s: %x opens as %x, %v, want %x", step.What, f.Frame, got, err, f.Opus)
					}
				}
			}
		})
	}
}

// Official clients make key packages that differ in keys, user and signatures alone.
func TestKeyPackagesAreLikeOthers(t *testing.T) {
	for _, v := range readVectors(t).Sessions {
		id := newTestIdentity(t)
		own, err := id.keyPackage(1)
		if err != nil {
			t.Fatal(err)
		}
		const keys, fixed = 4 + 3*67, 3 + 8 + len(capabilities) + 1 + 16 + 1
		a, b := own.raw[keys:keys+fixed], v.Founder[keys:keys+fixed]
		if !bytes.Equal(a[:3], b[:3]) || !bytes.Equal(a[11:], b[11:]) {
			t.Errorf("the key package has %x, want as %s %x", a, v.Peer, b)
		}
	}
}

func recordedClient(t *testing.T, v vectorSession) *Controller {
	t.Helper()
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), v.Signature)
	if err != nil {
		t.Fatal(err)
	}
	c := New(v.Self, v.Channel, newIdentity(key))
	for _, id := range v.Known {
		user, err := strconv.ParseUint(id, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		c.Connected(user)
	}
	c.Describe(1)
	return c
}

func readOwn(t *testing.T, id *Identity, v vectorSession, raw []byte) *keyPackage {
	t.Helper()
	initKey, err := ecdh.P256().NewPrivateKey(v.Init)
	if err != nil {
		t.Fatal(err)
	}
	leafKey, err := ecdh.P256().NewPrivateKey(v.Leaf)
	if err != nil {
		t.Fatal(err)
	}
	own, err := id.readKeyPackage(raw, initKey, leafKey)
	if err != nil {
		t.Fatal(err)
	}
	return own
}
