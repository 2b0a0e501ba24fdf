package transcript

// Chunk is a piece of a transcript, short enough for a language model.
type Chunk struct {
	// ID identifies the chunk. It stays the same if the transcript is made again with
	// the same text at the same place.
	ID       string  `json:"id"`
	Index    int     `json:"index" minimum:"0"`    // its position among all chunks of the transcript, from 0
	Start    float64 `json:"start" minimum:"0"`    // seconds from the start of the media
	Duration float64 `json:"duration" minimum:"0"` // how long it is, in seconds
	// Joiner is what to write between the previous chunk and the part of this chunk
	// that does not overlap with it. It is a line feed if a chapter begins, and empty
	// for the first chunk and where a word or a text without spaces is cut. Otherwise
	// it is a space. If the chunks do not overlap, concatenating the joiner and the
	// text of each chunk, in order, gives the whole text.
	Joiner string `json:"joiner"`
	Text   string `json:"text"` // the text of the chunk
	// Speakers are those who speak in the chunk, each once, in the order of their first
	// words. It is empty if no speaker is known.
	Speakers []string `json:"speakers,omitempty"`
	Chapter  string   `json:"chapter,omitempty"` // the title of its chapter; empty if the platform names no chapters
	// URL is a link to this place in the media; nil if the platform has no such links.
	URL *string `json:"url" format:"uri"`
}

// The values of [Chunk].Joiner.
const (
	JoinNothing = ""   // the first chunk, or a cut inside a word or a text without spaces
	JoinSpace   = " "  // any other cut
	JoinLine    = "\n" // the chunk begins a chapter
)

// DefaultChunkChars is the default of [ChunkOptions].MaxChars.
const DefaultChunkChars = 1500

// ChunkOptions say how package chunk cuts a transcript. The zero value means chunks of
// at most [DefaultChunkChars] that do not overlap. A character is a grapheme cluster of
// Unicode: a family of emoji is one character.
type ChunkOptions struct {
	// MaxChars is the largest number of characters in a chunk. 0 or less means
	// [DefaultChunkChars].
	MaxChars int
	// OverlapChars is how many characters from the end of a chunk may be repeated at the
	// start of the next: whole sentences or segments if they fit, otherwise words. The
	// overlap counts towards MaxChars, and is at most half of MaxChars. It is shortened if
	// the next sentence would not fit beside it.
	OverlapChars int
}
