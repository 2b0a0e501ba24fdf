// Package caption reads caption files into segments, and cleans up what machines
// have written.
//
//	f, err := caption.ReadAny(file)
//	segments := caption.Unroll(f.Segments) // rolling captions of an automatic track
//
// WebVTT, SubRip, TTML and the three formats of the big video site (srv1, srv3 and
// json3) each have a reader that returns a whole [File], and one that is a sequence
// and holds one cue at a time however long the file is. [ReadAny] and [Any] find
// out which of them a file is. All of them tell how many cues they lost.
//
// What a reader finds stays as it stands in the file: cues may overlap, and the
// repeated lines of rolling captions stay repeated. [Unroll] makes clean segments
// of those, [DropSounds] leaves out what is not spoken, and [Unescape] decodes what
// is encoded twice.
//
// A control character in a text becomes U+FFFD, or a space where it is white space, as
// in package format.
//
// The package fetches nothing and bounds no file: a caller that reads from a network
// limits the reader and checks that the body arrived whole. The time that a file takes
// grows with its size, whatever the file holds; [Until] cancels the reading.
package caption
