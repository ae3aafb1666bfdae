package page_test

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"discoclaw/internal/play"
)

// The browser of all tests.
var chromium struct {
	once   sync.Once
	ctx    context.Context
	cancel []context.CancelFunc
	err    error

	mu   sync.Mutex
	idle []window
}

// A window has one tab. It belongs to one test at a time and is reused: opening one takes
// longer than most tests.
type window struct {
	ctx    context.Context
	cancel context.CancelFunc // closes it
}

func takeWindow(t *testing.T) window {
	t.Helper()
	browser := startBrowser(t)
	chromium.mu.Lock()
	defer chromium.mu.Unlock()
	if last := len(chromium.idle) - 1; last >= 0 {
		w := chromium.idle[last]
		chromium.idle = chromium.idle[:last]
		return w
	}
	ctx, cancel := chromedp.NewContext(browser)
	if err := ignoreRequests(ctx); err != nil {
		cancel()
		t.Fatalf("open a tab: %v", err)
	}
	return window{ctx, cancel}
}

// ignoreRequests disables the browser's events about loaded files and style sheets, which
// would keep it busier than the page.
func ignoreRequests(tab context.Context) error {
	if _, err := chromedp.Call(tab, network.Disable, cdp.Empty{}); err != nil {
		return err
	}
	_, err := chromedp.Call(tab, css.Disable, cdp.Empty{})
	return err
}

func giveBack(w window) {
	chromium.mu.Lock()
	defer chromium.mu.Unlock()
	chromium.idle = append(chromium.idle, w)
}

// TestMain lets the test binary also be the bot's process.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == botProcess {
		if err := play.Alone(os.Stdin, os.Stdout); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	code := m.Run()
	for i := len(chromium.cancel) - 1; i >= 0; i-- {
		chromium.cancel[i]()
	}
	os.Exit(code)
}

const botProcess = "bot"

// startBrowser starts the browser, or skips the test where there is none.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("slow: needs a browser")
	}
	program := findBrowser()
	if program == "" {
		const reason = "no Chromium or Chrome was found; install one to run the tests of the page"
		if os.Getenv("DISCOCLAW_REQUIRE_BROWSER") == "1" {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	chromium.once.Do(func() {
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.DisableGPU, chromedp.Flag("headless", "new"), chromedp.WSURLReadTimeout(waitTimeout),
			chromedp.Flag("use-fake-device-for-media-stream", true), chromedp.Flag("use-fake-ui-for-media-stream", true)) // a microphone that beeps
		if os.Geteuid() == 0 {
			options = append(options, chromedp.NoSandbox) // Chromium's sandbox is not for root
		}
		allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, stopBrowser := chromedp.NewContext(allocator)
		chromium.ctx, chromium.cancel = ctx, []context.CancelFunc{stopAllocator, stopBrowser}
		chromium.err = chromedp.Do(ctx)
	})
	if chromium.err != nil {
		t.Fatalf("start the browser: %v", chromium.err)
	}
	return chromium.ctx
}

func findBrowser() string {
	for _, name := range []string{os.Getenv("DISCOCLAW_BROWSER"), "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if program, err := exec.LookPath(name); name != "" && err == nil {
			return program
		}
	}
	return ""
}
