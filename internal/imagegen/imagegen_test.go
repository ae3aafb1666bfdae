package imagegen_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/imagegen"
	"discoclaw/internal/imagegen/imagetest"
	"discoclaw/internal/test/skip"
)

// withKeys has both keys and nothing else.
var withKeys = imagegen.Options{OpenAIKey: imagetest.Key, GeminiKey: imagetest.Key}

// summary describes an order in a line.
func summary(o imagegen.Order, err error) string {
	if err != nil {
		return "refused: " + err.Error()
	}
	return strings.TrimRight(fmt.Sprintf("%s %s %s %s %s", o.Provider, o.Model, o.Size, o.Quality, strings.Join(o.Notes, "; ")), " ")
}

func TestOrder(t *testing.T) {
	other := imagegen.Options{OpenAIKey: imagetest.Key, OpenAIBase: imagetest.OpenAI}
	for _, tt := range []struct {
		name string
		o    imagegen.Options
		in   imagegen.Wish
		want string
	}{
		{"OpenAI's default", withKeys, imagegen.Wish{}, "openai gpt-image-2.5-flare auto"},
		{"Google's default", imagegen.Options{GeminiKey: "x"}, imagegen.Wish{}, "gemini gemini-3.1-flash-image auto"},
		{"the provider's default", withKeys, imagegen.Wish{Provider: "gemini"}, "gemini gemini-3.1-flash-image auto"},
		{"another server's default", other, imagegen.Wish{}, "openai dall-e-3 1024x1024"},
		{"the default of the settings", imagegen.Options{OpenAIKey: "x", Model: "imagen-4.0-generate-001"}, imagegen.Wish{}, "gemini imagen-4.0-generate-001 1:1"},
		{"not that of the other provider", imagegen.Options{OpenAIKey: "x", Model: "imagen-4.0-generate-001"}, imagegen.Wish{Provider: "openai"}, "openai gpt-image-2.5-flare auto"},
		{"a model's own provider", withKeys, imagegen.Wish{Model: "gemini-9-image"}, "gemini gemini-9-image auto"},
		{"the other provider on purpose", withKeys, imagegen.Wish{Model: "gemini-9-image", Provider: "openai"}, "openai gemini-9-image 1024x1024"},
		{"not a model of Google", withKeys, imagegen.Wish{Model: "dall-e-3", Provider: "gemini"}, "refused: model: dall-e-3 is not a model of gemini; use gemini-3.1-flash-image"},
		{"a name that leads elsewhere", withKeys, imagegen.Wish{Model: "gemini-3/../../x"}, "refused: model: not the name of a model, which has letters, digits, dots and hyphens"},
		{"the folder above", withKeys, imagegen.Wish{Model: "..", Provider: "openai"}, "refused: model: not the name of a model, which has letters, digits, dots and hyphens"},
		{"a provider that is none", withKeys, imagegen.Wish{Provider: "acme"}, "refused: provider: must be openai or gemini"},

		{"DALL·E 3", withKeys, imagegen.Wish{Model: "dall-e-3", Size: "1792x1024", Quality: "hd"}, "openai dall-e-3 1792x1024 hd"},
		{"a small DALL·E 3", withKeys, imagegen.Wish{Model: "dall-e-3", Size: "256x256"}, "openai dall-e-3 1024x1024  dall-e-3 does not make 256x256, so it is 1024x1024"},
		{"a small DALL·E 2", withKeys, imagegen.Wish{Model: "dall-e-2", Size: "300x300"}, "openai dall-e-2 256x256  dall-e-2 does not make 300x300, so it is 256x256"},
		{"a ratio for sizes", withKeys, imagegen.Wish{Model: "dall-e-3", Size: "9:16", Quality: "medium"}, "openai dall-e-3 1024x1792 standard dall-e-3 does not make 9:16, so it is 1024x1792"},
		{"a size of the model before", withKeys, imagegen.Wish{Model: "gpt-image-1", Size: "1792x1024", Quality: "hd"}, "openai gpt-image-1 1536x1024 high gpt-image-1 does not make 1792x1024, so it is 1536x1024"},
		{"no size at all", withKeys, imagegen.Wish{Model: "gpt-image-1", Size: "huge"}, "refused: size: not a size of gpt-image-1; use 1024x1024, 1536x1024, 1024x1536, auto"},
		{"a model that does not choose", withKeys, imagegen.Wish{Model: "dall-e-3", Size: "auto", Quality: "auto"}, "openai dall-e-3 1024x1024 standard dall-e-3 does not choose a size itself, so it is 1024x1024"},
		{"any size within limits", withKeys, imagegen.Wish{Size: "1600 × 640", Quality: "max"}, "openai gpt-image-2.5-flare 1600x640 max"},
		{"a size beyond limits", withKeys, imagegen.Wish{Size: "8000x1000"}, "openai gpt-image-2.5-flare 3840x1328  gpt-image-2.5-flare does not make 8000x1000, so it is 3840x1328"},
		{"a ratio for any size", withKeys, imagegen.Wish{Size: "16:9"}, "openai gpt-image-2.5-flare 1360x768  gpt-image-2.5-flare does not make 16:9, so it is 1360x768"},
		{"a size for ratios", withKeys, imagegen.Wish{Model: "imagen-4.0-generate-001", Size: "1792x1024", Quality: "hd"}, "gemini imagen-4.0-generate-001 16:9  imagen-4.0-generate-001 does not make 1792x1024, so it is 16:9; imagen-4.0-generate-001 has no choice of qualities"},
		{"a better quality than there is", withKeys, imagegen.Wish{Model: "gpt-image-2", Quality: "xhigh"}, "openai gpt-image-2 auto high gpt-image-2 does not know the quality xhigh, so it is high"},
		{"no quality at all", withKeys, imagegen.Wish{Model: "dall-e-3", Quality: "nice"}, "refused: quality: not a quality; use standard, hd"},
		{"a dated version", withKeys, imagegen.Wish{Model: "gpt-image-2.5-flare-2026-09-08", Quality: "max"}, "openai gpt-image-2.5-flare-2026-09-08 auto max"},
		{"a model to come", withKeys, imagegen.Wish{Model: "gpt-image-3"}, "openai gpt-image-3 auto"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Prompt = "a fox"
			if got := summary(imagegen.New(tt.o).Order(tt.in)); got != tt.want {
				t.Errorf("%+v is %s\nwant %s", tt.in, got, tt.want)
			}
		})
	}
	if got := summary(imagegen.New(withKeys).Order(imagegen.Wish{Prompt: " \n"})); got != "refused: prompt: empty" {
		t.Error(got)
	}
}

// TestEverySizeIsValid: each model of the table has a valid order for every size that people may want.
func TestEverySizeIsValid(t *testing.T) {
	s := imagegen.New(withKeys)
	for _, provider := range []string{imagegen.OpenAI, imagegen.Gemini} {
		for _, model := range imagegen.Models(provider) {
			for _, size := range []string{"", "auto", "1x1", "99999x1", "1:99999", "1024x1024", "3840x2160", "5000x5000", "16:9", "2:3", "640x640"} {
				o, err := s.Order(imagegen.Wish{Prompt: "x", Model: model, Size: size})
				if err != nil || o.Provider != provider || o.Size == "" {
					t.Errorf("%s of %s: %s", size, model, summary(o, err))
				}
				if again, err := s.Order(imagegen.Wish{Prompt: "x", Model: model, Size: o.Size}); err != nil || again.Size != o.Size {
					t.Errorf("%s, for %s, is no size of %s: %s", o.Size, size, model, summary(again, err))
				}
			}
		}
	}
}

// at is a studio that asks a server of the test.
func at(s *imagetest.Server) *imagegen.Studio {
	return imagegen.New(imagegen.Options{OpenAIKey: imagetest.Key, OpenAIBase: imagetest.OpenAI, GeminiKey: imagetest.Key, GeminiBase: imagetest.Gemini, HTTP: s.HTTP})
}

// order is the order of a wish, which must be fine.
func order(t *testing.T, s *imagegen.Studio, w imagegen.Wish) imagegen.Order {
	t.Helper()
	w.Prompt = "a fox"
	o, err := s.Order(w)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestEachFamilyIsAskedInItsLanguage(t *testing.T) {
	type object = map[string]any
	gemini := func(config object) object {
		return object{"contents": []any{object{"parts": []any{object{"text": "a fox"}}}}, "generationConfig": config}
	}
	for _, tt := range []struct {
		name string
		wish imagegen.Wish
		path string
		body object
		usd  float64
	}{
		{"DALL·E", imagegen.Wish{Model: "dall-e-3", Quality: "hd"}, "/v1/images/generations",
			object{"model": "dall-e-3", "prompt": "a fox", "n": 1.0, "size": "1024x1024", "quality": "hd", "response_format": "b64_json"}, 0.12},
		{"gpt-image", imagegen.Wish{Model: "gpt-image-2.5-flare", Size: "1024x1536"}, "/v1/images/generations",
			object{"model": "gpt-image-2.5-flare", "prompt": "a fox", "n": 1.0, "size": "1024x1536"}, 0.0301},
		{"Gemini", imagegen.Wish{Model: "gemini-3-pro-image"}, "/v1beta/models/gemini-3-pro-image:generateContent",
			gemini(object{"responseModalities": []any{"TEXT", "IMAGE"}}), 0.134},
		{"Gemini with a shape", imagegen.Wish{Model: "gemini-3-pro-image", Size: "21:9"}, "/v1beta/models/gemini-3-pro-image:generateContent",
			gemini(object{"responseModalities": []any{"TEXT", "IMAGE"}, "imageConfig": object{"aspectRatio": "21:9"}}), 0.134},
		{"Imagen", imagegen.Wish{Model: "imagen-4.0-fast-generate-001", Size: "3:4"}, "/v1beta/models/imagen-4.0-fast-generate-001:predict",
			object{"instances": []any{object{"prompt": "a fox"}}, "parameters": object{"sampleCount": 1.0, "aspectRatio": "3:4"}}, 0.02},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := imagetest.New(t)
			s := at(server)
			p, err := s.Make(t.Context(), order(t, s, tt.wish))
			if err != nil {
				t.Fatal(err)
			}
			if string(p.Data) != string(imagetest.PNG(8, 8)) || p.Ending != "png" || !p.Priced || fmt.Sprintf("%.4f", p.USD) != fmt.Sprintf("%.4f", tt.usd) {
				t.Errorf("a %s of %d bytes for $%v, known %v", p.Ending, len(p.Data), p.USD, p.Priced)
			}
			if diff := cmp.Diff([]imagetest.Asked{{Path: tt.path, Body: tt.body}}, server.Asked()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// refused is the failure of an order, in one line.
func refused(err error) string {
	f, ok := errors.AsType[*imagegen.Failure](err)
	if !ok {
		return fmt.Sprint(err)
	}
	text := f.What
	if f.Remedy != "" {
		text += " / " + f.Remedy
	}
	if f.Unpaid {
		return text + " (unpaid)"
	}
	return text
}

func TestFailures(t *testing.T) {
	fail := imagetest.Fail
	webp := "RIFF\x1a\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff"
	for _, tt := range []struct {
		name  string
		model string
		say   imagetest.Answer
		want  string
	}{
		{"a wrong key", "dall-e-3", fail(401, `{"error":{"message":"Incorrect API key provided: `+imagetest.Key+`","code":"invalid_api_key"}}`), "pictures.test did not accept my key / check OPENAI_API_KEY (unpaid)"},
		{"Google's wrong key", "gemini-3-pro-image", fail(400, `{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`), "pictures.test did not accept my key / check IMAGEGEN_GEMINI_API_KEY (unpaid)"},
		{"a blocked prompt", "gpt-image-2", fail(400, `{"error":{"message":"Your request was rejected by the safety system.","type":"image_generation_user_error","code":"moderation_blocked"}}`), "pictures.test declined to make this picture (moderation_blocked); describe it differently (unpaid)"},
		{"a prompt that Google blocks", "gemini-3-pro-image", imagetest.Send(`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`), "pictures.test declined to make this picture (PROHIBITED_CONTENT); describe it differently (unpaid)"},
		{"a picture that Google blocks", "gemini-3-pro-image", imagetest.Send(`{"candidates":[{"content":{"parts":[{"text":"I can't."}]},"finishReason":"IMAGE_SAFETY"}]}`), "pictures.test declined to make this picture (IMAGE_SAFETY); describe it differently (unpaid)"},
		{"a picture that Imagen blocks", "imagen-4.0-generate-001", imagetest.Send(`{"predictions":[{"raiFilteredReason":"Unable to show the generated image, since it may be of a person."}]}`), "pictures.test declined to make this picture; describe it differently (unpaid)"},
		{"no candidates", "gemini-3-pro-image", imagetest.Send(`{"candidates":[]}`), "pictures.test did not make a picture / the log has the details (unpaid)"},
		{"words instead", "gemini-3-pro-image", imagetest.Send(`{"candidates":[{"content":{"parts":[{"text":"A fox."}]},"finishReason":"STOP"}]}`), "pictures.test did not make a picture / the log has the details (unpaid)"},
		{"no predictions", "imagen-4.0-generate-001", imagetest.Send(`{}`), "pictures.test did not make a picture / the log has the details (unpaid)"},
		{"an address", "dall-e-3", imagetest.Send(`{"data":[{"url":"http://169.254.169.254/"}]}`), "pictures.test did not make a picture / the log has the details (unpaid)"},
		{"a retired model", "dall-e-3", fail(400, `{"error":{"message":"Invalid value: 'dall-e-3'.","type":"invalid_request_error","param":"model","code":"invalid_value"}}`), "pictures.test does not have the model dall-e-3, which was retired on 2026-05-12; use gpt-image-2.5-flare instead / IMAGEGEN_DEFAULT_MODEL=gpt-image-2.5-flare makes it the default (unpaid)"},
		{"Google's retired model", "imagen-3.0-generate-002", fail(404, `{"error":{"code":404,"message":"models/imagen-3.0-generate-002 is not found for API version v1beta.","status":"NOT_FOUND"}}`), "pictures.test does not have the model imagen-3.0-generate-002, which was retired on 2026-08-17; use gemini-3.1-flash-image instead / IMAGEGEN_DEFAULT_MODEL=gemini-3.1-flash-image makes it the default (unpaid)"},
		{"a model that never was", "paint", fail(404, `{"error":{"message":"The model 'paint' does not exist.","code":"model_not_found"}}`), "pictures.test does not have the model paint / name another one in IMAGEGEN_DEFAULT_MODEL (unpaid)"},
		{"a wrong address", "paint", fail(404, `404 page not found`), "pictures.test did not make a picture (status 404) / check OPENAI_BASE_URL (unpaid)"},
		{"no credit", "gpt-image-2", fail(429, `{"error":{"message":"You exceeded your current quota.","code":"insufficient_quota"}}`), "my account at pictures.test has no credit left / add some to the account of OPENAI_API_KEY (unpaid)"},
		{"an account that may not", "gpt-image-2", fail(403, `{"error":{"message":"Your organization must be verified to use the model."}}`), "pictures.test does not let me use gpt-image-2 / check what the account of OPENAI_API_KEY may use; OpenAI wants some organizations to be verified first (unpaid)"},
		{"a bad request", "gpt-image-2", fail(400, `{"error":{"message":"no"}}`), "pictures.test did not make a picture (status 400) / the log has the details (unpaid)"},
		{"a broken connection", "gpt-image-2", imagetest.Die, "the answer of pictures.test was of no use, and may have been paid for; try again / the log has the details"},
		{"a web page", "gpt-image-2", imagetest.Send("<html>"), "the answer of pictures.test was of no use, and may have been paid for; try again / the log has the details"},
		{"not a picture", "gpt-image-2", imagetest.Send(imagetest.OpenAIBody([]byte("<svg>" + strings.Repeat(" ", 60)))), "the answer of pictures.test was of no use, and may have been paid for; try again / the log has the details"},
		{"too many pixels", "gpt-image-2", imagetest.Send(imagetest.OpenAIBody([]byte(webp + strings.Repeat("\x00", 10)))), "the answer of pictures.test was of no use, and may have been paid for; try again / the log has the details"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := imagetest.New(t)
			server.Next(tt.say)
			s := at(server)
			var log strings.Builder
			s.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			_, err := s.Make(t.Context(), order(t, s, imagegen.Wish{Model: tt.model}))
			if got := refused(err); got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
			if strings.Contains(log.String()+refused(err), imagetest.Key) || log.Len() == 0 {
				t.Errorf("the log is %s", log.String())
			}
			if n := len(server.Asked()); n != 1 {
				t.Errorf("it was asked %d times", n)
			}
		})
	}
}

func TestLargePictures(t *testing.T) {
	skip.UnderRace(t, "a picture belongs to one goroutine")
	server := imagetest.New(t)
	s := at(server)
	large := append(imagetest.PNG(8, 8), make([]byte, 25<<20)...)
	server.Next(imagetest.Send(imagetest.OpenAIBody(large[:25<<20])), imagetest.Send(imagetest.OpenAIBody(large)), imagetest.Send(strings.Repeat(" ", 64<<20)+imagetest.OpenAIBody(imagetest.PNG(8, 8))), imagetest.Send(imagetest.OpenAIBody(imagetest.JPEG(8, 8))))
	for i, want := range []string{"", "bytes, more than 26214400", "longer than 67108864 bytes", ""} {
		var log strings.Builder
		s.Log = slog.New(slog.NewTextHandler(&log, nil))
		p, err := s.Make(t.Context(), order(t, s, imagegen.Wish{Model: "gpt-image-2"}))
		if (err == nil) != (want == "") || !strings.Contains(log.String(), want) {
			t.Errorf("picture %d: %v, log %s", i, err, log.String())
		}
		if i == 3 && p.Ending != "jpg" {
			t.Errorf("a JPEG ends with %s", p.Ending)
		}
	}
}

func TestOneRetry(t *testing.T) {
	busy := imagetest.Fail(429, `{"error":{"message":"Rate limit reached.","code":"rate_limit_exceeded"}}`)
	down := imagetest.Fail(503, `oops`)
	for _, tt := range []struct {
		name  string
		says  []imagetest.Answer
		want  string
		took  time.Duration
		asked int
	}{
		{"busy once", []imagetest.Answer{busy}, "<nil>", 2 * time.Second, 2},
		{"down once", []imagetest.Answer{down}, "<nil>", 2 * time.Second, 2},
		{"down for long", []imagetest.Answer{down, down}, "I can't reach pictures.test right now (status 503); try again a little later (unpaid)", 2 * time.Second, 2},
		{"busy for long", []imagetest.Answer{imagetest.Fail(429, `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"31s"}]}}`)}, "pictures.test takes no more requests for now; try again in 31 seconds (unpaid)", 0, 1},
		{"no answer", []imagetest.Answer{imagetest.Hang}, "pictures.test did not finish within 3 minutes; ask for a smaller picture, or for a lower quality", 3 * time.Minute, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := imagetest.New(t)
				server.Next(tt.says...)
				s := at(server)
				began := time.Now()
				_, err := s.Make(t.Context(), order(t, s, imagegen.Wish{Model: "gpt-image-2"}))
				if got := refused(err); got != tt.want || time.Since(began) != tt.took || len(server.Asked()) != tt.asked {
					t.Errorf("%s after %v and %d requests", got, time.Since(began), len(server.Asked()))
				}
			})
		})
	}
}

// TestAServerThatIsNotThere is not asked again.
func TestAServerThatIsNotThere(t *testing.T) {
	tries := 0
	transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		tries++
		return new(net.Dialer).DialContext(ctx, network, address)
	}}
	s := imagegen.New(imagegen.Options{OpenAIKey: imagetest.Key, OpenAIBase: "http://127.0.0.1:1/v1", HTTP: &http.Client{Transport: transport}})
	_, err := s.Make(t.Context(), order(t, s, imagegen.Wish{}))
	if tries != 1 {
		t.Errorf("it was tried %d times", tries)
	}
	if got := refused(err); got != "I can't reach 127.0.0.1:1 right now; try again a little later (unpaid)" {
		t.Error(got)
	}
}

func TestWithoutAKey(t *testing.T) {
	s := imagegen.New(imagegen.Options{GeminiKey: "x"})
	_, err := s.Make(t.Context(), order(t, s, imagegen.Wish{Model: "gpt-image-2"}))
	if got := refused(err); got != "I have no key for api.openai.com, so I can't ask for gpt-image-2 / set OPENAI_API_KEY, or name another model in IMAGEGEN_DEFAULT_MODEL (unpaid)" {
		t.Error(got)
	}
}

func TestTwoAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := imagetest.New(t)
		server.Next(imagetest.Hang, imagetest.Hang, imagetest.Hang)
		s := at(server)
		o := order(t, s, imagegen.Wish{})
		ctx, stop := context.WithCancel(t.Context())
		said := make(chan string, 4)
		for range 3 {
			go func() {
				_, err := s.Make(ctx, o)
				said <- refused(err)
			}()
		}
		synctest.Wait()
		if n := len(server.Asked()); n != 2 {
			t.Errorf("%d requests at a time", n)
		}
		stop()
		counts := map[string]int{}
		for range 3 {
			counts[<-said]++
		}
		want := map[string]int{"I was stopped while the picture was being made, and it may have been paid for": 2, "it had not begun yet when I was stopped (unpaid)": 1}
		if diff := cmp.Diff(want, counts); diff != "" {
			t.Error(diff)
		}
	})
}

// TestTheDocsNameEveryModel: people choose from the table of docs/images.md.
func TestTheDocsNameEveryModel(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "images.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, provider := range []string{imagegen.OpenAI, imagegen.Gemini} {
		for _, model := range imagegen.Models(provider) {
			if !strings.Contains(string(page), "`"+model+"`") {
				t.Errorf("docs/images.md does not name %s", model)
			}
		}
	}
}
