package turn_test

import (
	"context"
	"iter"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

// draws is an answer with pictures.
func draws(text string, sizes ...int) script.Answer {
	a := script.Answer{script.Text(text)}
	for _, size := range sizes {
		a = append(a, script.Image("image/png", make([]byte, size)))
	}
	return a
}

func TestPicturesAreAnAnswer(t *testing.T) {
	for _, tt := range []struct {
		name  string
		scene scene
		want  []string // texts and files
	}{
		{"with text", scene{model: script.New(draws("Look:", 3, 4))}, []string{"Look:", "image-1.png, 3 bytes", "image-2.png, 4 bytes"}},
		{"alone", scene{model: script.New(draws("", 3))}, []string{"", "image-1.png, 3 bytes"}},
		{"where there need not be one", scene{model: script.New(draws("HEARTBEAT_OK", 3)), mayPass: true}, []string{"", "image-1.png, 3 bytes"}},
		{"beside a quiet success", scene{model: script.New(draws(block("send"), 3))}, []string{"", "image-1.png, 3 bytes"}},
		{"of all kinds", scene{model: script.New(script.Answer{
			script.Image("image/jpeg", []byte("j")), script.Image("image/gif", []byte("g")), script.Image("image/webp", []byte("w")), script.Image("", []byte("?")),
		})}, []string{"", "image-1.jpg, 1 bytes", "image-2.gif, 1 bytes", "image-3.webp, 1 bytes", "image-4.png, 1 bytes"}},
		{"too large", scene{model: script.New(draws("Look:", 11<<20, 3))},
			[]string{"Look:\n\n(1 picture was left out: an answer takes 20 of them, with 10 MB each and 20 MB together.)", "image-1.png, 3 bytes"}},
		{"too large, and nothing else", scene{model: script.New(draws("", 11<<20, 0))},
			[]string{"(2 pictures were left out: an answer takes 20 of them, with 10 MB each and 20 MB together.)"}},
		{"too large together", scene{model: script.New(draws("", 9<<20, 9<<20, 9<<20))},
			[]string{"(1 picture was left out: an answer takes 20 of them, with 10 MB each and 20 MB together.)", "image-1.png, 9437184 bytes", "image-2.png, 9437184 bytes"}},
		{"before a failure", scene{model: script.New(append(draws("Half", 3), script.Fail(&llm.Error{Kind: llm.Broken})))},
			[]string{"Half\n\n⚠️ The answer broke off; try again. Nothing was done.", "image-1.png, 3 bytes"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := tt.scene
			s.play(t)
			var got []string
			for _, r := range s.wall.replies {
				if !r.gone {
					got = append(append(got, r.text), r.files...)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("on the wall (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAFollowUpOfPicturesIsNoAcknowledgement(t *testing.T) {
	s := scene{model: script.New(script.Say("Wait."+block("look")), draws("Done.", 3))}
	s.play(t)
	if got := s.wall.shown(); !slices.Equal(got, []string{"Done.\n\n-# Done: looked it up"}) || len(s.wall.replies[0].files) != 1 {
		t.Errorf("%q", got)
	}
}

func TestOnlyTheFirstRequestHasImages(t *testing.T) {
	model := script.New(script.Say("Wait."+block("look")), script.Say("Two."))
	s := scene{model: script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] { return model.Invoke(ctx, req) }), prompt: talk{images: 2}}
	s.play(t)
	var images []int
	for _, req := range model.Requests() {
		images = append(images, len(req.Messages[0].Images))
	}
	if diff := cmp.Diff([]int{2, 0}, images); diff != "" || s.err != nil {
		t.Errorf("images (-want +got):\n%s%v", diff, s.err)
	}
}
