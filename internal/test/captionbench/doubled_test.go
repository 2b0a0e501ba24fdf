//go:build linux

package captionbench_test

import (
	"cmp"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// most is how many times as long a file of twice the size takes at most.
const most = 2.3

// combination is a file of a format whose size is free.
type combination struct {
	format, filling, shape string
	took                   time.Duration // at the largest size that was measured
}

func (c combination) String() string { return fmt.Sprintf("%s, %q, %s", c.format, c.filling, c.shape) }

func (c combination) file(size int) []byte {
	return shapes[c.shape](hostiles[c.format], c.filling, size)
}

// combinations are those of a format: each filling in each shape.
func combinations(format string) (all []combination) {
	for _, filling := range slices.Concat(fillings, hostiles[format].own) {
		if format == "json3" && !strings.HasPrefix(filling, `\`) && !strings.HasPrefix(filling, `"`) {
			filling = strings.Trim(strings.ReplaceAll(fmt.Sprintf("%q", filling), `\x`, `\u00`), `"`)
		}
		for _, shape := range slices.Sorted(maps.Keys(shapes)) {
			all = append(all, combination{format: format, filling: filling, shape: shape})
		}
	}
	return all
}

// Eight times the file takes about eight times as long, whatever is in it.
//
// With -full each file is doubled from 64 KiB to 1 MiB. The 40 fillings of a format that
// take longest there are doubled to 16 MiB, each in the shape in which it takes longest.
// No step takes more than 2.3 times as long as the one before.
func TestScaleOfHostileFiles(t *testing.T) { //nolint:paralleltest // it measures time
	if *full {
		defer keepMemory()()
	}
	for _, format := range slices.Sorted(maps.Keys(hostiles)) {
		t.Run(format, func(t *testing.T) { //nolint:paralleltest // it measures time
			all := combinations(format)
			if *full {
				doubled(t, all)
			} else {
				eightfold(t, all)
			}
		})
	}
}

// keepMemory keeps the memory that was touched once, until the function that it returns
// is called. The collector runs only where timed calls it, or 4 GiB are in use. It gives
// memory back to the system that is more than a tenth of what it sees in use, so it sees
// 4 GiB that nobody touches. Else the first touch of each page counts as the reader's
// time: 200 pages took 90 µs, where the reader took 10 µs.
func keepMemory() (giveBack func()) {
	const used = 4 << 30
	unused := make([]byte, used)
	percent, limit := debug.SetGCPercent(-1), debug.SetMemoryLimit(2*used)
	return func() {
		runtime.KeepAlive(unused)
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}

// eightfold compares files of 4 KiB with files of 32 KiB, and for the three fillings that
// take longest files of 64 KiB with files of 512 KiB: a search through the rest of a cue is
// so fast that it shows in long cues alone.
func eightfold(t *testing.T, all []combination) {
	all = slices.DeleteFunc(all, func(c combination) bool { return c.shape != "large cues" })
	for i := range all {
		all[i].eightfold(t, 4<<10)
	}
	slices.SortStableFunc(all, func(a, b combination) int { return cmp.Compare(b.took, a.took) })
	for _, c := range all[:3] {
		c.eightfold(t, 64<<10)
	}
}

// eightfold compares a file of some size with one of eight times the size.
func (c *combination) eightfold(t *testing.T, small int) {
	const times, most = 8, 20
	const noise = 50 * time.Microsecond
	one, more := measured{file: c.file(small)}, measured{file: c.file(small * times)}
	ratio := 0.0
	for range 5 { // a machine under load makes a try slow, not all of them
		one.measure()
		more.measure()
		if ratio = float64(more.best) / float64(one.best+noise); ratio <= most {
			break
		}
	}
	if ratio > most {
		t.Errorf("%s: %d bytes take %.1f times as long as %d", c, len(more.file), ratio, len(one.file))
	}
	c.took = more.best
}

func doubled(t *testing.T, all []combination) {
	const middle, largest, fillings = 1 << 20, 16 << 20, 40
	var worst step
	for i := range all {
		worst = worse(worst, all[i].double(t, all[i].least(), middle))
	}
	t.Logf("%d files from 64 KiB to 1 MiB: %s", len(all), worst)

	slices.SortStableFunc(all, func(a, b combination) int { return cmp.Compare(b.took, a.took) })
	worst, seen := step{}, map[string]bool{}
	for _, c := range all {
		if !seen[c.filling] && len(seen) < fillings {
			seen[c.filling] = true
			worst = worse(worst, c.double(t, middle, largest))
		}
	}
	t.Logf("%d files from 1 MiB to 16 MiB: %s", len(seen), worst)
}

// step is how many times as long a file takes as one of half its size.
type step struct {
	of    combination
	size  int
	ratio float64
}

func (s step) String() string {
	return fmt.Sprintf("a step takes %.2f times as long at most (%s, %d bytes)", s.ratio, s.of, s.size)
}

func worse(a, b step) step {
	if b.ratio > a.ratio {
		return b
	}
	return a
}

// least is the size from which a file is doubled. The encoding of a SubRip file is found
// by those of its first 64 KiB that are whole lines, once. That takes 2 to 7 ms, so the
// file begins where lines of any length fill the 64 KiB.
func (c combination) least() int {
	if c.format == "srt" && !utf8.ValidString(c.filling) {
		return 256 << 10
	}
	return 64 << 10
}

// double doubles a file, and returns the worst step.
func (c *combination) double(t *testing.T, least, largest int) (worst step) {
	one := measured{file: c.file(least)}
	for range 3 { // the first time touches new memory
		one.measure()
	}
	for size := 2 * least; size <= largest; size *= 2 {
		more := measured{file: c.file(size)}
		ratio := slowdown(&one, &more)
		if ratio > most {
			t.Errorf("%s: %d bytes take %.2f times as long as %d (%v, %v)", c, len(more.file), ratio, len(one.file), more.best, one.best)
		}
		worst = worse(worst, step{*c, size, ratio})
		one = more
	}
	c.took = one.best
	return worst
}

// slowdown is how many times as long the larger one of two files takes. Both are measured
// again as long as that is too much, for 12 times and 10 s at least: what other programs do
// to the caches of the processor makes the tries of a moment slow, and a quadratic reader
// makes all of them slow.
//
// A large file that takes less than 1 ns per byte is as if it took 1 ns: it is only
// searched for the ends of its lines, and whether it is in a cache of the processor makes
// that several times as fast. 16 MiB take 17 ms then, so nothing of size is hidden.
func slowdown(one, more *measured) (ratio float64) {
	const tries, patience = 12, 10 * time.Second
	floor := func(m *measured) float64 { return float64(max(m.best, time.Duration(len(m.file)))) }
	doubled := float64(len(more.file)) / float64(len(one.file)) / 2 // not all files have the very size
	begin := time.Now()
	for try := 0; try < tries || time.Since(begin) < patience; try++ {
		if try > 0 {
			one.measure()
		}
		more.measure()
		if ratio = floor(more) / floor(one) / doubled; ratio <= most {
			break
		}
	}
	return ratio
}

// measured is a file, and the least processor time that reading it has taken.
type measured struct {
	file []byte
	best time.Duration
}

// measure reads the file once more.
func (m *measured) measure() {
	if took := timed(func() { reads(m.file) }); m.best == 0 || took < m.best {
		m.best = took
	}
}

// timed returns the processor time of this thread that something takes.
func timed(do func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	runtime.GC() // of what was done before
	begin := threadTime()
	do()
	return threadTime() - begin
}

// threadTime is the processor time of this thread.
func threadTime() time.Duration {
	var spent unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &spent); err != nil {
		panic(err)
	}
	return time.Duration(spent.Nano())
}
