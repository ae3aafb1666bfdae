package fakediscord

import "discoclaw/internal/chat"

func getMe(c *call) (answer, error) {
	o := c.userJSON(c.bot)
	o["mfa_enabled"], o["locale"], o["verified"], o["email"] = true, "en-US", true, nil
	return ok(o)
}

func getUser(c *call) (answer, error) {
	m := c.World.user(chat.UserID(c.vars["user"]))
	if m == nil {
		return answer{}, errUnknownUser
	}
	return ok(c.userJSON(m))
}

// listMyGuilds lists the bot's guilds by ID, on one page.
func listMyGuilds(c *call) (answer, error) {
	limit, err := c.number("limit", 200, 1, 200)
	if err != nil {
		return answer{}, err
	}
	all := []object{}
	after := c.param("after")
	for _, g := range c.guilds {
		if !c.hasBot(g) || after != "" && compareIDs(string(g.ID), after) <= 0 {
			continue
		}
		o := object{
			"id": g.ID, "name": g.Name, "icon": nil, "banner": nil, "owner": c.bot.ID == g.Owner,
			"permissions": c.guildPermissions(c.botOn(g)).wire(), "features": []string{},
		}
		if c.yes("with_counts") {
			o["approximate_member_count"], o["approximate_presence_count"] = g.count(), g.count()
		}
		all = append(all, o)
	}
	return ok(all[:min(len(all), limit)])
}

func getApplication(c *call) (answer, error) {
	flags := c.appFlags()
	return ok(object{
		"id": c.app, "name": c.bot.Name, "icon": nil, "description": "", "type": nil, "bot": c.userJSON(c.bot),
		"verify_key": "00", "flags": flags, "flags_new": Permissions(flags).wire(), "redirect_uris": []string{},
		"interactions_endpoint_url": nil, "role_connections_verification_url": nil, "owner": c.userJSON(c.user(c.first().Owner)),
		"approximate_guild_count": len(c.guilds), "approximate_user_install_count": 0, "approximate_user_authorization_count": 0,
		"explicit_content_filter": 0, "team": nil, "eligible_oauth2_scopes": []string{}, "bot_public": false,
		"bot_require_code_grant": false,
	})
}

// createDM opens a direct message channel. Whether the user accepts direct messages shows
// only when the bot writes.
func createDM(c *call) (answer, error) {
	var in struct {
		Recipient chat.UserID `json:"recipient_id"`
	}
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	m := c.user(in.Recipient)
	switch {
	case m == nil:
		return answer{}, errUnknownUser
	case m.Bot:
		return answer{}, errCannotMessageUser
	}
	return ok(c.channelJSON(c.openDM(m)))
}
