package whisper

import (
	"io/fs"
	"os"
	"path/filepath"
)

// A published whisper-cli loads at run time what suits the processor: the library
// libggml-cpu-NAME that it finds by reading the folder that it lies in, and then its
// current directory. The first is named among what it reads; the second is empty and its
// own, so that no upload can bring a library.

// libraryFolder is the program's folder where ggml's libraries lie beside it, and "" where
// they do not: a folder of anything else stays closed to it.
func (c *CLI) libraryFolder() string {
	path, err := c.host.Programs.Look(c.program)
	if err != nil {
		return "" // the start fails with the reason
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "" // as above
	}
	dir := filepath.Dir(path)
	if found, _ := fs.Glob(os.DirFS(dir), "libggml*"); found == nil { // the only error is a bad pattern
		return ""
	}
	return dir
}
