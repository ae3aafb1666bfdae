package app

import (
	"slices"
	"testing"

	"discoclaw/internal/config"
)

// reachable lists the settings that can be changed from Discord. It repeats their tag editable on
// purpose, so that nobody copies the tag without thinking.
var reachable = []string{
	"OPENAI_API_KEY", "OPENAI_MODEL", "COLD_STORAGE_API_KEY",
	"ANTHROPIC_API_KEY", "ANTHROPIC_MODEL", "DISCOCLAW_TIER_ANTHROPIC_FAST", "DISCOCLAW_TIER_ANTHROPIC_CAPABLE", "DISCOCLAW_TIER_ANTHROPIC_DEEP",
	"GEMINI_API_KEY", "GEMINI_MODEL", "DISCOCLAW_TIER_GEMINI_FAST", "DISCOCLAW_TIER_GEMINI_CAPABLE", "DISCOCLAW_TIER_GEMINI_DEEP",
	"OPENROUTER_API_KEY", "OPENROUTER_MODEL", "DISCOCLAW_TIER_OPENROUTER_FAST", "DISCOCLAW_TIER_OPENROUTER_CAPABLE", "DISCOCLAW_TIER_OPENROUTER_DEEP",
	"CODEX_MODEL", "DISCOCLAW_STT_API_KEY", "DISCOCLAW_STT_MODEL", "DISCOCLAW_WEBSEARCH_API_KEY",
	"CODEX_MODEL", "DISCOCLAW_STT_API_KEY", "DISCOCLAW_STT_MODEL", "IMAGEGEN_GEMINI_API_KEY", "IMAGEGEN_DEFAULT_MODEL",
	"DISCOCLAW_TIER_OPENAI_FAST", "DISCOCLAW_TIER_OPENAI_CAPABLE", "DISCOCLAW_TIER_OPENAI_DEEP",
	"DISCOCLAW_BOT_NAME", "DEFAULT_TIMEZONE", "DISCOCLAW_MESSAGE_HISTORY_BUDGET", "DISCOCLAW_RESPOND", "DISCOCLAW_BATCH_WAIT_MS", "DISCOCLAW_TOOL_AWARE_STREAMING",
	"DISCORD_AUTO_INDEX_CHANNEL_CONTEXT",
	"DISCOCLAW_STREAM_STALL_WARNING_MS", "DISCOCLAW_STREAM_STALL_TIMEOUT_MS", "RUNTIME_TIMEOUT_MS",
	"DISCOCLAW_REACTION_HANDLER", "DISCOCLAW_REACTION_REMOVE_HANDLER", "DISCOCLAW_REACTION_MAX_AGE_HOURS", "DISCOCLAW_STOP_REACTION_SCOPE",
	"DISCOCLAW_SLASH_COMMANDS", "DISCOCLAW_HEALTH_COMMANDS_ENABLED",
	"RUNTIME_MODEL", "DISCOCLAW_FAST_MODEL", "FORGE_DRAFTER_MODEL", "FORGE_AUDITOR_MODEL", "DISCOCLAW_SUMMARY_MODEL",
	"DISCOCLAW_CRON_AUTO_TAG_MODEL", "DISCOCLAW_CRON_EXEC_MODEL", "DISCOCLAW_PLAN_RUN_MODEL",
	"PLAN_PHASE_MAX_CONTEXT_FILES", "PLAN_PHASE_TIMEOUT_MS", "PLAN_PHASE_AUDIT_FIX_MAX", "PLAN_FORGE_HEARTBEAT_INTERVAL_MS",
	"FORGE_MAX_AUDIT_ROUNDS", "FORGE_PROGRESS_THROTTLE_MS", "FORGE_TIMEOUT_MS",
	"LOG_LEVEL", "LOG_FORMAT", "DISCOCLAW_CATCHUP_MINUTES",
}

func TestOnlyListedSettingsCanBeChangedFromDiscord(t *testing.T) {
	t.Parallel()
	var got []string
	for _, v := range mustCore(t, config.Env{}).Variables() {
		if barrier(v) == "" {
			got = append(got, v.Name)
		} else if v.Secret && v.Name != "DISCORD_TOKEN" {
			t.Errorf("%s is a key, and !secret cannot set it", v.Name)
		}
	}
	for _, name := range got {
		if !slices.Contains(reachable, name) {
			t.Errorf("%s can be changed from Discord: take its tag editable away, or put it on the list above", name)
		}
	}
	for _, name := range reachable {
		if !slices.Contains(got, name) {
			t.Errorf("%s cannot be changed from Discord", name)
		}
	}
}

// TestProtectedNamesOverrideTheEditableTag also covers settings that do not exist yet.
func TestProtectedNamesOverrideTheEditableTag(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"DISCORD_TOKEN", "DISCORD_ALLOW_USER_IDS", "DISCOCLAW_OPERATOR_USER_IDS", "DISCORD_ALLOW_BOT_IDS", "DISCORD_CHANNEL_IDS", "DISCORD_GUILD_ID",
		"DISCOCLAW_HEALTH_VERBOSE_ALLOWLIST", "DISCORD_API_URL", "OPENAI_BASE_URL", "DISCORD_CDN_HOSTS", "CLAUDE_BIN", "DC_RESTART_CMD",
		"CLAUDE_DANGEROUSLY_SKIP_PERMISSIONS", "DISCOCLAW_DISCORD_ACTIONS", "DISCOCLAW_DISCORD_ACTIONS_MODERATION", "DISCOCLAW_DISCORD_ACTIONS_CONFIRM",
		"DISCOCLAW_DATA_DIR", "WORKSPACE_CWD", "DISCOCLAW_RUNTIME_TOOLS",
	} {
		if barrier(config.Variable{Name: name, Editable: true}) == "" {
			t.Errorf("%s can be changed from Discord", name)
		}
	}
	if barrier(config.Variable{Name: "DISCOCLAW_NEW"}) == "" {
		t.Error("a new setting without a tag can be changed from Discord")
	}
}
