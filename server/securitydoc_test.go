package server_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
)

// The table of SECURITY.md has a bound in each cell. It has the limit of every plan member that is
// one, and every limit of the configuration that it names exists.
func TestTableOfResources(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../SECURITY.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "## What a caller can hold\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	columns := 0
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if columns == 0 {
			columns = len(cells)
		}
		assert.Len(t, cells, columns, line)
		for _, cell := range cells {
			assert.NotEmpty(t, strings.TrimSpace(cell), line)
		}
	}
	assert.Equal(t, 4, columns)

	members := planMembers(t)
	for name, row := range members {
		if strings.HasSuffix(row[2], "`false`") || notHeld[name] {
			continue
		}
		assert.Contains(t, section, "`"+name+"`", "a limit of the plan")
	}
	for _, name := range backticked(section) {
		limit, ofConfig := strings.CutPrefix(name, "Config.Limits.")
		if ofConfig {
			_, found := reflect.TypeFor[server.Limits]().FieldByName(limit)
			assert.True(t, found, name)
		}
	}
}

// notHeld are the members of a plan that bound nothing that a caller holds.
var notHeld = map[string]bool{
	"periodAnchorDay": true, "recognizeBlockedAfterSec": true, "keepLibrarySec": true, "cacheTtlSec": true, "actionLabel": true, "actionUrl": true,
}
