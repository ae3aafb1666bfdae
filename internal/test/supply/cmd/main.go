// Command cmd prints the software bill of materials of discoclaw, or, with the argument notices, the licences of its modules;
// "make sbom" and "make notices" call it.
package main

import (
	"fmt"
	"os"
	"slices"

	"discoclaw/internal/test/supply"
)

func main() {
	out, err := text(slices.Contains(os.Args[1:], "notices"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "supply:", err)
		os.Exit(1)
	}
	fmt.Print(out)
}

func text(notices bool) (string, error) {
	modules, err := supply.Modules("discoclaw/cmd/discoclaw")
	if err != nil || notices {
		return supply.Notices(modules), err
	}
	bill, err := supply.BillOfMaterials(modules)
	return string(bill) + "\n", err
}
