package search

// Posting is what an index stores about a word in one text.
type Posting struct {
	Text  int    // number of the text in the index
	Hits  int    // number of different times at which the word is said
	Block *Block // the block that has the places

	from, size int // of the places in the block
}

// posting is a posting of text 0.
func posting(hits int, places []byte) Posting {
	return Posting{Hits: hits, Block: &Block{Places: places}, size: len(places)}
}

// places returns the encoded places, or none if the block's places are not read.
func (p Posting) places() []byte {
	if p.from+p.size > len(p.Block.Places) {
		return nil // not read, or damaged
	}
	return p.Block.Places[p.from : p.from+p.size]
}
