// Package library has the types of an account's library: its saved transcripts, its
// running and failed jobs, its batches, and the results of a search in its texts.
package library
