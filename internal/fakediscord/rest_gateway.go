package fakediscord

import "discoclaw/internal/fakediscord/fakegateway"

func getGateway(c *call) (answer, error) { return ok(object{"url": c.gatewayAddress()}) }

func getGatewayBot(c *call) (answer, error) {
	started, reset := c.gateway.Starts(c.token())
	return ok(object{
		"url": c.gatewayAddress(), "shards": 1,
		"session_start_limit": object{
			"total": fakegateway.MaxStarts, "remaining": max(0, fakegateway.MaxStarts-started),
			"reset_after": reset.Milliseconds(), "max_concurrency": fakegateway.MaxConcurrency,
		},
	})
}
