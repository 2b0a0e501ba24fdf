package pipeline

import "context"

// recognizerSlots bound the recognitions of this process at once. A step waits for a slot. The
// work on an upload that still arrives takes only a free slot.
type recognizerSlots chan struct{}

func (s recognizerSlots) wait(ctx context.Context) (release func(), err error) {
	select {
	case s <- struct{}{}:
		return s.release, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (s recognizerSlots) try() (release func(), free bool) {
	select {
	case s <- struct{}{}:
		return s.release, true
	default:
		return nil, false
	}
}

func (s recognizerSlots) release() { <-s }
