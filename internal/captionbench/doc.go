// Package captionbench holds the reading and writing of captions against others:
// how fast it is, that it finds what they find, and that size does not hurt it.
// It is tests only.
package captionbench
