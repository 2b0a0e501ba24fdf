package service

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// OwnYtDlp returns the yt-dlp that make setup has installed in the checkout from which this
// program was built. If there is none, OwnYtDlp returns "yt-dlp", which is looked up like every
// other program. The same holds if a stranger owns the file, as the program may run on another
// machine than the one that built it.
func OwnYtDlp() string {
	_, source, _, _ := runtime.Caller(0) // a program that was built with -trimpath has no absolute path here
	program := filepath.Join(filepath.Dir(source), "..", "..", "..", "bin", "yt-dlp", "bin", "yt-dlp")
	file, err := os.Stat(program)
	if err != nil || !filepath.IsAbs(program) {
		return elsewhere
	}
	if owner := file.Sys().(*syscall.Stat_t).Uid; owner != 0 && int(owner) != os.Getuid() { //nolint:forcetypeassert // package os promises the type
		return elsewhere
	}
	return program
}

// elsewhere is the name of a yt-dlp that is not the checkout's.
const elsewhere = "yt-dlp"
