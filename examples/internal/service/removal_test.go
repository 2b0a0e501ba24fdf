package service_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
)

// Only the name of the account lets a command go on.
func TestConfirmRemoval(t *testing.T) {
	t.Parallel()
	for typed, agreed := range map[string]bool{"acme\n": true, " acme ": true, "": false, "y\n": false, "acme2\n": false} {
		var told bytes.Buffer
		assert.Equal(t, agreed, service.ConfirmRemoval(t.Context(), &told, strings.NewReader(typed), "acme") == nil, typed)
		assert.Contains(t, told.String(), "This removes acme with all its texts")
	}
	silent, end, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, end.Close())
	assert.ErrorContains(t, service.ConfirmRemoval(t.Context(), &bytes.Buffer{}, silent, "acme"), "nothing was removed")
}
