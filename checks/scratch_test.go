package checks

import (
	"context"
	"io/fs"
	"os"
	"testing"
)

func TestScratchBig(t *testing.T) {
	g := New(dynamicLab(t), func(string) (fs.File, error) { return os.Open("/tmp/checks/big/clicks.csv") }, Reference())
	c, err := g.Check(context.Background(), os.DirFS("/tmp/checks/big/sub"), []string{"batch","stream","nested","report"})
	t.Log(err, c[0].Outcome, c[0].Facts)
}
