package transcript

// Chunk is a piece of a transcript of a size that a language model takes.
type Chunk struct {
	// ID tells chunks apart. If a transcript is made again with the same text at the
	// same place, the ID stays the same.
	ID       string  `json:"id"`
	Index    int     `json:"index" minimum:"0"`    // its place among all chunks of the transcript
	Start    float64 `json:"start" minimum:"0"`    // seconds from the start of the media
	Duration float64 `json:"duration" minimum:"0"` // how long it is, in seconds
	// Joiner stands between the end of the chunk before and what this chunk adds to it: the
	// text without the overlap. It is a line feed where a chapter begins, and empty where a
	// word or a text without spaces is cut, and for the first chunk. Elsewhere it is a space.
	// When chunks do not overlap, their joiners and texts in order are the whole text.
	Joiner  string `json:"joiner"`
	Text    string `json:"text"`              // what is said in it
	Chapter string `json:"chapter,omitempty"` // the title of its chapter, where the platform gives chapters
	// URL leads to the place, on platforms that know such links; nil elsewhere.
	URL *string `json:"url" format:"uri"`
}

// The values of a chunk's Joiner.
const (
	JoinNothing = ""   // the first chunk, or a cut within a word or a text without spaces
	JoinSpace   = " "  // elsewhere
	JoinLine    = "\n" // a chapter begins
)

// DefaultChunkChars is the size of chunks for which nothing else is asked.
const DefaultChunkChars = 1500

// ChunkOptions say how package chunk cuts a transcript. The zero value asks for chunks of
// [DefaultChunkChars] that do not overlap. Characters are what people take for one, the
// grapheme clusters of Unicode: a family of emoji is one character.
type ChunkOptions struct {
	// MaxChars is the most characters that a chunk may have; 0 and less is
	// DefaultChunkChars.
	MaxChars int
	// OverlapChars is how many characters of the end of a chunk may stand again at the
	// start of the next chunk: whole sentences or segments if they fit, else words. The
	// overlap is part of MaxChars, and at most half of MaxChars. The overlap gets
	// shorter if the next sentence would not fit next to the overlap.
	OverlapChars int
}
