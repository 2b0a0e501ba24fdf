package web

import "github.com/transcriptkit/transcriptkit/transcript"

// usualDays is for how long pages have a recording kept if the visitor chooses no time.
const usualDays = 7

// Keeping describes for how long a visitor may have recordings kept.
type Keeping struct {
	Times []KeepTime // at least one, in ascending order
	Usual int64      // days that the page has chosen; 0: it keeps no recording
	Room  *int64     // bytes that are left for recordings; nil: any number
}

// UsualSec returns Usual in seconds.
func (k *Keeping) UsualSec() int64 { return k.Usual * day }

const day = 24 * 60 * 60 // seconds

// KeepTime is a time for which a recording may be kept.
type KeepTime struct{ Days, Seconds int64 }

// KeepingOf returns what a plan permits; nil if it keeps no recording for a day. The page chooses
// the plan's longest time up to a week, if a recording of so many bytes has room.
func KeepingOf(u *transcript.Usage, bytes int64) *Keeping {
	var k Keeping
	for _, days := range []int64{1, usualDays, 30, 365} {
		if most := u.Limits.MaxKeepMediaSec; most == nil || days*day <= *most {
			k.Times = append(k.Times, KeepTime{days, days * day})
		}
	}
	if k.Times == nil {
		return nil
	}
	if u.KeptMedia.Limit != nil {
		left := max(*u.KeptMedia.Limit-u.KeptMedia.Bytes, 0)
		k.Room = &left
	}
	if k.Room == nil || bytes <= *k.Room {
		k.Usual = min(usualDays, k.Times[len(k.Times)-1].Days)
	}
	return &k
}
