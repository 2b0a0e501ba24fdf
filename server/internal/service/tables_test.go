package service_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/tables"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// TestEachTableIsDeclared compares the declarations with the tables of a new database. Whoever makes a
// table declares it in the feature that writes it, and lists the feature in service.Tables.
func TestEachTableIsDeclared(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		storetest.Open(t, o)
		made := storetest.Dump(t, o)
		owned := made.Owned()
		declared := map[string]tables.Table{}
		for _, table := range service.Tables() {
			assert.NotContains(t, declared, table.Name, "declared twice")
			declared[table.Name] = table
		}
		for name, table := range made {
			if slices.ContainsFunc([]string{"river_", "goose_", "sqlite_"}, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
				continue
			}
			d, is := declared[name]
			if !assert.True(t, is, "no feature declares the table %s", name) {
				continue
			}
			delete(declared, name)
			assert.Subset(t, table.Columns, d.Key, name)
			if slices.Contains(owned, name) && name != "removals" {
				assert.True(t, d.Removal != nil || d.With != "", "%s: how do the rows of an account go that is removed?", name)
			}
			if d.Export != nil {
				assert.Subset(t, table.Columns, slices.Concat(d.Export.Order, d.Export.Omit, d.Export.Bool, d.Export.JSON), name)
			}
			if d.Export != nil || d.Removal != nil {
				assert.NotEmpty(t, d.Owner, "%s: whose are the rows?", name)
			}
			if d.With != "" {
				assert.Contains(t, made, d.With, name)
			}
		}
		for name, table := range declared {
			assert.True(t, table.OnPostgres, "there is no table %s", name)
		}
	})
}

// A backup knows a store alone, and not the features.
func TestOnlyTablesOfTheStoreHaveBlobs(t *testing.T) {
	t.Parallel()
	own := map[string]bool{}
	for _, table := range db.OwnTables() {
		own[table.Name] = true
	}
	for _, table := range service.Tables() {
		assert.True(t, own[table.Name] || table.Blobs == nil && !table.Lease, table.Name)
	}
}
