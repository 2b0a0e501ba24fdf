package apitest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/apitest"
)

// What is documented and was never answered is named; an answer that fits no
// operation or no status takes nothing from that.
func TestUnseen(t *testing.T) {
	t.Parallel()
	d, err := apitest.Parse([]byte(`{
		"openapi": "3.1.0", "info": {"title": "T", "version": "1"},
		"paths": {
			"/thing": {
				"parameters": [],
				"get": {"operationId": "getThing", "responses": {"200": {}, "404": {"$ref": "#/components/responses/Gone"}}},
				"delete": {"responses": {"202": {}}}
			},
			"/thing/{id}": {"get": {"operationId": "getOne", "responses": {"200": {}}}}
		},
		"components": {"responses": {"Gone": {"description": "gone"}}}
	}`))
	require.NoError(t, err)
	all := []string{"DELETE /thing 202", "getOne 200", "getThing 200", "getThing 404"}
	assert.Equal(t, all, d.Unseen())
	for _, c := range []struct {
		exchange
		left []string
	}{
		{exchange{method: http.MethodGet, path: "/thing", status: 418}, all},
		{exchange{method: http.MethodGet, path: "/nothing", status: 200}, all},
		{exchange{method: http.MethodGet, path: "/thing", status: 404}, all[:3]},
		{exchange{method: http.MethodGet, path: "/thing", status: 404}, all[:3]},
		{exchange{method: http.MethodGet, path: "/thing/1", status: 200}, []string{all[0], all[2]}},
		{exchange{method: http.MethodDelete, path: "/thing", status: 202}, all[2:3]},
	} {
		client := &http.Client{Transport: d.Transport(fake(c.exchange), func(error) {})}
		resp, err := client.Do(request(t, c.exchange))
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, c.left, d.Unseen(), "%s %s %d", c.method, c.path, c.status)
	}
}
