package fakediscord

// guildJSON is the guild without what is in it.
func (w *World) guildJSON() object {
	roles := []object{}
	for _, r := range w.roles {
		roles = append(roles, w.roleJSON(r))
	}
	o := object{
		"id": w.guild, "name": w.name, "owner_id": w.owner, "roles": roles, "region": "deprecated",
		"features": []string{}, "emojis": w.emojisJSON(), "stickers": []any{}, "preferred_locale": "en-US",
		"afk_timeout": 300, "system_channel_flags": 0, "widget_enabled": false, "verification_level": 0,
		"default_message_notifications": 0, "mfa_level": 0, "explicit_content_filter": 0, "max_members": 500000,
		"max_stage_video_channel_users": 50, "max_video_channel_users": 25, "premium_tier": 0,
		"premium_subscription_count": 0, "premium_progress_bar_enabled": false, "nsfw": false, "nsfw_level": 0,
	}
	for _, none := range []string{
		"icon", "description", "home_header", "splash", "discovery_splash", "banner", "application_id",
		"afk_channel_id", "system_channel_id", "widget_channel_id", "max_presences", "vanity_url_code",
		"rules_channel_id", "safety_alerts_channel_id", "public_updates_channel_id", "incidents_data",
	} {
		o[none] = nil
	}
	for _, c := range w.guildChannels() {
		if c.Rules {
			o["rules_channel_id"] = c.ID
		}
	}
	return o
}
