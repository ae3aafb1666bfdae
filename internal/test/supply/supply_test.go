package supply_test

import (
	"encoding/json"
	"strings"
	"testing"

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

// TestTheNoticesHaveEveryLicence, in the file that releases come with.
func TestTheNoticesHaveEveryLicence(t *testing.T) {
	list := modules(t)
	text := supply.Notices(list)
	for _, m := range list {
		if len(m.Licences) == 0 || !strings.Contains(text, m.Path+" "+m.Version+" (") || !strings.Contains(text, strings.Trim(m.Licences[0].Text, "\n")) {
			t.Errorf("%s %s has no licence in the notices", m.Path, m.Version)
		}
	}
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
