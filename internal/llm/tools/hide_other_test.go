//go:build !linux

package tools_test

const asBot = "TOOLS_TEST_AS_BOT"

func actAsBot() {}
