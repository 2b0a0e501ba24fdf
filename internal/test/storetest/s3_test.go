package storetest_test

import (
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/store/s3store"
)

func TestBucketsAreOfOneTest(t *testing.T) {
	t.Parallel()
	for range 2 {
		b := storetest.NewBucket(t)
		assert.Empty(t, b.Left(t))
		u, err := url.Parse(b.URL)
		require.NoError(t, err)
		bucket, err := s3store.Open(t.Context(), u)
		require.NoError(t, err)
		require.NoError(t, bucket.WriteAll(t.Context(), "a/small", []byte("x"), nil))
		w, err := bucket.NewWriter(t.Context(), "a/large", nil) // in parts
		require.NoError(t, err)
		_, err = io.Copy(w, strings.NewReader(strings.Repeat("x", 20<<20)))
		require.NoError(t, err)
		require.Eventually(t, func() bool { return len(b.Left(t)) > 1 }, time.Minute, 5*time.Millisecond, "a part is there")
		require.NoError(t, w.Close())
		assert.ElementsMatch(t, []string{"a/small", "a/large"}, b.Left(t))
		require.NoError(t, bucket.Close())
	}
}
