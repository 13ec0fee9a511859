//go:build !unix

package term

import "os"

func deviceWidth(*os.File) int { return 0 }
