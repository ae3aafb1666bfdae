package app

import "testing"

func TestActionsAreWellDefined(t *testing.T) {
	t.Parallel()
	if err := mustCore(t, nil).registry.Check(); err != nil {
		t.Error(err)
	}
}
