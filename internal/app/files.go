package app

import (
	"net/url"
	"slices"

	"discoclaw/internal/config"
)

// discordsAPI is the host of Discord's API, which serves no files.
const discordsAPI = "discord.com"

// fileHosts returns the hosts that attachments may be fetched from besides Discord's own: those of
// the settings, and the host of an API other than Discord's, such as a fake.
func fileHosts(d config.Discord) []string {
	hosts := slices.Clone([]string(d.CDN))
	if api, err := url.Parse(string(d.API)); err == nil && api.Host != discordsAPI {
		hosts = append(hosts, api.Host)
	}
	return hosts
}
