package transcribe

import (
	"context"
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// stdin is standard input whose reads end with a context, even if no input comes. A plain read
// would wait for the writer of the input.
type stdin struct {
	io.Reader // of what passes
	file      io.Reader
	passes    *io.PipeWriter
	begin     sync.Once
}

// interruptible returns a reader of file that ends with ctx.
func interruptible(ctx context.Context, file io.Reader) *stdin {
	from, to := io.Pipe()
	context.AfterFunc(ctx, func() { _ = to.CloseWithError(context.Cause(ctx)) }) // it never fails
	return &stdin{Reader: from, file: file, passes: to}
}

// Read reads. It takes nothing from the file before the first call.
func (s *stdin) Read(b []byte) (int, error) {
	s.begin.Do(func() {
		go func() { // ends with the process: a file cannot be read with a context
			_, err := io.Copy(s.passes, s.file)
			_ = s.passes.CloseWithError(err) // it never fails
		}()
	})
	return s.Reader.Read(b)
}

// isTerminal reports whether a person would have to type the recording.
func (s *stdin) isTerminal() bool {
	f, is := s.file.(*os.File)
	return is && term.IsTerminal(int(f.Fd()))
}
