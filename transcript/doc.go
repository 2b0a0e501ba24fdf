// Package transcript is the vocabulary that the client and the server share:
// the transcript and its segments, the job that makes one, the events of that
// job, the error codes, and the rules that bind them (which state may follow
// which, which code has which status). It does no I/O.
//
// Times inside a transcript are seconds from the start of the media, as
// numbers with at most three decimals. Times of day are [Time].
package transcript
