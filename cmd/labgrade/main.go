// Command labgrade grades and explains changelog labs for Apache Flink SQL.
package main

import (
	"os"

	"github.com/labgrade/labgrade/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.System()))
}
