package uploads

import (
	"context"
	"sync"
	"time"
)

// handover is how long a request waits until the previous request has stored its last bytes.
const handover = 5 * time.Second

// appends are the requests of this process that append to uploads. The zero value is ready.
type appends struct {
	mu      sync.Mutex
	running map[*appending]bool
}

// appending is one request.
type appending struct {
	account, upload string // upload is the id
	stop            func() // ends the request's body
	ended           chan struct{}
}

// begin notes a request, until the caller calls end.
func (a *appends) begin(account, upload string, stop func()) (end func()) {
	one := &appending{account, upload, stop, make(chan struct{})}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running == nil {
		a.running = map[*appending]bool{}
	}
	a.running[one] = true
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.running, one)
		close(one.ended)
	}
}

// stop ends the requests that append to an upload of an account, and waits until they have stored
// what has arrived. A request that needs longer than handover for this, or that another process serves,
// can append nothing once the upload is taken over.
func (a *appends) stop(ctx context.Context, account, upload string) {
	patience := time.NewTimer(handover)
	defer patience.Stop()
	for _, one := range a.of(account, upload) {
		one.stop()
		select {
		case <-one.ended:
		case <-patience.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (a *appends) of(account, upload string) (all []*appending) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for one := range a.running {
		if one.account == account && one.upload == upload {
			all = append(all, one)
		}
	}
	return all
}
