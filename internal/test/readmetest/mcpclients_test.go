package readmetest_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mcpRow is a line of the table of MCP clients: the client, and its two settings.
var mcpRow = regexp.MustCompile("(?m)^\\| (Claude Code|VS Code|Cursor|Zed), [^|]* \\| `([^|]*)` \\| `([^|]*)` \\|$")

// mcpEntry is what the settings of each client say about a server.
type mcpEntry struct {
	Name, Type, Command, URL string
	Args                     []string
	Headers                  map[string]string
}

// entryOf reads a setting: a command line, or JSON with the entry at some depth.
func entryOf(t *testing.T, setting string) (e mcpEntry) {
	t.Helper()
	if words, is := strings.CutPrefix(setting, "claude mcp add "); is {
		if command, is := strings.CutPrefix(words, "transcripts -- "); is {
			return mcpEntry{Command: strings.Fields(command)[0], Args: strings.Fields(command)[1:]}
		}
		over := regexp.MustCompile(`^--transport http transcripts (\S+) --header "([^:]+): ([^"]+)"$`).FindStringSubmatch(words)
		require.NotNil(t, over, words)
		return mcpEntry{URL: over[1], Headers: map[string]string{over[2]: over[3]}}
	}
	if text, is := strings.CutPrefix(setting, "code --add-mcp '"); is {
		require.NoError(t, json.Unmarshal([]byte(strings.TrimSuffix(text, "'")), &e), setting)
		assert.Equal(t, "transcripts", e.Name)
		return e
	}
	var all map[string]map[string]mcpEntry
	require.NoError(t, json.Unmarshal([]byte(setting), &all), setting)
	for _, servers := range all {
		return servers["transcripts"]
	}
	return e
}

// Each client starts "transcriptd mcp", or asks the service at /mcp with a key. TestMCP of
// examples/transcriptd runs the first, and the tests of server/internal/mcp the second.
func TestMCPClients(t *testing.T) {
	t.Parallel()
	rows := mcpRow.FindAllStringSubmatch(read(t, "docs/guides/mcp.md"), -1)
	require.Len(t, rows, 4)
	for _, row := range rows {
		program := entryOf(t, row[2])
		assert.Equal(t, []string{"transcriptd", "mcp"}, append([]string{program.Command}, program.Args...), row[1])
		service := entryOf(t, row[3])
		assert.Equal(t, "http://127.0.0.1:8080/mcp", service.URL, row[1])
		assert.Equal(t, map[string]string{"Authorization": "Bearer KEY"}, service.Headers, row[1])
	}
}
