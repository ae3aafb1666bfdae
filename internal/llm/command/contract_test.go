//go:build unix

package command

import (
	"context"
	"testing"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/llmtest"
)

// testKey has no shape that Redact recognises, so only the adapter can hide it.
const testKey = "correct horse battery staple"

// lacks are the checks that need a server, or a clock that both sides follow.
func lacks() []llmtest.Lack {
	var all []llmtest.Lack
	for _, l := range []struct {
		why    string
		checks []string
	}{
		{"documents are left out by a wrapper", []string{"shows documents"}},
		{"programs have tools of their own", []string{
			"offers tools and passes calls on", "passes a malformed call on", "makes no calls of an answer that is not whole",
		}},
		{"a process does not follow a test's clock; see TestTextIsPassedOnAsItComes and TestACancelledRequestEndsAtOnce", []string{
			"passes text on as it comes", "ends the request when it is cancelled", "ends the request when it waits for a response and is cancelled",
			"ends the request when the server stalls", "ends the request when the answer drips for too long",
		}},
		{"programs do not say how long to wait", []string{"says how long to wait"}},
		{"there is no HTTP", []string{"fails on a gateway without a server", "fails on a web page", "fails on an address where nothing is"}},
		{"a line that is no event is meant for people; see TestLinesThatAreNoEvents", []string{"fails on a malformed event"}},
		{"lines may have 8 MiB; see TestAHugeLine", []string{"fails on a huge event"}},
	} {
		for _, c := range l.checks {
			all = append(all, llmtest.Lack{Check: c, Why: l.why})
		}
	}
	return all
}

func TestTheyKeepTheContract(t *testing.T) {
	for _, tt := range []struct {
		voice voice
		lacks []llmtest.Lack
	}{
		{&claudeVoice{}, nil},
		{&codexVoice{}, []llmtest.Lack{{Check: "gives text and tokens", Why: "Codex says everything at once; see TestTranscripts"}}},
		{&geminiVoice{}, []llmtest.Lack{{Check: "shows images", Why: "the Gemini CLI takes none; see TestGeminiIsToldOfPictures"}}},
	} {
		t.Run(string(tt.voice.kind()), func(t *testing.T) {
			llmtest.Run(t, func(t *testing.T) (llmtest.Vendor, llm.Runtime) {
				p := newProgram(t, tt.voice)
				return p, open(t, p, Options{Key: testKey})
			}, append(lacks(), tt.lacks...)...)
		})
	}
}

// open returns a runtime of a program, which the test closes.
func open(t *testing.T, p *program, o Options) *Runtime {
	t.Helper()
	o.Kind, o.Program = p.voice.kind(), p.path
	r := New(o)
	t.Cleanup(func() {
		if err := r.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return r
}
