// Package caption reads caption files into segments, and cleans up automatic captions.
//
//	f, err := caption.ReadAny(file)
//	segments := caption.Unroll(f.Segments) // rolling captions of an automatic track
//
// WebVTT, SubRip, SBV, ASS, TTML, the three formats of the big video site (srv1, srv3 and
// json3), and the JSON of podcasts and of Whisper each have two readers: a function that returns a whole [File], and a sequence
// that keeps only one cue in memory. [ReadAny] and [Any] detect the format of a file.
// All readers report the number of lost cues.
//
// A reader keeps the cues of the file: cues may overlap, and the repeated lines of
// rolling captions stay repeated. [Unroll] makes clean segments of rolling captions,
// and [DropSounds] leaves out sounds.
//
// Characters without a width are left out, but for joiners in the scripts and emoji that
// need them. A control character in a text becomes U+FFFD, or a space if it is white space, as in
// package format.
//
// The package does not limit the size of a file: a caller that reads from a network
// must limit the reader and check that the body is complete. The time to read a file is
// linear in its size. [Until] cancels the reading.
package caption
