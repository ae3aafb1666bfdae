package userapi

import "discoclaw/internal/chat"

// look returns the server as the member sees it, and opens their direct messages with the
// bot, which a first message needs.
func (c *call) look() error {
	if _, err := c.world.OpenDM(c.as()); err != nil {
		return refused(err)
	}
	people, channels, roles := []person{}, []channel{}, []role{}
	for _, m := range c.world.Members() {
		people = append(people, c.person(m.ID))
	}
	for _, seen := range c.eyes.view.Channels() {
		channels = append(channels, c.eyes.channel(seen))
	}
	for _, r := range c.world.Roles() {
		roles = append(roles, role{r.ID, r.Name})
	}
	type guild struct {
		ID   chat.GuildID `json:"id"`
		Name string       `json:"name"`
	}
	return c.answer(struct {
		Guild    guild     `json:"guild"`
		Me       person    `json:"me"`
		People   []person  `json:"people"`
		Channels []channel `json:"channels"`
		Roles    []role    `json:"roles"`
	}{guild{c.world.GuildID(), c.world.GuildName()}, c.person(c.eyes.me), people, channels, roles})
}
