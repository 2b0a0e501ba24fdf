package search

import "strings"

// Merger makes one index of several, and reads and writes them piece by piece. The zero value is
// ready.
type Merger struct {
	inputs []*input
	texts  int
	out    blockWriter
}

// input is an index that is merged.
type input struct {
	more    func() ([]Block, error)
	numbers map[int]int // of the texts: the number in the merged index for the number here
	blocks  []Block     // that are not read yet
	reader  *blockReader

	word     string // of the current entry; "" means that the input has ended
	postings []Posting
}

// Add adds the texts of an index whose numbers are in keep, which is sorted. The texts get the
// next numbers. more returns the blocks of the index in order, some at a time, and none at the
// end. The merger keeps the bytes of the blocks.
func (m *Merger) Add(keep []int, more func() ([]Block, error)) {
	in := &input{more: more, numbers: make(map[int]int, len(keep))}
	for _, text := range keep {
		in.numbers[text] = m.texts
		m.texts++
	}
	m.inputs = append(m.inputs, in)
}

// Next returns the next blocks of the merged index: at least the given number of bytes, or
// all that are left. After the last block it returns none. There is at least one block.
func (m *Merger) Next(bytes int) ([]Block, error) {
	if m.out.blocks == nil {
		m.out.bounds = boundsOfVolume
		m.out.last()
		for _, in := range m.inputs {
			if err := in.next(); err != nil {
				return nil, err
			}
		}
	}
	for full := 0; full < bytes; {
		word := m.leastWord()
		if word == "" {
			blocks := m.out.blocks
			m.out.blocks = []Block{}
			return blocks, nil
		}
		before := len(m.out.blocks)
		postings, err := m.postingsOf(word)
		if err != nil {
			return nil, err
		}
		m.out.add(word, postings)
		for _, b := range m.out.blocks[before-1 : len(m.out.blocks)-1] {
			full += len(b.Words) + len(b.Places)
		}
	}
	last := len(m.out.blocks) - 1
	blocks := m.out.blocks[:last:last]
	m.out.blocks = []Block{m.out.blocks[last]}
	return blocks, nil
}

// leastWord returns the smallest remaining word, or "" at the end.
func (m *Merger) leastWord() (least string) {
	for _, in := range m.inputs {
		if in.word != "" && (least == "" || in.word < least) {
			least = in.word
		}
	}
	return least
}

// postingsOf returns the postings of the smallest word, in the order of the texts.
func (m *Merger) postingsOf(word string) (postings []Posting, err error) {
	for _, in := range m.inputs {
		for in.word == word {
			postings = append(postings, in.postings...)
			if err := in.next(); err != nil {
				return nil, err
			}
		}
	}
	return postings, nil
}

// next goes to the next entry that has kept texts.
func (in *input) next() (err error) {
	for {
		for in.reader == nil || !in.reader.next() {
			if len(in.blocks) == 0 {
				if in.blocks, err = in.more(); err != nil || len(in.blocks) == 0 {
					in.word = ""
					return err
				}
			}
			in.reader, in.blocks = read(&in.blocks[0]), in.blocks[1:]
		}
		in.postings = in.kept(in.reader.append(in.postings[:0]))
		if len(in.postings) == 0 {
			continue
		}
		if in.word = wordOf(string(in.reader.word)); strings.HasPrefix(in.word, mark) {
			in.word = startsWord(in.postings[0].Text)
		}
		return nil
	}
}

// kept returns the postings of kept texts, with their new numbers.
func (in *input) kept(postings []Posting) []Posting {
	kept := postings[:0]
	for _, p := range postings {
		if number, is := in.numbers[p.Text]; is {
			p.Text = number
			kept = append(kept, p)
		}
	}
	return kept
}
