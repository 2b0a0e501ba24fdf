package client_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library"
)

const libraryURL = base + "/v1/library/transcripts"

// libraryOf answers with pages of two of n rows.
func libraryOf(mt *httpmock.MockTransport, n int) {
	mt.RegisterResponder(http.MethodGet, libraryURL, func(r *http.Request) (*http.Response, error) {
		at := 1
		if page := r.URL.Query().Get("page"); page != "" {
			_, _ = fmt.Sscan(page, &at) // the client's own
		}
		items := []object{}
		for i := 2 * (at - 1); i < min(2*at, n); i++ {
			items = append(items, object{"kind": "transcript", "id": fmt.Sprint(i), "platform": "video_site", "lang": "en", "errorCode": nil})
		}
		return httpmock.NewJsonResponse(200, object{"transcripts": items, "total": n, "page": at, "pageSize": 2, "langs": []string{"en"}, "more": 1})
	})
}

func TestLibraryPages(t *testing.T) {
	t.Parallel()
	c, mt := mocked(t)
	libraryOf(mt, 5)
	all := c.Library.All(t.Context(), library.Query{})
	for range 2 { // it begins anew each time
		var ids []string
		for item, err := range all {
			require.NoError(t, err)
			ids = append(ids, item.ID)
		}
		assert.Equal(t, []string{"0", "1", "2", "3", "4"}, ids)
	}
	assert.Equal(t, 6, mt.GetTotalCallCount())
	for item, err := range all {
		require.NoError(t, err)
		assert.Equal(t, "0", item.ID)
		break
	}
	assert.Equal(t, 7, mt.GetTotalCallCount(), "pages are asked for when they are needed")
	page, err := c.Library.List(t.Context(), library.Query{Page: 4, Platform: library.Batches, View: library.Starred, Sort: library.Title, Lang: "en", Q: "a&b", PageSize: 2})
	require.NoError(t, err)
	assert.Equal(t, 5, page.Total)
	assert.Empty(t, page.Transcripts)
}
