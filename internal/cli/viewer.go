package cli

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/checks"
	"github.com/labgrade/labgrade/labs"
)

// viewerFlag is --as: who will read the result.
func viewerFlag(byDefault string) cli.Flag {
	return &cli.StringFlag{Name: "as", Usage: "`WHO` reads the result: learner (what the lab discloses) or staff (everything)", Value: byDefault}
}

// viewerOf reads --as. The clock is taken here, once: a result is for one moment.
func viewerOf(s Streams, who string) (checks.Viewer, error) {
	switch who {
	case "learner":
		return checks.Viewer{Now: s.now()}, nil
	case "staff":
		return checks.Viewer{Staff: true}, nil
	}
	return checks.Viewer{}, Usagef("--as is learner or staff, not %q", who)
}

// hiddenNote says how many steps a learner does not see, and until when; not which.
func hiddenNote(lab *labs.Lab, viewer checks.Viewer) string {
	seen := viewer.Visible(lab)
	n, until := 0, ""
	for i := range lab.Steps {
		step := &lab.Steps[i]
		if slices.Contains(seen, step.ID) {
			continue
		}
		n++
		// The first date is enough: then there is more to see.
		if u := lab.HiddenUntil(step); u != "" && (until == "" || earlier(u, until)) {
			until = u
		}
	}
	switch {
	case n == 0:
		return ""
	case until != "":
		return fmt.Sprintf("not all steps are graded here: %d hidden, until %s or later", n, until)
	}
	return fmt.Sprintf("not all steps are graded here: %d hidden", n)
}

func earlier(a, b string) bool {
	x, errX := labs.ParseUntil(a)
	y, errY := labs.ParseUntil(b)
	return errX == nil && errY == nil && x.Before(y)
}
