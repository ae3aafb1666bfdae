package fakediscord

func getGateway(c *call) (answer, error) { return ok(object{"url": c.gatewayAddress()}) }

func getGatewayBot(c *call) (answer, error) {
	return ok(object{
		"url": c.gatewayAddress(), "shards": 1,
		"session_start_limit": object{"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": 1},
	})
}
