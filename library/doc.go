// Package library has the words of an account's library: what it has saved, what is
// on its way and what has failed, its batches, and what is found in the texts.
package library
