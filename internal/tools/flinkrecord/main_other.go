//go:build !flink

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "flinkrecord needs a real Flink: build it with -tags flink")
	os.Exit(2)
}
