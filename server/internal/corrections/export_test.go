package corrections

// Row is the id of the text's row in the library.
func (t *Text) Row() string { return t.row }

// Apply, Surplus, Retime and PlainLines are for tests.
var (
	Apply      = apply
	Surplus    = surplus
	Retime     = retime
	PlainLines = plainLines
)

// Size is for tests.
type Size = size
