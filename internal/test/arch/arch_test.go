// Package arch has the import rules of the architecture. Imports point downwards: a package
// knows those it is built on, never those built on it. A new edge is a deliberate edit of the
// table below, in the same commit.
package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"discoclaw/internal/actions/dialect"
)

const module = "discoclaw"

// mayImport lists for each package its imports besides the standard library: packages of
// this module by their path in it, others by their full one.
var mayImport = map[string][]string{
	"cmd/discoclaw": {"internal/app", "internal/chat", "internal/config", "internal/doctor", "internal/inspect", "internal/invite", "internal/play", "github.com/spf13/cobra", "github.com/spf13/pflag"},

	"internal/play": {
		"internal/access", "internal/actions", "internal/app", "internal/disk/atomicfile", "internal/chat", "internal/config", "internal/confirm",
		"internal/fakediscord", "internal/fakediscord/fakegateway", "internal/fakediscord/layout", "internal/fakediscord/save", "internal/fakediscord/userapi", "internal/llm", "internal/llm/nearby", "internal/llm/runtimes",
		"internal/memnet", "internal/play/calls", "internal/play/page", "internal/play/standin", "internal/turn",
	},
	"internal/play/calls": {
		"internal/chat", "internal/fakediscord", "internal/fakediscord/fakevoice", "internal/sleep", "internal/voice/dave", "internal/voice/link", "internal/voice/opus", "internal/voice/tones", "github.com/coder/websocket",
	},
	"internal/play/standin": {"internal/actions", "internal/chat", "internal/fakediscord", "internal/llm", "internal/llm/script"},
	"internal/app": {
		"internal/consent", "internal/review",
		"internal/doctor", "internal/health", "internal/inspect",
		"internal/commands/acts", "internal/turn/gather",
		"internal/actions", "internal/actions/dialect",
		"internal/mcp/bridge", "internal/mcp/serve", "internal/mcp/servers",
		"internal/actions/botprofile",
		"internal/actions/channels",
		"internal/actions/deferral",
		"internal/actions/guild",
		"internal/actions/messaging",
		"internal/actions/moderation",
		"internal/actions/polls",
		"internal/actions/imagegen", "internal/imagegen",
		"internal/actions/reactionprompt",
		"internal/actions/reminders", "internal/actions/memory", "internal/memory",

		"internal/actions/settings",
		"internal/actions/crons", "internal/actions/tasks", "internal/actions/plans", "internal/actions/forging",
		"internal/actions/utility",
		"internal/actions/voice", "internal/actions/web",
		"internal/access", "internal/disk/atomicfile", "internal/turn/attach", "internal/background", "internal/chat", "internal/choices", "internal/clock", "internal/commands", "internal/config", "internal/confirm", "internal/disk/datadir", "internal/deferral", "internal/delivery/reply", "internal/cron", "internal/cron/posts", "internal/cron/webhook", "internal/plan", "internal/plan/work", "internal/plan/worktree", "internal/reminder", "internal/tasks",
		"internal/discord", "internal/discord/gateway", "internal/config/envfile", "internal/flow", "internal/flow/pipeline", "internal/delivery/inbox", "internal/journal", "internal/delivery/ledger", "internal/lifecycle", "internal/startup", "internal/secrets", "internal/llm", "internal/llm/models", "internal/llm/roles", "internal/llm/runtimes", "internal/llm/tools", "internal/spend", "internal/spend/cost", "internal/memory/recall", "internal/delivery/outbox",
		"internal/status", "internal/store", "internal/turn/class", "internal/turn/stream", "internal/turn", "internal/undo", "internal/voice", "internal/voice/link", "internal/voice/services", "internal/voice/session", "internal/websearch", "internal/workspace", "internal/voice/transcript",
	},
	"internal/doctor": {
		"internal/actions", "internal/chat", "internal/config", "internal/consent", "internal/discord", "internal/disk/datadir", "internal/invite", "internal/llm", "internal/llm/roles", "internal/store",
	},
	"internal/health": {
		"internal/actions", "internal/chat", "internal/commands", "internal/config", "internal/deferral", "internal/doctor", "internal/flow/pipeline", "internal/inspect", "internal/journal", "internal/llm/roles",
	},
	"internal/inspect": {
		"internal/actions", "internal/actions/dialect", "internal/actions/reference", "internal/chat", "internal/config", "internal/flow", "internal/llm", "internal/turn", "internal/turn/prompt", "internal/workspace",
	},
	"internal/invite":      {"internal/actions", "internal/chat", "internal/config", "internal/discord"},
	"internal/mcp/bridge":  {"internal/disk/datadir", "internal/mcp/serve", "github.com/modelcontextprotocol/go-sdk/mcp"},
	"internal/mcp/servers": {"internal/actions/dialect", "internal/background", "internal/chat", "internal/llm", "internal/llm/tools", "internal/procgroup", "github.com/modelcontextprotocol/go-sdk/jsonrpc", "github.com/modelcontextprotocol/go-sdk/mcp", "internal/doctor"},
	"internal/mcp/serve":   {"internal/access", "internal/actions", "internal/background", "internal/chat", "internal/config", "internal/disk/atomicfile", "internal/journal", "github.com/modelcontextprotocol/go-sdk/mcp", "internal/doctor"},
	"internal/review":      {"internal/chat", "internal/commands", "internal/confirm", "internal/journal", "internal/undo"},
	"internal/secrets":     {"internal/chat", "internal/commands", "internal/config", "internal/config/envfile", "internal/disk/atomicfile"},
	"internal/turn/attach": {"internal/chat"},
	"internal/config":      {"internal/chat", "github.com/caarlos0/env/v11"},
	"internal/flow": {
		"internal/voice/transcript", "internal/access", "internal/actions", "internal/actions/dialect", "internal/chat", "internal/choices", "internal/commands", "internal/cron", "internal/deferral",
		"internal/delivery/inbox", "internal/delivery/reply", "internal/flow/pipeline", "internal/lifecycle", "internal/llm", "internal/llm/roles",
		"internal/order", "internal/sleep", "internal/status", "internal/store", "internal/turn", "internal/turn/class", "internal/turn/gather", "internal/turn/prompt",
	},
	"internal/flow/pipeline": {
		"internal/access", "internal/actions", "internal/background", "internal/chat", "internal/delivery/inbox", "internal/delivery/ledger", "internal/delivery/outbox", "internal/delivery/reply", "internal/journal", "internal/lifecycle", "internal/llm", "internal/status",
		"internal/store", "internal/turn", "internal/turn/convo",
	},
	"internal/turn": {
		"internal/actions", "internal/actions/dialect", "internal/chat", "internal/llm", "internal/turn/class", "internal/turn/render", "internal/turn/stream",
	},
	"internal/turn/prompt":    {"internal/actions", "internal/actions/dialect", "internal/actions/reference", "internal/chat", "internal/order", "internal/turn/history", "internal/llm"},
	"internal/turn/class":     {"internal/actions/dialect", "internal/chat"},
	"internal/lifecycle":      {"internal/background", "internal/chat", "internal/turn/class"},
	"internal/turn/stream":    {"internal/chat", "internal/turn/render"},
	"internal/turn/render":    {"internal/chat", "golang.org/x/text/width"},
	"internal/access":         {"internal/actions", "internal/chat"},
	"internal/confirm":        {"internal/actions", "internal/background", "internal/chat", "internal/order", "internal/turn/render", "internal/store", "internal/due"},
	"internal/turn/convo":     {"internal/chat"},
	"internal/turn/history":   {"internal/chat"},
	"internal/disk/datadir":   {},
	"internal/config/envfile": {"internal/config", "internal/disk/atomicfile"},

	"internal/workspace": {"internal/disk/atomicfile", "internal/chat"},

	"internal/disk/atomicfile": {},

	"internal/background":      {},
	"internal/commands/acts":   {"internal/access", "internal/actions", "internal/actions/schema", "internal/chat", "internal/commands", "internal/journal"},
	"internal/turn/gather":     {"internal/clock", "internal/access", "internal/actions", "internal/actions/dialect", "internal/chat", "internal/commands", "internal/consent", "internal/order", "internal/memory/recall", "internal/turn", "internal/turn/history", "internal/turn/prompt"},
	"internal/commands":        {"internal/actions/schema", "internal/chat", "internal/order"},
	"internal/journal":         {"internal/actions", "internal/chat", "internal/order", "internal/store"},
	"internal/undo":            {"internal/actions", "internal/chat", "internal/confirm", "internal/journal", "internal/order"},
	"internal/choices":         {"internal/chat", "internal/store"},
	"internal/cron":            {"internal/clock", "internal/chat", "internal/cron/schedule", "internal/order", "internal/store", "internal/due"},
	"internal/cron/posts":      {"internal/chat", "internal/choices", "internal/commands", "internal/cron", "internal/cron/schedule", "internal/delivery/outbox", "internal/forum", "internal/store"},
	"internal/clock":           {"internal/chat", "internal/commands", "internal/store"},
	"internal/cron/schedule":   {"internal/chat", "github.com/robfig/cron/v3"},
	"internal/cron/webhook":    {"internal/background", "internal/cron"},
	"internal/deferral":        {"internal/chat", "internal/order", "internal/store", "internal/due"},
	"internal/reminder":        {"internal/chat", "internal/delivery/outbox", "internal/store", "internal/due"},
	"internal/memory":          {"internal/chat", "internal/memory/words", "internal/order", "internal/store", "internal/sleep"},
	"internal/plan":            {"internal/chat", "internal/disk/atomicfile", "internal/plan/doc", "internal/plan/phases", "internal/store", "internal/tasks"},
	"internal/plan/ask":        {"internal/llm", "internal/llm/roles"},
	"internal/plan/doc":        {"internal/chat", "internal/disk/secretfile", "internal/plan/markdown", "internal/plan/verdict"},
	"internal/plan/markdown":   {},
	"internal/plan/phases":     {"internal/chat", "internal/plan/doc", "internal/plan/verdict"},
	"internal/plan/plantest":   {"internal/chat", "internal/delivery/outbox", "internal/llm", "internal/llm/roles", "internal/plan", "internal/plan/ask", "internal/plan/work", "internal/plan/worktree", "internal/store", "internal/tasks"},
	"internal/plan/runner":     {"internal/chat", "internal/llm", "internal/llm/roles", "internal/plan/ask", "internal/plan/doc", "internal/plan/phases", "internal/plan/verdict", "internal/plan/worktree"},
	"internal/plan/verdict":    {"internal/chat"},
	"internal/plan/work":       {"internal/chat", "internal/delivery/outbox", "internal/due", "internal/forge", "internal/llm", "internal/llm/roles", "internal/memory", "internal/order", "internal/plan", "internal/plan/ask", "internal/plan/doc", "internal/plan/phases", "internal/plan/runner", "internal/plan/worktree", "internal/sleep"},
	"internal/plan/worktree":   {"internal/chat", "internal/disk/atomicfile", "internal/procgroup"},
	"internal/forge":           {"internal/chat", "internal/llm", "internal/llm/roles", "internal/plan/ask", "internal/plan/doc", "internal/plan/verdict"},
	"internal/forum":           {"internal/chat", "internal/store", "internal/delivery/outbox", "internal/order", "internal/due"},
	"internal/tasks":           {"internal/chat", "internal/delivery/outbox", "internal/forum", "internal/store"},
	"internal/delivery/inbox":  {"internal/chat", "internal/order", "internal/store", "internal/sleep"},
	"internal/delivery/ledger": {"internal/actions", "internal/chat", "internal/llm", "internal/store", "internal/turn"},
	"internal/startup":         {"internal/chat", "internal/commands", "internal/store"},
	"internal/memory/recall":   {"internal/chat", "internal/memory/words", "internal/order", "internal/store", "internal/sleep"},
	"internal/memory/words":    {},
	"internal/delivery/outbox": {"internal/chat", "internal/store"},

	"internal/delivery/reply": {"internal/chat", "internal/delivery/outbox", "internal/order", "internal/turn/render", "internal/store", "internal/turn"},

	"internal/status": {"internal/background", "internal/chat", "internal/store", "internal/sleep"},

	"internal/store": {"internal/disk/atomicfile", "github.com/pressly/goose/v3/database", "modernc.org/sqlite", "modernc.org/sqlite/lib"},

	"internal/consent":    {},
	"internal/llm/nearby": {},
	"internal/llm":        {"internal/sleep"},
	"internal/llm/anthropic": {
		"internal/llm", "internal/llm/transport", "github.com/anthropics/anthropic-sdk-go", "github.com/anthropics/anthropic-sdk-go/option",
		"github.com/anthropics/anthropic-sdk-go/packages/param", "github.com/anthropics/anthropic-sdk-go/packages/ssestream",
	},
	"internal/llm/command":     {"internal/background", "internal/chat", "internal/llm", "internal/llm/transport", "internal/procgroup"},
	"internal/procgroup":       {},
	"internal/disk/secretfile": {},
	"internal/llm/transport":   {"internal/chat", "internal/llm"},
	"internal/llm/gemini":      {"internal/llm", "internal/llm/transport"},
	"internal/llm/openai":      {"internal/llm", "internal/llm/transport", "github.com/sashabaranov/go-openai"},
	"internal/llm/responses":   {"internal/llm", "internal/llm/transport"},
	"internal/llm/models":      {"internal/llm"},
	"internal/voice/speech":    {"internal/voice/pcm", "internal/voice/spoken", "github.com/coder/websocket", "github.com/sashabaranov/go-openai"},
	"internal/voice/spoken":    {"internal/chat", "internal/turn/render"},
	"internal/voice/player":    {"internal/sleep", "internal/voice/link", "internal/voice/opus", "internal/voice/pcm"},
	"internal/voice/soundfile": {"internal/voice/opus", "internal/voice/pcm"},
	"internal/voice/pcm":       {},
	"internal/imagegen":        {"internal/chat", "internal/llm", "internal/llm/transport", "internal/sleep", "internal/store", "internal/turn/attach"},
	"internal/spend/cost":      {"internal/chat", "internal/commands", "internal/cron", "internal/spend"},
	"internal/spend":           {"internal/llm", "internal/llm/models", "internal/sleep", "internal/store"},
	"internal/llm/runtimes": {
		"internal/actions", "internal/chat", "internal/config", "internal/llm", "internal/llm/anthropic", "internal/llm/command", "internal/llm/gemini", "internal/llm/models", "internal/llm/openai",
		"internal/llm/responses", "internal/llm/roles", "internal/llm/tools", "internal/mcp/servers", "internal/spend",
	},
	"internal/llm/script": {"internal/llm", "internal/sleep"},
	"internal/llm/tools":  {"internal/actions/dialect", "internal/chat", "internal/disk/atomicfile", "internal/disk/secretfile", "internal/llm", "internal/procgroup"},
	"internal/websearch":  {"internal/chat", "internal/sleep"},

	"internal/discord":                 {"internal/chat", "internal/discord/gateway", "internal/discord/lenient", "internal/discord/rest", "internal/order", "internal/sleep", "github.com/bwmarrin/discordgo"},
	"internal/discord/gateway":         {"internal/sleep", "github.com/coder/websocket"},
	"internal/discord/lenient":         {},
	"internal/discord/rest":            {"internal/chat", "internal/discord/lenient", "internal/sleep", "github.com/bwmarrin/discordgo"},
	"internal/fakediscord":             {"internal/chat", "internal/fakediscord/fakegateway", "internal/fakediscord/layout"},
	"internal/fakediscord/fakegateway": {"github.com/coder/websocket"},
	"internal/fakediscord/layout":      {"internal/chat"},
	"internal/fakediscord/save":        {"internal/chat", "internal/fakediscord"},
	"internal/fakediscord/userapi":     {"internal/chat", "internal/fakediscord"},
	"internal/play/page":               {},
	"internal/memnet":                  {},

	"internal/actions/channels":       {"internal/actions", "internal/actions/schema", "internal/chat", "internal/order"},
	"internal/actions/guild":          {"internal/actions", "internal/actions/schema", "internal/chat"},
	"internal/actions/messaging":      {"internal/actions", "internal/chat", "internal/disk/secretfile", "internal/turn/render"},
	"internal/actions/moderation":     {"internal/clock", "internal/actions", "internal/chat"},
	"internal/actions/polls":          {"internal/actions", "internal/chat"},
	"internal/actions/imagegen":       {"internal/actions", "internal/chat", "internal/disk/atomicfile", "internal/imagegen", "internal/llm", "internal/spend"},
	"internal/actions/reactionprompt": {"internal/actions", "internal/chat", "internal/choices"},
	"internal/actions/settings":       {"internal/actions", "internal/chat", "internal/commands", "internal/llm", "internal/llm/roles"},
	"internal/actions/utility":        {"internal/actions", "internal/actions/reference", "internal/actions/utility/calc", "internal/chat", "internal/confirm", "internal/turn/gather", "internal/turn/prompt"},
	"internal/actions/reference":      {"internal/actions", "internal/actions/schema", "internal/chat"},
	"internal/actions/dialect":        {"internal/actions", "internal/actions/utility/calc", "internal/chat"},
	"internal/actions":                {"internal/actions/schema", "internal/chat", "internal/consent"},
	"internal/actions/schema":         {"internal/chat"},

	"internal/actions/botprofile": {"internal/actions", "internal/chat"},
	"internal/actions/plans":      {"internal/background", "internal/commands", "internal/tasks", "internal/turn/gather", "internal/turn/prompt", "internal/actions", "internal/chat", "internal/plan", "internal/plan/doc", "internal/plan/phases", "internal/plan/work", "internal/doctor"},
	"internal/actions/forging":    {"internal/commands", "internal/actions", "internal/actions/plans", "internal/chat", "internal/plan", "internal/plan/doc", "internal/plan/work"},
	"internal/actions/crons":      {"internal/order", "internal/commands", "internal/turn/gather", "internal/turn/prompt", "internal/actions", "internal/actions/schema", "internal/chat", "internal/cron", "internal/cron/posts", "internal/cron/schedule", "internal/forum", "internal/doctor"},
	"internal/actions/deferral":   {"internal/actions", "internal/chat", "internal/deferral"},
	"internal/actions/reminders":  {"internal/clock", "internal/actions", "internal/chat", "internal/commands", "internal/reminder"},
	"internal/actions/memory":     {"internal/clock", "internal/actions", "internal/actions/dialect", "internal/chat", "internal/commands", "internal/memory", "internal/memory/recall", "internal/store", "internal/turn", "internal/turn/gather", "internal/turn/prompt"},
	"internal/actions/tasks":      {"internal/clock", "internal/commands", "internal/turn/gather", "internal/turn/prompt", "internal/actions", "internal/actions/schema", "internal/chat", "internal/forum", "internal/tasks", "internal/doctor"},
	"internal/actions/voice":      {"internal/doctor", "internal/actions", "internal/chat", "internal/commands", "internal/llm", "internal/voice/speech", "internal/spend", "internal/voice", "internal/voice/link", "internal/voice/transcript", "internal/voice/player", "internal/voice/soundfile", "internal/voice/spoken"},
	"internal/actions/web":        {"internal/actions", "internal/chat", "internal/websearch"},

	"internal/voice/link": {"internal/sleep", "internal/voice/dave", "github.com/coder/websocket", "golang.org/x/crypto/chacha20poly1305"},
	"internal/voice":      {"internal/chat", "internal/sleep", "internal/voice/dave", "internal/voice/link", "internal/voice/player"},
	"internal/voice/dave": {
		"internal/voice/dave/wire", "golang.org/x/crypto/scrypt",
		"github.com/thomas-vilte/mls-go/ciphersuite", "github.com/thomas-vilte/mls-go/extensions", "github.com/thomas-vilte/mls-go/framing", "github.com/thomas-vilte/mls-go/group", "github.com/thomas-vilte/mls-go/keypackages", "github.com/thomas-vilte/mls-go/treesync",
	},
	"internal/voice/dave/wire":     {},
	"internal/voice/dave/davetest": {"internal/voice/dave/wire"},
	"internal/voice/hear":          {"internal/chat", "internal/voice/link", "internal/voice/opus", "internal/voice/transcribe"},
	"internal/voice/transcribe":    {"internal/sleep", "github.com/coder/websocket", "github.com/sashabaranov/go-openai"},
	"internal/voice/talk":          {"internal/chat", "internal/sleep"},
	"internal/voice/session": {
		"internal/chat", "internal/llm", "internal/spend", "internal/voice", "internal/voice/hear", "internal/voice/link", "internal/voice/player", "internal/voice/services", "internal/voice/speech", "internal/voice/spoken", "internal/voice/talk",
	},
	"internal/voice/services":       {"internal/chat", "internal/config", "internal/llm", "internal/spend", "internal/turn/attach", "internal/voice/speech", "internal/voice/transcribe"},
	"internal/voice/transcript":     {"internal/chat", "internal/store"},
	"internal/voice/opus":           {"internal/voice/opus/pure", "layeh.com/gopus"},
	"internal/voice/opus/pure":      {"github.com/thesyncim/gopus"},
	"internal/llm/roles":            {"internal/llm"},
	"internal/actions/utility/calc": {},
	"internal/chat":                 {},
	"internal/order":                {},
	"internal/sleep":                {},
	"internal/due":                  {"internal/sleep"},

	// For tests and the playground, whose calls are theirs.
	"internal/fakediscord/fakevoice": {"internal/fakediscord", "internal/memnet", "internal/voice/dave", "internal/voice/dave/davetest", "github.com/coder/websocket", "golang.org/x/crypto/chacha20poly1305"},
	"internal/voice/tones":           {"internal/voice/opus"},

	// For tests only; see testOnly.
	"internal/actions/actionstest":        {"internal/actions", "internal/actions/dialect"},
	"internal/actions/actionstest/server": {"internal/access", "internal/actions", "internal/actions/actionstest", "internal/chat", "internal/discord", "internal/fakediscord/discordtest"},
	"internal/app/apptest":                {"internal/chat", "internal/config", "internal/fakediscord", "internal/fakediscord/discordtest", "internal/llm", "internal/llm/script"},
	"internal/test/arch":                  {},
	"internal/test/chaos":                 {},
	"internal/test/foreign":               {},
	"internal/test/chaos/page":            {"internal/test/chaos", "internal/test/evidence"},
	"internal/test/evidence":              {},
	"internal/test/evidence/cmd":          {"internal/test/evidence"},
	"internal/test/disk/fulldisk":         {"modernc.org/libc", "modernc.org/sqlite/lib"},
	"internal/test/hostile":               {"internal/test/hostile/work", "internal/test/skip"},
	"internal/test/hostile/work":          {},
	"internal/test/figures":               {},
	"internal/test/golden":                {"github.com/google/go-cmp/cmp"},
	"internal/test/skip":                  {},
	"internal/fakediscord/openapi":        {"github.com/santhosh-tekuri/jsonschema/v6"},
	"internal/fakediscord/discordtest":    {"internal/chat", "internal/fakediscord", "internal/fakediscord/fakevoice", "internal/fakediscord/openapi", "internal/memnet", "github.com/google/go-cmp/cmp"},
	"internal/websearch/searchtest":       {"internal/memnet"},
	"internal/llm/llmtest":                {"internal/llm", "internal/memnet", "internal/sleep", "github.com/google/go-cmp/cmp", "go.uber.org/goleak"},
	"internal/imagegen/imagetest":         {"internal/memnet"},
	"internal/voice/speech/speechtest":    {"internal/memnet", "github.com/coder/websocket", "github.com/coder/websocket/wsjson"},
	"internal/test/disk/smalldisk":        {},
	"internal/voice/transcribe/transcribetest": {
		"internal/memnet", "internal/voice/tones", "github.com/coder/websocket",
	},
	"internal/test/scenario": {
		"internal/actions/dialect", "internal/app", "internal/chat", "internal/config", "internal/consent", "internal/fakediscord", "internal/fakediscord/discordtest", "internal/fakediscord/fakevoice",
		"internal/llm", "internal/llm/script", "internal/memnet", "internal/plan/plantest", "internal/turn", "internal/websearch/searchtest",
	},
	"internal/test/trial": {
		"internal/actions", "internal/app", "internal/chat", "internal/config", "internal/consent", "internal/disk/atomicfile", "internal/fakediscord",
		"internal/llm", "internal/memnet", "internal/test/scenario", "internal/turn", "github.com/rogpeppe/go-internal/txtar",
	},
	"internal/test/trial/cmd":   {"internal/test/trial"},
	"internal/test/supply":      {},
	"internal/test/supply/cmd":  {"internal/test/supply"},
	"internal/test/mutants":     {},
	"internal/test/mutants/cmd": {"internal/test/evidence", "internal/test/mutants"},
}

// testOnly packages, and modules, must not be imported outside tests.
var testOnly = []string{
	"internal/actions/actionstest", "internal/actions/actionstest/server", "internal/app/apptest", "internal/test/arch", "internal/test/chaos", "internal/test/disk/fulldisk", "internal/test/foreign", "internal/test/golden", "internal/test/hostile", "internal/test/skip",
	"internal/fakediscord/discordtest", "internal/fakediscord/openapi", "internal/llm/llmtest", "internal/plan/plantest", "internal/test/scenario", "internal/test/disk/smalldisk", "internal/test/mutants", "internal/test/supply", "internal/test/trial", "internal/voice/transcribe/transcribetest", "internal/websearch/searchtest",
	"internal/fakediscord/discordtest", "internal/fakediscord/openapi", "internal/imagegen/imagetest", "internal/llm/llmtest", "internal/test/scenario", "internal/test/disk/smalldisk", "internal/test/mutants", "internal/test/supply", "internal/test/trial", "internal/voice/speech/speechtest",
	"github.com/google/go-cmp", "github.com/rogpeppe/go-internal", "github.com/santhosh-tekuri/jsonschema", "go.uber.org/goleak", "pgregory.net/rapid",
}

func TestImportsPointDownwards(t *testing.T) {
	imports := readImports(t, "../../..")
	for pkg, list := range imports {
		allowed, listed := mayImport[pkg]
		if !listed {
			t.Errorf("%s is not in the table of internal/test/arch: say there what it may import", pkg)
			continue
		}
		for imp, file := range list {
			if !slices.Contains(allowed, imp) {
				t.Errorf("%s: %s may not import %s; if it should, edit the table of internal/test/arch in the same commit", file, pkg, imp)
			}
			if isTestOnly(imp) && !isTestOnly(pkg) {
				t.Errorf("%s imports %s, which is for tests", file, imp)
			}
		}
	}
	for pkg, allowed := range mayImport {
		for _, imp := range allowed {
			if _, used := imports[pkg][imp]; !used {
				t.Errorf("the table of internal/test/arch lets %s import %s, which it does not; take the edge out", pkg, imp)
			}
		}
	}
}

func isTestOnly(name string) bool {
	return slices.ContainsFunc(testOnly, func(t string) bool { return name == t || strings.HasPrefix(name, t+"/") })
}

// TestEveryCategoryIsThere: a category that is not on the list would compile, pass its tests
// and never be used.
func TestEveryCategoryIsThere(t *testing.T) {
	core := []string{"schema", "dialect", "reference", "actionstest"} // the folders that are no category
	imports := readImports(t, "../../..")
	for pkg := range imports {
		name, below := strings.CutPrefix(pkg, "internal/actions/")
		if !below || strings.Contains(name, "/") || slices.Contains(core, name) {
			continue
		}
		if _, listed := imports["internal/app"][pkg]; !listed {
			t.Errorf("the category in %s is not on the list in internal/app/parts.go", pkg)
		}
	}
}

// TestOnlyListIsOfPackages refuses packages in the list above that do not exist.
func TestOnlyListIsOfPackages(t *testing.T) {
	for _, name := range testOnly {
		if _, ours := mayImport[name]; strings.HasPrefix(name, "internal/") && !ours {
			t.Errorf("%s is listed for tests only, but is not there", name)
		}
	}
}

// readImports returns, for every package of the module, its imports outside the standard
// library, each with a file that has it. Test files are left out: a test may import
// anything.
func readImports(t *testing.T, root string) map[string]map[string]string {
	t.Helper()
	found := map[string]map[string]string{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || len(name) > 1 && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		pkg := path.Dir(name)
		if found[pkg] == nil {
			found[pkg] = map[string]string{}
		}
		if strings.HasSuffix(name, "_test.go") {
			return nil
		}
		imports, err := importsOf(filepath.Join(root, name))
		for _, imp := range imports {
			found[pkg][imp] = name
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatal("no packages found")
	}
	return found
}

// TestEveryTagIsBrokenInForeignText: a text of the program has the end of a tag only if it looks for that in a model's answer, or
// teaches it. What others write must not have it whole, or a model that repeats them would be understood.
func TestEveryTagIsBrokenInForeignText(t *testing.T) {
	inside := []string{"send-message", "voice"} // they mean something within <actions> alone
	end := regexp.MustCompile(`</([a-z][a-z-]*)`)
	tags := map[string]bool{}
	for pkg := range readImports(t, "../../..") {
		files, err := filepath.Glob(filepath.Join("../../..", pkg, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || isTestOnly(pkg) || strings.HasPrefix(pkg, "internal/fakediscord") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
					for _, tag := range end.FindAllStringSubmatch(text.Value, -1) {
						tags[tag[1]] = true
						if dialect.Defuse(tag[0]+">") == tag[0]+">" && !slices.Contains(inside, tag[1]) {
							t.Errorf("%s: internal/actions/dialect does not break %s>; add it to tagNames", file, tag[0])
						}
					}
				}
				return true
			})
		}
	}
	if !tags["cron-state"] || !tags["discord-action"] {
		t.Errorf("found only %v", tags)
	}
}

func importsOf(file string) ([]string, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var imports []string
	for _, spec := range parsed.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		first, _, _ := strings.Cut(imp, "/")
		switch {
		case first == module:
			imports = append(imports, strings.TrimPrefix(imp, module+"/"))
		case strings.Contains(first, "."):
			imports = append(imports, imp)
		}
	}
	return imports, nil
}
