package recognize

import "context"

// mediaAtOnce is how many uploads, and how many downloads, a process reads at once. More steps may
// hold their sound while somebody listens to it: see Steps.listen.
const mediaAtOnce = 2

// slots bound how many steps of this process do something at once. A step waits for a slot. The work
// on an upload that still arrives takes only a free slot.
type slots chan struct{}

func (s slots) wait(ctx context.Context) (release func(), err error) {
	select {
	case s <- struct{}{}:
		return s.release, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (s slots) try() (release func(), free bool) {
	select {
	case s <- struct{}{}:
		return s.release, true
	default:
		return nil, false
	}
}

func (s slots) release() { <-s }
