package supply_test

import (
	"encoding/json"
	"testing"

	"discoclaw/internal/test/golden"
	"discoclaw/internal/test/supply"
)

func modules(t *testing.T) []supply.Module {
	t.Helper()
	list, err := supply.Modules("discoclaw/cmd/discoclaw")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestTheNoticesAreCurrent: a module that was added, or has another licence now, is in the file that releases come with.
func TestTheNoticesAreCurrent(t *testing.T) {
	golden.Equal(t, "../../../THIRD_PARTY_NOTICES", supply.Notices(modules(t)))
}

// TestEveryLicenceIsKnown: a module under terms that we have not agreed to is not shipped.
func TestEveryLicenceIsKnown(t *testing.T) {
	for _, m := range modules(t) {
		if m.Name() == "" {
			t.Errorf("%s %s: read its licence, and add its name to the list of those that we may ship", m.Path, m.Version)
		}
	}
}

func TestTheBillOfMaterialsNamesEveryModule(t *testing.T) {
	list := modules(t)
	text, err := supply.BillOfMaterials(list)
	if err != nil {
		t.Fatal(err)
	}
	var bill struct {
		Components []struct{ Name, Version, Purl string }
	}
	if err := json.Unmarshal(text, &bill); err != nil {
		t.Fatal(err)
	}
	if len(bill.Components) != len(list) || len(list) < 10 {
		t.Fatalf("%d of %d modules are named", len(bill.Components), len(list))
	}
	for i, m := range list {
		if c := bill.Components[i]; c.Name != m.Path || c.Version != m.Version || c.Purl == "" {
			t.Errorf("%+v stands for %s %s", c, m.Path, m.Version)
		}
	}
}
