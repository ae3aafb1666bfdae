// Command cmd prints the software bill of materials of discoclaw; "make sbom" calls it.
package main

import (
	"fmt"
	"os"

	"discoclaw/internal/test/supply"
)

func main() {
	modules, err := supply.Modules("discoclaw/cmd/discoclaw")
	if err == nil {
		var text []byte
		if text, err = supply.BillOfMaterials(modules); err == nil {
			fmt.Println(string(text))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}
