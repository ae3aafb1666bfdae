package store_test

import (
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/store"
)

// TestEveryTableIsDeclared: what a new table has about people would be missing in their export otherwise, and stay
// when they erase everything.
func TestEveryTableIsDeclared(t *testing.T) {
	db := fresh(t)
	rows, err := db.QueryContext(t.Context(), "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow'")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(name, "sqlite_") && name != "goose_db_version" && name != "words" { // which tests use
			names = append(names, name)
		}
	}
	if err := rows.Err(); err != nil || len(names) == 0 {
		t.Fatalf("%d tables: %v", len(names), err)
	}
	var declared []string
	for _, table := range store.Tables {
		declared = append(declared, table.Name)
		if table.Holds == "" || (table.Erase == "") != (table.Erased == "") {
			t.Errorf("%s does not say for docs/privacy.md what it has, and what erasing does", table.Name)
		}
		if (table.Person == "") != (table.Why != "") {
			t.Errorf("%s has either a condition for rows about a person, or a reason why there are none", table.Name)
		}
	}
	slices.Sort(names)
	slices.Sort(declared)
	if !slices.Equal(names, declared) {
		t.Errorf("there are the tables %v, and declared are %v", names, declared)
	}
	if _, err := db.Export(t.Context(), "1"); err != nil {
		t.Error(err)
	}
	if n, err := db.Erase(t.Context(), "1"); err != nil || n != 0 {
		t.Errorf("%d rows of nobody were erased: %v", n, err)
	}
}
