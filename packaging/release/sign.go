package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// purpose keeps a signature of a release from counting as a signature of something else.
const purpose = "transcriptkit"

// checkKey refuses a key that is not there, before the work of minutes.
func (f *flags) checkKey() error {
	if f.Key == "" {
		return nil
	}
	if _, err := os.Stat(f.Key); err != nil {
		return fmt.Errorf("--key: %w", err)
	}
	return nil
}

// sign signs the checksums with a key of OpenSSH, so that "ssh-keygen -Y verify" can check them.
// A key on a token, and the agent of the user, work too.
func (f *folder) sign(ctx context.Context, key string) error {
	if _, err := output(ctx, "", nil, "ssh-keygen", "-Y", "sign", "-q", "-n", purpose, "-f", key, filepath.Join(f.dir, checksumsFile)); err != nil {
		return fmt.Errorf("--key: %w", err)
	}
	return nil
}
