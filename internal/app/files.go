package app

import (
	"net/url"
	"slices"

	"discoclaw/internal/config"
)

// discordsAPI is where Discord's own API is, which keeps no files.
const discordsAPI = "discord.com"

// fileHosts are where files of messages may come from besides Discord's own hosts: those
// that the operator names, and whoever stands in for Discord.
func fileHosts(d config.Discord) []string {
	hosts := slices.Clone([]string(d.CDN))
	if api, err := url.Parse(string(d.API)); err == nil && api.Host != discordsAPI {
		hosts = append(hosts, api.Host)
	}
	return hosts
}
