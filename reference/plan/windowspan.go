package plan

import (
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// The lengths of windows: sizes, slides, steps, gaps, offsets.

const noMonths = "Window aggregate only support SECOND, MINUTE, HOUR, DAY as the time unit. MONTH and YEAR time unit are not supported yet."

// groupWindowSpans reads the lengths of TUMBLE, HOP and SESSION in GROUP BY, which may be computed from constants.
func (b *builder) groupWindowSpans(call *rex.Call, w *phys.Window) error {
	want := 1
	switch call.Op {
	case rex.GroupTumble:
		w.Kind = "TUMBLE"
	case rex.GroupHop:
		w.Kind, want = "HOP", 2
	default:
		w.Kind = "SESSION"
	}
	if len(call.Args)-1 > want {
		return flinkerr.Table("%s window with alignment is not supported yet.", w.Kind)
	}
	var spans []int64
	for _, a := range call.Args[1:] {
		l, ok := a.(*rex.Literal)
		if !ok && rex.Constant(a) && rex.Deterministic(a) {
			l, ok = b.evaluate(a)
		}
		switch {
		case !ok && b.cfg.Batch:
			return flinkerr.Table("Only constant window descriptors are supported")
		case !ok:
			return flinkerr.Table("Only constant window descriptors are supported.")
		case l.V.IsNull() && b.cfg.Batch:
			return flinkerr.New("java.lang.NullPointerException", "Cannot invoke \"java.math.BigDecimal.longValue()\" because the return value of \"org.apache.calcite.rex.RexLiteral.getValue()\" is null")
		case !b.cfg.Batch && (l.V.IsNull() || l.T.Kind == value.KindIntervalYearMonth):
			return flinkerr.Table(noMonths)
		case l.T.Kind != value.KindIntervalDayTime:
			return unsupported.New("a group window of months in batch")
		}
		spans = append(spans, l.V.Int())
	}
	w.Size = spans[0]
	if w.Kind == "HOP" {
		w.Slide, w.Size = spans[0], spans[1]
	}
	if b.cfg.Batch || w.Size > 0 && (w.Slide > 0 || w.Kind != "HOP") {
		return nil
	}
	text := map[string]string{
		"TUMBLE": "TumblingWindowAssigner parameters must satisfy size > 0", "HOP": "SlidingWindowAssigner parameters must satisfy slide > 0 and size > 0",
		"SESSION": "SessionWindowAssigner parameters must satisfy 0 < size",
	}[w.Kind]
	return flinkerr.New("java.lang.IllegalArgumentException", "%s", text)
}

// windowFunctionSpans reads the lengths of a window table function, which are literals.
func windowFunctionSpans(args []rex.Expr, w *phys.Window) error {
	var spans []int64
	for _, a := range args {
		l, ok := a.(*rex.Literal)
		switch {
		case !ok:
			return flinkerr.Table("Only constant window descriptors are supported.")
		case l.V.IsNull():
			return unsupported.New("a window length that is NULL")
		case l.T.Kind != value.KindIntervalDayTime:
			return flinkerr.Table(noMonths)
		}
		spans = append(spans, l.V.Int())
	}
	switch w.Kind {
	case "TUMBLE", "SESSION":
		w.Size, spans = spans[0], spans[1:]
	default:
		w.Slide, w.Size, spans = spans[0], spans[1], spans[2:]
	}
	if len(spans) > 0 {
		w.Offset = spans[0]
	}
	switch {
	case w.Size <= 0 && w.Kind == "TUMBLE":
		return flinkerr.Validation("TUMBLE table function based aggregate requires size to be positive, but got %d ms.", w.Size)
	case w.Size <= 0 || w.Slide < 0 || w.Slide == 0 && w.Kind != "TUMBLE" && w.Kind != "SESSION":
		return unsupported.New("%s with a length that is not positive", w.Kind)
	case max(w.Offset, -w.Offset) >= w.Size && w.Kind == "TUMBLE":
		return flinkerr.Validation("TUMBLE table function parameters must satisfy abs(offset) < size, but got size %d ms and offset %d ms.", w.Size, w.Offset)
	case max(w.Offset, -w.Offset) >= w.Size:
		return unsupported.New("%s with an offset beyond its size", w.Kind)
	case w.Kind == "CUMULATE" && w.Size%w.Slide != 0:
		return flinkerr.Validation("CUMULATE table function based aggregate requires maxSize must be an integral multiple of step, but got maxSize %d ms and step %d ms.", w.Size, w.Slide)
	}
	return nil
}
