package config

import "testing"

// TestProtectedNamesOverrideTheEditableTag also covers settings that do not exist yet.
func TestProtectedNamesOverrideTheEditableTag(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"DISCORD_TOKEN", "DISCORD_ALLOW_USER_IDS", "DISCOCLAW_OPERATOR_USER_IDS", "DISCORD_ALLOW_BOT_IDS", "DISCORD_CHANNEL_IDS", "DISCORD_GUILD_ID",
		"DISCOCLAW_HEALTH_VERBOSE_ALLOWLIST", "DISCORD_API_URL", "OPENAI_BASE_URL", "DISCORD_CDN_HOSTS", "CLAUDE_BIN", "DC_RESTART_CMD",
		"CLAUDE_DANGEROUSLY_SKIP_PERMISSIONS", "DISCOCLAW_DISCORD_ACTIONS", "DISCOCLAW_DISCORD_ACTIONS_MODERATION", "DISCOCLAW_DISCORD_ACTIONS_CONFIRM",
		"DISCOCLAW_DATA_DIR", "WORKSPACE_CWD", "DISCOCLAW_RUNTIME_TOOLS", "DISCOCLAW_NATIVE_TOOLS",
	} {
		if (Variable{Name: name, Editable: true}).Locked() == "" {
			t.Errorf("%s can be changed from Discord", name)
		}
	}
	if (Variable{Name: "DISCOCLAW_NEW"}).Locked() == "" {
		t.Error("a new setting without a tag can be changed from Discord")
	}
}
