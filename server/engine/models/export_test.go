package models

import (
	"time"

	"github.com/cenkalti/backoff/v4"
)

// Hurry tries again at once, and after so long without a byte. Call it before the first use.
func (f *Folder) Hurry(stall time.Duration) {
	f.stall = stall
	f.pause = func() backoff.BackOff { return &backoff.ZeroBackOff{} }
}
