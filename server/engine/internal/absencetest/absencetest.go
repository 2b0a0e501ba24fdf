// Package absencetest tests tables of what proves that a content has no captions.
package absencetest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/player"
)

// EachRow shows that a table proves what it should, and that each of its rows is needed: for the
// name of each row, lacking has evidence that only this row refuses.
func EachRow[E any](t *testing.T, table player.Absence[E], whole E, lacking map[string]E) {
	t.Helper()
	require.NoError(t, table.Prove(whole), "the evidence is whole")
	for i, row := range table {
		evidence, ok := lacking[row.Name]
		if assert.True(t, ok, "no evidence lacks %q", row.Name) {
			assert.Error(t, table.Prove(evidence), "%q is not met", row.Name)
			assert.NoError(t, slices.Delete(slices.Clone(table), i, i+1).Prove(evidence), "another row refuses what lacks %q", row.Name)
		}
	}
	assert.Len(t, lacking, len(table), "evidence for rows that are not there")
}
