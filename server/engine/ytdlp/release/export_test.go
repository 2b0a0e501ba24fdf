package release

import "time"

// Hurry repeats requests at once. Call it before the first use.
func (f *Folder) Hurry() { f.pause = time.Millisecond }
