package dataapi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/dataapi"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
)

func TestDiscovery(t *testing.T) {
	t.Parallel()
	enginetest.Discovery(t, enginetest.DiscoveryBackend{
		Serve: fake,
		New: func(_ engine.Host, base string) engine.Discovery { // the operator's own address is not the guard's business
			d, err := dataapi.New(dataapi.Options{Key: key, BaseURL: base})
			assert.NoError(t, err)
			return d
		},
	})
}
