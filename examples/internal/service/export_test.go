package service

// YtDlpAt returns what [YtDlp], [YtDlpOrigin] and [YtDlpCure] return on a machine with these
// places.
func YtDlpAt(checkout, own, pulled string) (first string, origin, cure func(program string) string) {
	p := ytDlpPlaces{checkout, own, pulled}
	return p.first(), p.origin, p.cure
}
