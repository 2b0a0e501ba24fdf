package transcript

import "fmt"

// LengthText returns a length in seconds as M:SS, or as H:MM:SS from one hour on. A
// negative length is 0:00.
func LengthText(seconds int) string {
	s := max(seconds, 0)
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}
