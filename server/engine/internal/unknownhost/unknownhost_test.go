package unknownhost_test

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/unknownhost"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestOf(t *testing.T) {
	t.Parallel()
	lookup := &net.DNSError{Err: "no such host", Name: "video.example", IsNotFound: true}
	e := unknownhost.Of(&url.Error{Op: "Get", URL: "https://me:secret@video.example/", Err: fmt.Errorf("dial: %w", lookup)})
	require.ErrorIs(t, e, transcript.UpstreamFailed)
	assert.Equal(t, "This machine cannot reach video.example. "+engine.CureNetwork, e.Message)
	assert.Equal(t, engine.CureNetwork, e.Cure)
	assert.Contains(t, e.Cure, "transcriptd doctor --network")
	require.ErrorIs(t, e, lookup)
	assert.NotContains(t, e.Error(), "secret")

	assert.Nil(t, unknownhost.Of(errors.New("connection refused")))
	assert.Nil(t, unknownhost.Of(nil))
}

func TestNamedIsOneShortLine(t *testing.T) {
	t.Parallel()
	e := unknownhost.Named("a\n\x1b[31m" + strings.Repeat("b", 10_000))
	assert.NotContains(t, e.Message, "\n")
	assert.NotContains(t, e.Message, "\x1b")
	assert.Less(t, len(e.Message), 500)
}
