package ytdlp

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/singleflight"
)

// question is a question to a program that is asked again only after the files on which its
// answer depends have changed. The zero value has not been asked.
type question[T any] struct {
	last   atomic.Pointer[answer[T]]
	asking singleflight.Group
}

type answer[T any] struct {
	files []os.FileInfo
	value T
}

// of reports whether the answer came from these files, and none of them was replaced.
func (a *answer[T]) of(files []os.FileInfo) bool {
	return a != nil && slices.EqualFunc(a.files, files, func(x, y os.FileInfo) bool {
		return os.SameFile(x, y) && x.Size() == y.Size() && x.ModTime().Equal(y.ModTime())
	})
}

// get returns the answer. Concurrent callers share one run of ask. The run continues when ctx
// ends, for the next caller, because it takes many seconds on a busy machine.
func (q *question[T]) get(ctx context.Context, files []os.FileInfo, ask func(context.Context) (T, error)) (none T, err error) {
	if known := q.last.Load(); known.of(files) {
		return known.value, nil
	}
	ch := q.asking.DoChan("", func() (any, error) {
		value, err := ask(context.WithoutCancel(ctx))
		if err != nil {
			return nil, err
		}
		q.last.Store(&answer[T]{files, value})
		return value, nil
	})
	select {
	case res := <-ch:
		if res.Err != nil {
			return none, res.Err
		}
		return res.Val.(T), nil
	case <-ctx.Done():
		return none, fmt.Errorf("ytdlp: the program has not answered: %w", context.Cause(ctx))
	}
}
