package cli

import (
	"bytes"
	"context"
	"io"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/internal/intake"
	"github.com/labgrade/labgrade/internal/term"
	"github.com/labgrade/labgrade/parse"
	"github.com/labgrade/labgrade/replay"
)

// sinkLogs replays the folder of a filesystem sink that TO_CHANGELOG wrote to: the
// first field of each row is its kind.
func sinkLogs(ctx context.Context, limits intake.Limits, o logOptions) ([]*replayedLog, []parse.Note, error) {
	f, err := intake.Open(o.file, limits)
	if err != nil {
		return nil, nil, ungradable(err)
	}
	defer f.Close()
	l := newSinkLog(o)
	folder, err := parse.ReadSink(f.FS(), ".", parse.SinkOptions{OnRow: l.onRow(ctx)})
	if err != nil {
		return nil, nil, ungradable(err)
	}
	if len(folder.Files) == 0 {
		return nil, nil, Failf(ExitUngradable, "%s holds no part files", term.Safe(o.file))
	}
	return l.done(folder)
}

func sinkFileLog(ctx context.Context, r io.Reader, o logOptions) ([]*replayedLog, []parse.Note, error) {
	l := newSinkLog(o)
	folder, err := parse.ReadSinkFile(r, o.file, parse.SinkOptions{OnRow: l.onRow(ctx)})
	if err != nil {
		return nil, nil, err
	}
	return l.done(folder)
}

// sinkLog is the log in a sink's rows.
type sinkLog struct {
	log replayedLog
	o   logOptions
}

func newSinkLog(o logOptions) *sinkLog {
	l := &sinkLog{o: o}
	// Rows of a sink have no header and no footer, like those of a print sink.
	l.log.block = &parse.Block{Kind: parse.KindTable, What: "sink", Style: parse.StylePrint, HasOp: true, FirstLine: 1, LastLine: 1}
	l.log.gap = -1
	return l
}

func (l *sinkLog) onRow(ctx context.Context) func(*parse.SinkFolder, *parse.SinkRow) error {
	return func(_ *parse.SinkFolder, r *parse.SinkRow) error {
		b := l.log.block
		if r.Blank {
			return nil
		}
		if l.log.cells == nil {
			for _, k := range l.o.key {
				i, err := keyColumn(b, k)
				if err != nil {
					return err
				}
				l.log.key = append(l.log.key, i)
			}
			ro := replay.Options{Key: l.log.key, InferKey: len(l.log.key) == 0, LonePairs: l.o.lone}
			l.log.cells = replay.New(ro)
			if l.o.at > 0 {
				ro.StopAfter, ro.InferKey = l.o.at, false
				l.log.atRep = replay.New(ro)
			}
		}
		k, ok := kindField(r.Fields[0])
		if !ok {
			b.NProblems++
			if len(b.Problems) < 1000 {
				b.Problems = append(b.Problems, parse.Problem{Line: r.Line, Code: parse.ProblemRowKind, Reason: "the first field is no row kind (INSERT, UPDATE_BEFORE, UPDATE_AFTER, DELETE)", Text: string(r.Fields[0])})
			}
			return nil
		}
		b.Counts[k]++
		b.NRows++
		b.LastLine = r.LastLine
		row := parse.Row{Line: r.Line, LastLine: r.LastLine, Kind: k, HasKind: true, Cells: r.Fields[1:]}
		l.log.add(b, &row, l.o)
		return ctx.Err()
	}
}

func (l *sinkLog) done(f *parse.SinkFolder) ([]*replayedLog, []parse.Note, error) {
	if l.log.cells == nil {
		l.log.cells = replay.New(replay.Options{})
	}
	b := l.log.block
	b.NProblems += f.NProblems
	b.Problems = append(b.Problems, f.Problems...)
	if b.NProblems > 0 && l.log.gap < 0 {
		l.log.gap, l.log.gapLine = l.log.rows, b.Problems[0].Line
	}
	l.log.finish()
	notes := f.Notes
	if len(f.Files) > 1 {
		notes = append(notes, parse.Note{Code: parse.NoteAmbiguous, Text: plural(len(f.Files), "file") + " were joined: a line number is that of its own file, a row number counts through"})
	}
	return []*replayedLog{&l.log}, notes, nil
}

func firstField(b []byte) []byte {
	if i := bytes.IndexAny(b, ",\n\r"); i >= 0 {
		b = b[:i]
	}
	return bytes.Trim(bytes.TrimPrefix(b, []byte("\ufeff")), `"`)
}

func opField(b []byte) bool {
	_, ok := changelog.ParseRowKindName(string(b))
	return ok
}

// kindField reads a row kind by its long or its short name.
func kindField(b []byte) (changelog.RowKind, bool) {
	if k, ok := changelog.ParseRowKindName(string(b)); ok {
		return k, ok
	}
	return changelog.ParseRowKind(string(b))
}
