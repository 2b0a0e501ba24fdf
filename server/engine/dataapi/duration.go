package dataapi

import (
	"math"
	"regexp"
	"strconv"
)

// iso8601 matches the durations that the API writes, which can have days and weeks.
var iso8601 = regexp.MustCompile(`\AP(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?\z`)

// seconds reads a duration such as "PT1H2M3S" and rounds half up. It returns nil for a duration
// that cannot be read, and for a duration of zero: the API writes "P0D" for a broadcast that is
// live or has not begun.
func seconds(text string) *int {
	parts := iso8601.FindStringSubmatch(text)
	if parts == nil {
		return nil
	}
	total := 0.0
	for n, unit := range []float64{7 * 24 * 3600, 24 * 3600, 3600, 60, 1} {
		if part := parts[n+1]; part != "" {
			value, err := strconv.ParseFloat(part, 64)
			if err != nil {
				return nil
			}
			total += value * unit
		}
	}
	if total == 0 {
		return nil
	}
	return new(int(math.Floor(total + 0.5)))
}
