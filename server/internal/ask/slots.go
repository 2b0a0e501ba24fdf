package ask

import "context"

// slots limit how many questions of one kind are sent to platforms at the same time. They
// also hold the context that ends with the service.
type slots struct {
	ctx    context.Context // ends when the service stops
	cancel context.CancelFunc
	taken  chan struct{}
}

func newSlots(n int) *slots {
	ctx, cancel := context.WithCancel(context.Background())
	return &slots{ctx: ctx, cancel: cancel, taken: make(chan struct{}, n)}
}

// take waits for a free slot, at most until ctx ends. The caller returns the slot.
func (s *slots) take(ctx context.Context) error {
	select {
	case s.taken <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if ctx.Err() != nil { // both cases were ready
		s.give()
		return context.Cause(ctx)
	}
	return nil
}

func (s *slots) give() { <-s.taken }

// stop ends all questions and waits for them, at most until ctx ends. After an error it
// may be called again.
func (s *slots) stop(ctx context.Context) error {
	s.cancel()
	taken := 0
	defer func() {
		for range taken {
			s.give()
		}
	}()
	for ; taken < cap(s.taken); taken++ {
		if err := s.take(ctx); err != nil {
			return err
		}
	}
	return nil
}
