package site

import (
	"maps"
	"slices"
)

// Hosts returns all hosts of the table, sorted, with the hosts of short links. A host has a
// port if the table names one.
func (t *Table) Hosts() []string { return slices.Sorted(maps.Keys(t.hosts)) }
