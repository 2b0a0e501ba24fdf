// Package caption reads caption files into segments.
//
//	segments, err := caption.ReadWebVTT(file)
//
// [WebVTT] is the same as a sequence, which holds one cue at a time however long
// the file is. What a reader finds stays as it stands in the file: cues may
// overlap, and the repeated lines of rolling captions stay repeated.
//
// The package fetches nothing and bounds no file: whoever reads from a network
// limits the reader and sees to it that the body arrived whole.
package caption
