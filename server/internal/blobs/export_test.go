package blobs

import "time"

// SetPatience sets how long the place of the blobs may take.
func (b *Bucket) SetPatience(d time.Duration) { b.patience = d }
