//go:build unix

package captionbench_test

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"syscall"
	"time"
)

const (
	rounds = 11
	// slice is the least processor time that one side is measured for in a row.
	slice = 50 * time.Millisecond
)

// comparison is what we do against what another does with the same input.
type comparison struct {
	name         string
	cues, bytes  int // of the input
	goal         goal
	ours, theirs func() error
}

// goal is what a comparison has to show; 0 is no goal, but for allocs.
type goal struct {
	faster float64 // theirs takes at least so many times our time
	slower float64 // or: ours takes at most so many times their time
	allocs float64 // for a cue, on our side
}

// result is what the rounds of a comparison gave.
type result struct {
	ratios       []float64 // by round
	ours, theirs cost      // in the round of the median
}

// cost is what doing something once took, on average.
type cost struct {
	cpu    time.Duration
	allocs float64
}

// measure does both sides in turn, each round in the other order, and takes the
// ratio by round: what slows the machine for a while slows both.
func (c comparison) measure() (result, error) {
	type round struct {
		ratio        float64
		ours, theirs cost
	}
	sides := []func() error{c.ours, c.theirs}
	for _, side := range sides { // both are warm from the first round on
		if err := side(); err != nil {
			return result{}, err
		}
	}
	all := make([]round, rounds)
	for i := range all {
		var spent [2]cost
		for k := range sides {
			k = (i + k) % 2
			var err error
			if spent[k], err = spend(sides[k]); err != nil {
				return result{}, err
			}
		}
		r := &all[i]
		r.ours, r.theirs = spent[0], spent[1]
		r.ratio = float64(r.theirs.cpu) / float64(r.ours.cpu)
		if c.goal.slower > 0 {
			r.ratio = 1 / r.ratio
		}
	}
	slices.SortFunc(all, func(a, b round) int { return cmp.Compare(a.ratio, b.ratio) })
	middle := all[rounds/2]
	r := result{ours: middle.ours, theirs: middle.theirs}
	for _, of := range all {
		r.ratios = append(r.ratios, of.ratio)
	}
	return r, nil
}

// spend does it for a slice. The time is that of all processors in user and kernel
// mode, so the collector's work on what a side allocates counts. Before, outside
// of that time, everything is collected, for both sides alike: none pays for what
// the other has left.
func spend(do func() error) (cost, error) {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n, begin, spent := 0, cpu(), time.Duration(0)
	for spent < slice {
		if err := do(); err != nil {
			return cost{}, err
		}
		n++
		spent = cpu() - begin
	}
	runtime.ReadMemStats(&after)
	// Rounded down as testing.AllocsPerRun does: the runtime allocates now and then.
	allocs := math.Floor(float64(after.Mallocs-before.Mallocs) / float64(n))
	return cost{spent / time.Duration(n), allocs}, nil
}

// cpu is the processor time of this process.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
