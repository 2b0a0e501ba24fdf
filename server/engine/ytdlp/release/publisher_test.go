package release_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine/models"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp/release"
)

// The compiled-in key is the publisher's, by the fingerprint that yt-dlp's README tells.
func TestPublisher(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("publisher.asc")
	require.NoError(t, err)
	keys, err := openpgp.ReadArmoredKeyRing(bytes.NewReader(text))
	require.NoError(t, err)
	require.Len(t, keys, 1)
	assert.Equal(t, "AC0CBBE6848D6A873464AF4E57CF65933B5A7581", strings.ToUpper(hexOf(keys[0].PrimaryKey.Fingerprint)))
	assert.Empty(t, keys[0].Subkeys)
}

// GnuPG makes the publisher's signatures. These sums were signed with it, by another key.
func TestSignatureOfGnuPG(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, name := range []string{"SHA2-256SUMS", "SHA2-256SUMS.sig"} {
		content, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		b.set("/latest/download/"+name, content)
	}
	_, err := b.PlanNewest(t.Context(), models.Sources{})
	require.ErrorIs(t, err, release.ErrSignature)

	b.options.Publisher, err = os.ReadFile("testdata/publisher.asc")
	require.NoError(t, err)
	b.open(t)
	plan, err := b.PlanNewest(t.Context(), models.Sources{})
	if b.file == "yt-dlp_linux" {
		require.NoError(t, err)
		assert.Equal(t, strings.Repeat("0", 63)+"7", plan.Downloads[0].SHA256)
	} else {
		require.ErrorContains(t, err, "0 times")
	}

	b.options.Publisher = nil // the real publisher's
	b.open(t)
	_, err = b.PlanNewest(t.Context(), models.Sources{})
	require.ErrorIs(t, err, release.ErrSignature)
}
