package pasttext

// Difference and Older are for tests.
var (
	Difference = difference
	Older      = older
)
