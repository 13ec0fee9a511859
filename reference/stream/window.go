package stream

import (
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// windowing is a window definition at work. Times are local milliseconds (see shift).
// Windows of TUMBLE, HOP and CUMULATE are made of slices, each known by its end: HOP's
// slices are as long as its slide, CUMULATE's as its step.
type windowing struct {
	phys.Window
	shift *shift
	step  int64
	// attached windows come with the row, in columns StartCol and EndCol.
	attached bool
}

func (j *job) newWindowing(w phys.Window) (*windowing, error) {
	s := &windowing{Window: w, shift: j.newShift(w.LTZ), step: w.Size, attached: w.TimeColumn < 0}
	switch w.Kind {
	case "TUMBLE":
	case "HOP", "CUMULATE":
		s.step = w.Slide
	case "SESSION":
	default:
		return nil, unsupported.New("%s windows", w.Kind)
	}
	if s.step <= 0 {
		return nil, unsupported.New("a window of %d ms", s.step)
	}
	if !w.Rowtime {
		// A bounded file ends before a processing-time window does: it never fires.
		return s, nil
	}
	return s, nil
}

// windowStart is the start of the window of the given size in which t lies.
func windowStart(t, offset, size int64) int64 {
	r := (t - offset) % size
	if r < 0 {
		r += size
	}
	return t - r
}

// time is the local time of a row.
func (w *windowing) time(row value.Row) (int64, error) {
	v := row[w.TimeColumn]
	if v.IsNull() {
		return 0, flinkerr.Runtime("java.lang.RuntimeException",
			"RowTime field should not be null, please convert it to a non-null long value.")
	}
	return w.shift.local(v.Millis()), nil
}

// slice is the end of the slice of a row.
func (w *windowing) slice(row value.Row) (int64, error) {
	if w.attached {
		return row[w.EndCol].Millis(), nil
	}
	t, err := w.time(row)
	if err != nil {
		return 0, err
	}
	return windowStart(t, w.Offset, w.step) + w.step, nil
}

// shared reports whether a slice belongs to several windows.
func (w *windowing) shared() bool { return !w.attached && (w.Kind == "HOP" || w.Kind == "CUMULATE") }

// lastEnd is the end of the last window that holds a slice.
func (w *windowing) lastEnd(slice int64) int64 {
	switch {
	case !w.shared():
		return slice
	case w.Kind == "HOP":
		return slice - w.step + w.Size
	}
	return w.start(slice) + w.Size
}

// target is the slice into which a late slice is merged.
func (w *windowing) target(slice int64) int64 {
	if w.shared() && w.Kind == "CUMULATE" {
		return w.start(slice) + w.step
	}
	return slice
}

// start is the start of the window that ends at end.
func (w *windowing) start(end int64) int64 {
	if w.Kind == "CUMULATE" {
		return windowStart(end-1, w.Offset, w.Size)
	}
	return end - w.Size
}

// firesAt is the time of the timer of a window.
func (w *windowing) firesAt(end int64) int64 { return w.shift.timer(end - 1) }

// fired reports whether a window has fired at a watermark.
func (w *windowing) fired(end, watermark int64) bool {
	return end != MaxWatermark && watermark >= w.firesAt(end)
}

// nextTrigger is the watermark from which buffers are looked at again: the end of the
// slice in which the watermark lies. Flink aligns it to local time only in zones with
// daylight saving, and to UTC elsewhere, so that in such zones windows that do not
// divide the offset lose rows (window.md 29).
func (w *windowing) nextTrigger(watermark int64) int64 {
	if watermark == MaxWatermark {
		return watermark
	}
	var t int64
	if w.shift != nil && w.shift.saving {
		t = w.shift.timer(windowStart(w.shift.local(watermark), w.Offset, w.step) + w.step - 1)
	} else {
		t = windowStart(watermark, w.Offset, w.step) + w.step - 1
	}
	if t <= watermark {
		t += w.step
	}
	return t
}

// properties are the window columns that follow the results.
type properties struct {
	w     *windowing
	names []string
}

func newProperties(w *windowing, names []string) (*properties, error) {
	for _, n := range names {
		switch n {
		case "start", "end", "rowtime", "proctime":
		default:
			return nil, unsupported.New("the window property %s", n)
		}
	}
	return &properties{w, names}, nil
}

// put writes the properties of the window [start, end) to dst.
func (p *properties) put(dst value.Row, start, end int64) {
	for i, n := range p.names {
		switch n {
		case "start":
			dst[i] = value.Timestamp(start, 0)
		case "end":
			dst[i] = value.Timestamp(end, 0)
		case "rowtime":
			dst[i] = value.Timestamp(p.w.shift.instant(end-1), 0)
		default:
			dst[i] = value.Null
		}
	}
}
