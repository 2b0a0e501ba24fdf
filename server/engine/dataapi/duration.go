package dataapi

import (
	"math"
	"regexp"
	"strconv"
)

// iso8601 are the durations that the API writes: of days and weeks too.
var iso8601 = regexp.MustCompile(`\AP(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?\z`)

// seconds reads a duration as "PT1H2M3S", rounded half up. nil is one that cannot be
// read, and one of nothing, which is how the API writes that of what is on the air or yet
// to come: "P0D".
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
