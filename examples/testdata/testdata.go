// Package testdata holds the recording that examples and tests share.
package testdata

import _ "embed" // for Talk

// Talk is an Ogg file of 40 seconds of English: talk.txt, read aloud.
//
//go:embed talk.ogg
var Talk string
