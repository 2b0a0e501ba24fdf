// Package captionbench compares the reading and writing of captions with other libraries: the
// speed, the cues that are found, and the effect of size. It contains only tests.
package captionbench
