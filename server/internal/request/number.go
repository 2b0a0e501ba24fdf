package request

import (
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Integer is a whole number from least to most. In JSON, 2e3 and 2000.0 are equal to 2000.
func Integer(least, most int) Kind[int] { return integer[int](least, most, 1) }

// Milliseconds is a time from 0 to longest. A request has it as a whole number of milliseconds.
func Milliseconds(longest time.Duration) Kind[time.Duration] {
	return integer(0, int(longest.Milliseconds()), time.Millisecond)
}

// Seconds is a time from 0 to longest. A request has it as a whole number of seconds.
func Seconds(longest time.Duration) Kind[time.Duration] {
	return integer(0, int(longest/time.Second), time.Second)
}

// integer is a whole number of units from least to most.
func integer[T ~int | ~int64](least, most int, unit T) Kind[T] {
	take := func(n int) (T, error) {
		if n < least || n > most {
			return 0, faultf(transcript.IssueRange, "must be from %d to %d", least, most)
		}
		return T(n) * unit, nil
	}
	plain := func(v T) any { return int(v / unit) }
	return kindOf(integers, take, plain, func() Schema { return Schema{"minimum": least, "maximum": most} })
}

// Boolean is true or false.
func Boolean() Kind[bool] {
	take := func(b bool) (bool, error) { return b, nil }
	return kindOf(booleans, take, itself, func() Schema { return Schema{} })
}

// Not is a negated boolean: true in the request is false in the variable.
func Not() Kind[bool] {
	take := func(b bool) (bool, error) { return !b, nil }
	return kindOf(booleans, take, func(v bool) any { return !v }, func() Schema { return Schema{} })
}
