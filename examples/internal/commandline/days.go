package commandline

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// mostDays is the longest time, in days: a hundred years.
const mostDays = 100 * 365

// Days is a flag: a number of days such as "90d", or a Go duration such as "36h". The zero
// value is a flag that is not set.
type Days time.Duration

// UnmarshalText is called by the parser of a command line. The error shows the text.
func (d *Days) UnmarshalText(text []byte) error {
	read, err := parseDays(string(text))
	if err != nil || read <= 0 {
		return fmt.Errorf("%q is not a time such as 90d or 36h", text)
	}
	*d = Days(read)
	return nil
}

func parseDays(s string) (time.Duration, error) {
	number, inDays := strings.CutSuffix(s, "d")
	if !inDays {
		return time.ParseDuration(s)
	}
	n, err := strconv.Atoi(number)
	if err != nil || n > mostDays {
		return 0, errors.New("not a number of days")
	}
	return time.Duration(n) * 24 * time.Hour, nil
}
