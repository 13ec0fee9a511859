package stream

import "time"

// shift turns instants into the local time in which windows over TIMESTAMP_LTZ are cut,
// and back. Over TIMESTAMP windows are cut in UTC: a nil shift.
type shift struct {
	zone   *time.Location
	saving bool
}

// newShift is the shift of a window over a TIMESTAMP_LTZ column if ltz is true.
func (j *job) newShift(ltz bool) *shift {
	zone := j.rt.Env.Zone
	if !ltz || zone == nil || zone == time.UTC || zone.String() == "UTC" {
		return nil
	}
	s := &shift{zone: zone}
	// Java asks whether the zone's last known rule has daylight saving time.
	first := s.offset(time.Date(2036, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli())
	for m := time.February; m <= time.December; m++ {
		if s.offset(time.Date(2036, m, 1, 0, 0, 0, 0, time.UTC).UnixMilli()) != first {
			s.saving = true
		}
	}
	return s
}

// offset is local time minus UTC in milliseconds at an instant.
func (s *shift) offset(instant int64) int64 {
	_, sec := time.UnixMilli(instant).In(s.zone).Zone()
	return int64(sec) * 1000
}

// local is the local time of an instant, as if it were UTC.
func (s *shift) local(instant int64) int64 {
	if s == nil || instant == MaxWatermark {
		return instant
	}
	return instant + s.offset(instant)
}

// instant is the instant of a local time. As in Java a time that occurs twice is the
// earlier one, and a time that is skipped moves forward by the gap: both use the offset
// before the change.
func (s *shift) instant(local int64) int64 {
	if s == nil || local == MaxWatermark {
		return local
	}
	const day = 24 * 3600 * 1000
	before, after := s.offset(local-day), s.offset(local+day)
	t := local - before
	if before == after || s.offset(t) == before {
		return t
	}
	if u := local - after; s.offset(u) == after {
		return u
	}
	return t
}

// timer is the instant at which a timer for a local time fires: in an hour that is
// skipped its beginning, in one that occurs twice the second.
func (s *shift) timer(local int64) int64 {
	if s == nil || local == MaxWatermark {
		return local
	}
	t := s.instant(local)
	if !s.saving {
		return t
	}
	const hour = 3600 * 1000
	switch next := s.instant(local + hour); {
	case next == t:
		return t - t%hour
	case next-t > hour:
		return t + hour
	}
	return t
}
