package ytdlp

import "context"

// distrust returns why the silence of this release of the program proves nothing; nil: the
// release is tested.
func (d *Downloader) distrust(ctx context.Context) error { return nil }
