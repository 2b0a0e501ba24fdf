package corrections

import (
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// maxCompared limits the words of a line, old and new, that are compared: the time grows with
// their product.
const maxCompared = 200

// retime returns the words of a line with a new text. Words that stay keep their times. New
// words share the time between the words that stay. retime returns nil if the words of the line
// are not the parts between its spaces, as in a script without spaces.
func retime(line transcript.Segment, text string) []transcript.Word {
	if len(line.Words) == 0 || len(strings.Fields(line.Text)) != len(line.Words) {
		return nil
	}
	fresh := strings.Fields(text)
	words := make([]transcript.Word, len(fresh))
	stays := staying(line.Words, fresh)
	end := line.Start // of the last word that stays
	for i := 0; i < len(fresh); {
		if stays[i] >= 0 {
			words[i] = line.Words[stays[i]]
			end = words[i].End
			i++
			continue
		}
		to := i
		for to < len(fresh) && stays[to] < 0 {
			to++
		}
		next := line.End()
		if to < len(fresh) {
			next = line.Words[stays[to]].Start
		}
		step := max(next-end, 0) / float64(to-i)
		for k := i; k < to; k++ {
			from := end + float64(k-i)*step
			words[k] = transcript.Word{Text: fresh[k], Start: from, End: from + step}
		}
		i = to
	}
	return words
}

// staying returns for each new word the index of the equal old word, or -1. It finds a longest
// common subsequence, unless the texts are too long.
func staying(old []transcript.Word, fresh []string) []int {
	stays := make([]int, len(fresh))
	for i := range stays {
		stays[i] = -1
	}
	same := func(i, j int) bool { return strings.TrimSpace(old[i].Text) == fresh[j] }
	first := 0
	for ; first < min(len(old), len(fresh)) && same(first, first); first++ {
		stays[first] = first
	}
	m, n := len(old), len(fresh)
	for ; m > first && n > first && same(m-1, n-1); m, n = m-1, n-1 {
		stays[n-1] = m - 1
	}
	if m-first > maxCompared || n-first > maxCompared {
		return stays
	}
	longest := make([][]int, m-first+1) // of the words from i and from j to the end
	for i := range longest {
		longest[i] = make([]int, n-first+1)
	}
	for i := m - first - 1; i >= 0; i-- {
		for j := n - first - 1; j >= 0; j-- {
			longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			if same(first+i, first+j) {
				longest[i][j] = longest[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < m-first && j < n-first; {
		switch {
		case same(first+i, first+j):
			stays[first+j] = first + i
			i, j = i+1, j+1
		case longest[i+1][j] >= longest[i][j+1]:
			i++
		default:
			j++
		}
	}
	return stays
}
