package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A fate is what became of a setting of the TypeScript version.
type fate string

const (
	renamed   fate = "another name here"
	notNeeded fate = "not needed"
	toCome    fate = "still to come"
)

// A former is what became of some settings of the TypeScript version, which this version does not read.
type former struct {
	fate  fate
	what  string // renamed: what to set instead; notNeeded: the reason; toCome: what cannot be done yet
	names string // separated by blanks
}

// Former returns a sentence about a setting of the TypeScript version that this version does not read. ok is false for
// every other name.
func Former(name string) (sentence string, ok bool) {
	f, ok := formers()[name]
	switch f.fate {
	case renamed:
		return fmt.Sprintf("%s has another name here: %s", name, f.what), ok
	case notNeeded:
		return fmt.Sprintf("%s is not needed here and can be deleted: %s", name, f.what), ok
	case toCome:
		return fmt.Sprintf("%s has no effect yet: %s", name, f.what), ok
	}
	return "", false
}

// Former returns a sentence about each variable that only the TypeScript version reads, by name.
func (e Env) Former() []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(e)) {
		sentence, ok := Former(name)
		if ok && !slices.ContainsFunc(e.Refused(), func(r string) bool { return strings.HasPrefix(r, name) }) {
			list = append(list, sentence)
		}
	}
	return list
}

// readTools are what models of the TypeScript version called the tools that models have here by default.
var readTools = []string{"Read", "Glob", "Grep", "WebFetch"}

// Refused returns a sentence about each limit of the TypeScript version that this version would not keep. The bot does
// not start with one: the operator decides what takes its place.
func (e Env) Refused() []string {
	var list []string
	is := func(name string, on, unset bool) bool {
		set, err := e.Bool(name, unset)
		return err == nil && set == on
	}
	const decide = "; write DISCOCLAW_RUNTIME_TOOLS=off, or read, write or shell for what they may do"
	allowed := parseChoices(e["RUNTIME_TOOLS"])
	if e.Has("RUNTIME_TOOLS") && !e.Has("DISCOCLAW_RUNTIME_TOOLS") && slices.ContainsFunc(readTools, func(t string) bool { return !slices.Contains(allowed, t) }) {
		list = append(list, "RUNTIME_TOOLS keeps some of "+strings.Join(readTools, ", ")+" from models, which have all of these here by default"+decide)
	}
	if is("OPENAI_COMPAT_TOOLS_ENABLED", false, true) && !e.Has("DISCOCLAW_RUNTIME_TOOLS") {
		list = append(list, "OPENAI_COMPAT_TOOLS_ENABLED keeps tools from models that have some here by default"+decide)
	}
	if is("DISCOCLAW_TASKS_SYNC_SKIP_PHASE5", true, false) && is("DISCOCLAW_TASKS_ENABLED", true, true) {
		list = append(list, "DISCOCLAW_TASKS_SYNC_SKIP_PHASE5 is for a forum with other posts than tasks, which would be archived here; "+
			"delete it and set DISCOCLAW_TASKS_FORUM to a forum for tasks alone, or write DISCOCLAW_TASKS_ENABLED=0")
	}
	return list
}

// Words that several reasons share.
const (
	runtimeInModel = "put the runtime in front of the model, as in anthropic:capable, in "
	oneToolLevel   = "set DISCOCLAW_RUNTIME_TOOLS to off, read, write or shell"
)

// formerSettings are the settings of the TypeScript version that this version does not read.
var formerSettings = []former{
	{renamed, "set DISCOCLAW_CRON_AUTO_TAG_MODEL", "DISCOCLAW_CRON_MODEL"},
	{renamed, "set DISCOCLAW_FAST_MODEL, whose model chooses the tags", "DISCOCLAW_TASKS_AUTO_TAG_MODEL"},
	{renamed, runtimeInModel + "DISCOCLAW_FAST_MODEL", "DISCOCLAW_FAST_RUNTIME"},
	{renamed, runtimeInModel + "FORGE_DRAFTER_MODEL", "FORGE_DRAFTER_RUNTIME"},
	{renamed, runtimeInModel + "FORGE_AUDITOR_MODEL", "FORGE_AUDITOR_RUNTIME"},
	{renamed, "set DISCOCLAW_FALLBACK_MODELS", "RUNTIME_FALLBACK_MODEL"},
	{renamed, oneToolLevel, "RUNTIME_TOOLS CLAUDE_DANGEROUSLY_SKIP_PERMISSIONS CODEX_DANGEROUSLY_BYPASS_APPROVALS_AND_SANDBOX"},
	{renamed, oneToolLevel + ", for the tools of models; DISCOCLAW_NATIVE_TOOLS is about the bot's actions",
		"OPENAI_COMPAT_TOOLS_ENABLED"},
	{renamed, "set DISCOCLAW_STREAM_STALL_TIMEOUT_MS", "DISCOCLAW_PROGRESS_STALL_TIMEOUT_MS"},
	{renamed, "set DISCOCLAW_FAST_MODEL to a model of Claude Code, as in claude:haiku", "DISCOCLAW_TIER_CLAUDE_CODE_FAST"},
	{renamed, "set RUNTIME_MODEL to a model of Claude Code, as in claude:sonnet", "DISCOCLAW_TIER_CLAUDE_CODE_CAPABLE"},
	{renamed, "set FORGE_AUDITOR_MODEL to a model of Claude Code, as in claude:opus", "DISCOCLAW_TIER_CLAUDE_CODE_DEEP"},
	{renamed, "set CODEX_MODEL, which is used for every tier",
		"DISCOCLAW_TIER_CODEX_FAST DISCOCLAW_TIER_CODEX_CAPABLE DISCOCLAW_TIER_CODEX_DEEP"},
	{renamed, "each scheduled job has its own webhook; ask the bot for one, and see docs/crons.md", "DISCOCLAW_WEBHOOK_CONFIG"},
	{renamed, "write it into SOUL.md or AGENTS.md in the workspace", "CLAUDE_APPEND_SYSTEM_PROMPT"},
	{notNeeded, "a deferred run cannot defer another one", "DISCOCLAW_DISCORD_ACTIONS_DEFER_MAX_DEPTH"},
	{notNeeded, "scheduled jobs repeat work; see docs/crons.md", `
		DISCOCLAW_DISCORD_ACTIONS_LOOP DISCOCLAW_DISCORD_ACTIONS_LOOP_MIN_INTERVAL_SECONDS
		DISCOCLAW_DISCORD_ACTIONS_LOOP_MAX_INTERVAL_SECONDS DISCOCLAW_DISCORD_ACTIONS_LOOP_MAX_CONCURRENT`},
	{notNeeded, "files are sent from the workspace, and from the folder outbox of DISCOCLAW_DATA_DIR",
		"DISCOCLAW_SENDFILE_ALLOWED_DIRS"},
	{notNeeded, "discoclaw actions prompt prints what models read about the actions", "DISCOCLAW_LOG_ACTION_SCHEMA_ESTIMATES"},
	{notNeeded, "nothing is remembered about other bots", "DISCOCLAW_BOT_MESSAGE_MEMORY_WRITE"},
	{notNeeded, "a reply in progress shows its text, without requests for actions", "DISCOCLAW_STREAM_PREVIEW_RAW"},
	{notNeeded, "LOG_LEVEL=debug logs such details", `
		DISCOCLAW_DEBUG_STREAM_PREVIEW_LINES CLAUDE_VERBOSE CLAUDE_ECHO_STDIO CLAUDE_DEBUG_FILE DISCOCLAW_CODEX_VERBOSE_PREVIEW
		DISCOCLAW_CODEX_ITEM_TYPE_DEBUG DISCOCLAW_DEBUG_RUNTIME`},
	{notNeeded, "requests for actions are never shown in replies", "DISCOCLAW_DISABLE_STREAM_SANITIZATION"},
	{notNeeded, "the bot always reports the end of long work where it was asked for",
		"DISCOCLAW_COMPLETION_NOTIFY DISCOCLAW_COMPLETION_NOTIFY_THRESHOLD_MS"},
	{notNeeded, "everything is kept in one database, in DISCOCLAW_DATA_DIR", `
		DISCOCLAW_DURABLE_DATA_DIR DISCOCLAW_SUMMARY_DATA_DIR DISCOCLAW_SUMMARY_ARCHIVE_DIR DISCOCLAW_SHORTTERM_DATA_DIR
		COLD_STORAGE_DB_PATH DISCOCLAW_CRON_STATS_DIR DISCOCLAW_TASKS_PATH`},
	{notNeeded, "a fact that replaces an older one always takes its place", "DISCOCLAW_DURABLE_SUPERSESSION_SHADOW"},
	{notNeeded, "DISCOCLAW_SUMMARY_MAX_CHARS limits summaries", "DISCOCLAW_SUMMARY_MAX_TOKENS DISCOCLAW_SUMMARY_TARGET_RATIO"},
	{notNeeded, "DISCOCLAW_DURABLE_ACTIVE_ITEMS limits what is in use", "DISCOCLAW_MEMORY_CONSOLIDATION_THRESHOLD"},
	{notNeeded, "no model is asked which memories are in use", "DISCOCLAW_MEMORY_CONSOLIDATION_MODEL"},
	{notNeeded, "tasks need no folder", "DISCOCLAW_TASKS_CWD"},
	{notNeeded, "tasks and their posts are always synchronised, and what failed is retried", `
		DISCOCLAW_TASKS_SYNC_SKIP_PHASE5 DISCOCLAW_TASKS_SYNC_FAILURE_RETRY_ENABLED DISCOCLAW_TASKS_SYNC_FAILURE_RETRY_DELAY_MS
		DISCOCLAW_TASKS_SYNC_DEFERRED_RETRY_DELAY_MS`},
	{notNeeded, "a command-line model is started for each answer", `
		DISCOCLAW_RUNTIME_SESSIONS DISCOCLAW_SESSION_SCANNING DISCOCLAW_MULTI_TURN DISCOCLAW_MULTI_TURN_HANG_TIMEOUT_MS
		DISCOCLAW_MULTI_TURN_IDLE_TIMEOUT_MS DISCOCLAW_MULTI_TURN_MAX_PROCESSES CODEX_DISABLE_SESSIONS DISCOCLAW_CODEX_STABLE_HOME
		DISCOCLAW_CLI_LAUNCHER_STATE_HARDENING`},
	{notNeeded, "DISCOCLAW_RUNTIME_TOOLS applies to all models", "DISCOCLAW_TOOL_TIER_MAP"},
	{notNeeded, "Claude Code is always asked for a stream", "CLAUDE_OUTPUT_FORMAT"},
	{notNeeded, "Claude Code never loads MCP servers of its own here", "CLAUDE_STRICT_MCP_CONFIG"},
	{notNeeded, "DISCOCLAW_RUNTIME_TOOLS says which tools models have", "OPENAI_COMPAT_HYBRID_PIPELINE_ENABLED"},
	{notNeeded, "Codex runs as a program, not through its app server", "CODEX_APP_SERVER_URL CODEX_APP_SERVER_NATIVE"},
	{notNeeded, "Codex uses the folder .codex of this account", "CODEX_HOME"},
	{notNeeded, "requests to models are always retried, within limits; DISCOCLAW_FALLBACK_MODELS names models to try after that", `
		DISCOCLAW_GLOBAL_SUPERVISOR_ENABLED DISCOCLAW_GLOBAL_SUPERVISOR_AUDIT_STREAM DISCOCLAW_GLOBAL_SUPERVISOR_MAX_CYCLES
		DISCOCLAW_GLOBAL_SUPERVISOR_MAX_RETRIES DISCOCLAW_GLOBAL_SUPERVISOR_MAX_ESCALATION_LEVEL
		DISCOCLAW_GLOBAL_SUPERVISOR_MAX_TOTAL_EVENTS DISCOCLAW_GLOBAL_SUPERVISOR_MAX_WALL_TIME_MS`},
	{notNeeded, "all models work in WORKSPACE_CWD", "GROUPS_DIR USE_GROUP_DIR_CWD"},
	{notNeeded, "IDENTITY.md and USER.md in the workspace can be changed at any time", "DISCOCLAW_FORCE_BOOTSTRAP"},
	{notNeeded, "!restart starts the program again by itself", "DC_RESTART_CMD"},
	{notNeeded, "models fetch web pages without a browser", "AGENT_BROWSER_EXECUTABLE_PATH"},
	{notNeeded, "the bot does not install itself as a service", "DISCOCLAW_SERVICE_NAME"},
	{toCome, "the bot cannot split its work into parallel runs",
		"DISCOCLAW_DISCORD_ACTIONS_SPAWN DISCOCLAW_DISCORD_ACTIONS_SPAWN_MAX_CONCURRENT"},
	{toCome, "the posts of tasks mention only the owner of a task, when its date has come", "DISCOCLAW_TASKS_MENTION_USER"},
	{toCome, "people are not added to the posts of tasks", "DISCOCLAW_TASKS_SIDEBAR"},
	{toCome, "the bot does not change its avatar; set it in Discord's developer portal", "DISCOCLAW_BOT_AVATAR"},
	{toCome, "there is no dashboard; !status, !health and !doctor report in Discord",
		"DISCOCLAW_DASHBOARD_ENABLED DISCOCLAW_DASHBOARD_PORT DISCOCLAW_DASHBOARD_TRUSTED_HOSTS"},
	{notNeeded, "what is said in a call stands in the chat of its voice channel; see DISCOCLAW_VOICE_LOG_CHANNEL",
		"DISCOCLAW_VOICE_HOME_CHANNEL DISCOCLAW_VOICE_TRANSCRIPT_CHANNEL"},
}

// formers are formerSettings by name.
var formers = sync.OnceValue(func() map[string]former {
	all := map[string]former{}
	for _, s := range formerSettings {
		for name := range strings.FieldsSeq(s.names) {
			all[name] = s
		}
	}
	return all
})
