package whisper

import (
	"io/fs"
	"os"
	"path/filepath"
)

// A published program of whisper.cpp loads the library for the processor at run time: it looks for
// libggml-cpu-NAME in the program's own folder and then in the current directory. The program
// may read its own folder. The current directory is fresh and empty, so that no upload can
// bring a library.

// libraryFolder returns the program's folder if it holds ggml's libraries, otherwise "". The
// program gets no access to other folders.
func (p *program) libraryFolder() string {
	path, err := p.host.Programs.Look(p.command)
	if err != nil {
		return "" // the start fails with the reason
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "" // as above
	}
	dir := filepath.Dir(path)
	if found, _ := fs.Glob(os.DirFS(dir), "libggml*"); found == nil { // only a bad pattern is an error
		return ""
	}
	return dir
}
