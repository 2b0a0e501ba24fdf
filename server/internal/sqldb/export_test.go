package sqldb

import (
	"context"
	"io"
	"time"
)

// Classified is what every error of the database goes through.
var Classified = classified

// FindProgram finds a program among paths, and returns its path.
func FindProgram(ctx context.Context, name string, server int, paths ...string) (path string, err error) {
	p, err := findProgram(ctx, name, server, paths)
	if err != nil {
		return "", err
	}
	return p.path, nil
}

// RunProgram runs a program without a database, as pg_dump 15 that writes the file /backup.
func RunProgram(ctx context.Context, path string, patience time.Duration, moved func() int64, stdin io.Reader, args ...string) error {
	t := task{args: args, writes: "/backup", moved: moved, patience: patience}
	if stdin != nil {
		t.stdin = &counted{Reader: stdin}
		t.moved = t.stdin.orWorks
	}
	return (&program{"pg_dump", path, 15}).run(ctx, nil, t)
}

// KeptOf is how many bytes are kept of what a program says so many times.
func KeptOf(said string, times int) int {
	var h head
	for range times {
		_, _ = h.Write([]byte(said)) // it never fails
	}
	return len(h.data)
}
