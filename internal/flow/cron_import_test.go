package flow_test

import (
	"strings"
	"testing"
	"time"

	"discoclaw/internal/cron"
)

// TestAnImportedJobFindsItsChannel when it is resumed: the original stores the names of channels. Until then only its author and operators
// know of it, since it is unknown who may read its channel.
func TestAnImportedJobFindsItsChannel(t *testing.T) {
	onHost(t, cronWorld, func(h *host) {
		h.serves("ada", "bob")
		h.cron("cron-1", func(j *cron.Job) { j.Paused, j.Channel = true, "" })
		h.start()
		for _, line := range []struct{ who, says, want string }{
			{"bob", "!cron list", "There are no scheduled jobs here."},
			{"bob", "!cron show cron-1", "There is no scheduled job `cron-1` here."},
			{"ada", "!cron run cron-1", "The scheduled job cron-1 has no channel yet; resume it, or say in which one it is to run."},
			{"ada", "!cron resume cron-1", "Resumed “cron-1”, which runs every 10 minutes in <#" + string(h.ChannelID("ops")) + ">"},
			{"bob", "!cron list", "1 scheduled job:"},
		} {
			h.Say(line.who, "general", line.says)
			time.Sleep(time.Second)
			if got := h.Transcript(); !strings.Contains(got, line.want) {
				t.Errorf("%s said %s, and #general has not %q:\n%s", line.who, line.says, line.want, got)
			}
		}
		h.stop()
		if j, _ := h.job("cron-1"); j.Channel != h.ChannelID("ops") {
			t.Errorf("it runs in %q", j.Channel)
		}
	})
}
