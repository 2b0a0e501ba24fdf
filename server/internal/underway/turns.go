package underway

import (
	"context"
	"fmt"
	"sync"
)

// Line is a line of work that waits for a place. An account has one piece of work at a time in the
// line. The rest of its work waits in a line of the account, so that an account with much work does
// not delay the others by more than one piece. It is safe for concurrent use.
type Line struct {
	places chan struct{}

	mu       sync.Mutex
	accounts map[string]*own
}

// own is the line of an account.
type own struct {
	place chan struct{} // has room for one
	work  int           // how much waits or runs
}

// NewLine returns a line with the given number of places: that many pieces of work run at
// the same time.
func NewLine(places int) *Line {
	return &Line{places: make(chan struct{}, places), accounts: map[string]*own{}}
}

// Take waits for the turn of work of an account. The caller calls leave when the work has
// ended. If ctx ends first, the error is that of ctx.
func (l *Line) Take(ctx context.Context, account string) (leave func(), err error) {
	of := l.join(account)
	if err := enter(ctx, of.place); err != nil {
		l.leave(account)
		return nil, err
	}
	if err := enter(ctx, l.places); err != nil {
		<-of.place
		l.leave(account)
		return nil, err
	}
	return func() {
		<-l.places
		<-of.place
		l.leave(account)
	}, nil
}

func enter(ctx context.Context, line chan struct{}) error {
	select {
	case line <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("turns: %w", ctx.Err())
	}
}

func (l *Line) join(account string) *own {
	l.mu.Lock()
	defer l.mu.Unlock()
	of := l.accounts[account]
	if of == nil {
		of = &own{place: make(chan struct{}, 1)}
		l.accounts[account] = of
	}
	of.work++
	return of
}

func (l *Line) leave(account string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if of := l.accounts[account]; of.work == 1 {
		delete(l.accounts, account)
	} else {
		of.work--
	}
}
