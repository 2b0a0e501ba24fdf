package enginetest

import (
	"math"

	"github.com/transcriptkit/transcriptkit/server/engine"
)

// frameLength is the resolution of [DiarizationErrorRate], in seconds.
const frameLength = 0.01

// DiarizationErrorRate returns the time in which got differs from want, divided by the time that
// people speak in want. It counts the time of speakers who are missed, of speakers who do not speak,
// and of wrong speakers, for the best assignment of the speakers of got to those of want. No time
// around the changes of speakers is left out, and people who speak at once count separately. The
// resolution is 10 ms. The rate can exceed 1. If want has no turns, the rate is 0 without turns in
// got, else 1. With more than 14 speakers in both, the assignment may not be the best.
func DiarizationErrorRate(want, got []engine.Turn) float64 {
	frames := 0
	for _, turns := range [][]engine.Turn{want, got} {
		for _, turn := range turns {
			frames = max(frames, frameAt(turn.End, frameLength)+1)
		}
	}
	w, g := bySpeaker(want, frames, frameLength), bySpeaker(got, frames, frameLength)
	together := make([][]int, len(w))
	for i := range w {
		together[i] = make([]int, len(g))
	}
	spoken, wrong := 0, 0
	for f := range frames {
		var wanted, found int
		for i := range w {
			if w[i][f] {
				wanted++
			}
		}
		for j := range g {
			if !g[j][f] {
				continue
			}
			found++
			for i := range w {
				if w[i][f] {
					together[i][j]++
				}
			}
		}
		spoken += wanted
		wrong += max(wanted, found)
	}
	wrong -= bestAssignment(together)
	if spoken == 0 {
		return min(float64(wrong), 1)
	}
	return float64(wrong) / float64(spoken)
}

func frameAt(seconds, length float64) int { return int(math.Round(seconds / length)) }

// bestAssignment returns the largest sum of cells that share no row and no column.
func bestAssignment(cells [][]int) int {
	if len(cells) == 0 {
		return 0
	}
	if len(cells) < len(cells[0]) { // the columns are the smaller side
		turned := make([][]int, len(cells[0]))
		for j := range turned {
			turned[j] = make([]int, len(cells))
			for i := range cells {
				turned[j][i] = cells[i][j]
			}
		}
		cells = turned
	}
	columns := len(cells[0])
	if columns > 14 {
		return greedyAssignment(cells)
	}
	best := make([]int, 1<<columns) // by the set of used columns; -1: not reached
	for i := range best[1:] {
		best[i+1] = -1
	}
	for _, row := range cells {
		for used := len(best) - 1; used >= 0; used-- { // downwards: a row is used once
			for j, value := range row {
				if next := used | 1<<j; next != used && best[used] >= 0 {
					best[next] = max(best[next], best[used]+value)
				}
			}
		}
	}
	sum := 0
	for _, value := range best {
		sum = max(sum, value)
	}
	return sum
}

// greedyAssignment takes the largest cells first.
func greedyAssignment(cells [][]int) int {
	rows, columns, sum := map[int]bool{}, map[int]bool{}, 0
	for range cells[0] {
		bi, bj := -1, -1
		for i, row := range cells {
			for j, value := range row {
				if !rows[i] && !columns[j] && (bi < 0 || value > cells[bi][bj]) {
					bi, bj = i, j
				}
			}
		}
		rows[bi], columns[bj] = true, true
		sum += cells[bi][bj]
	}
	return sum
}
