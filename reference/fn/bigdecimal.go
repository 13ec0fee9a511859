package fn

import (
	"math/big"

	"github.com/labgrade/labgrade/value"
)

// bigOf and decOfBig cross between 128-bit DECIMALs and big integers, for the
// functions that need more room than 128 bits on their way.
func bigOf(d value.Dec128) *big.Int {
	n := new(big.Int).Lsh(big.NewInt(d.Hi), 64)
	return n.Add(n, new(big.Int).SetUint64(d.Lo))
}

func decOfBig(n *big.Int) value.Dec128 {
	lo := new(big.Int).And(n, new(big.Int).SetUint64(^uint64(0)))
	hi := new(big.Int).Rsh(n, 64)
	return value.Dec128{Hi: hi.Int64(), Lo: lo.Uint64()}
}

func bigPow10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}
