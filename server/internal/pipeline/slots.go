package pipeline

import "context"

// slots bound how many questions to platforms are under way at once, and end with the
// pipeline.
type slots struct {
	ctx    context.Context // ends with the pipeline
	cancel context.CancelFunc
	taken  chan struct{}
}

func newSlots(n int) *slots {
	ctx, cancel := context.WithCancel(context.Background())
	return &slots{ctx: ctx, cancel: cancel, taken: make(chan struct{}, n)}
}

// take waits for a slot, at most until ctx ends. Each that is taken is given back.
func (s *slots) take(ctx context.Context) error {
	select {
	case s.taken <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if ctx.Err() != nil { // both were there
		s.give()
		return context.Cause(ctx)
	}
	return nil
}

func (s *slots) give() { <-s.taken }

// stop ends the questions and waits for them, at most until ctx ends. It may be called
// again.
func (s *slots) stop(ctx context.Context) error {
	s.cancel()
	held := 0
	defer func() {
		for range held {
			s.give()
		}
	}()
	for ; held < cap(s.taken); held++ {
		if err := s.take(ctx); err != nil {
			return err
		}
	}
	return nil
}
