package client

import (
	_ "embed" // the banner
	"fmt"
)

// banner is what the client shows first when it reads statements from standard input.
//
//go:embed banner.txt
var banner string

// help prints the client's list of commands.
func (s *Session) help() {
	commands := []struct{ name, text string }{
		{"HELP", "Prints the available commands."},
		{"QUIT/EXIT", "Quits the SQL CLI client."},
		{"CLEAR", "Clears the current terminal."},
		{"SET", "Sets a session configuration property. Syntax: \"SET '<key>'='<value>';\". Use \"SET;\" for listing all properties."},
		{"RESET", "Resets a session configuration property. Syntax: \"RESET '<key>';\". Use \"RESET;\" for reset all session properties."},
		{"INSERT INTO", "Inserts the results of a SQL SELECT query into a declared table sink."},
		{"INSERT OVERWRITE", "Inserts the results of a SQL SELECT query into a declared table sink and overwrite existing data."},
		{"SELECT", "Executes a SQL SELECT query on the Flink cluster."},
		{"EXPLAIN", "Describes the execution plan of a query or table with the given name."},
		{"BEGIN STATEMENT SET", "Begins a statement set. Syntax: \"BEGIN STATEMENT SET;\""},
		{"END", "Ends a statement set. Syntax: \"END;\""},
		{"ADD JAR", "Adds the specified jar file to the submitted jobs' classloader. Syntax: \"ADD JAR '<path_to_filename>.jar'\""},
		{"REMOVE JAR", "Removes the specified jar file from the submitted jobs' classloader. Syntax: \"REMOVE JAR '<path_to_filename>.jar'\""},
		{"SHOW JARS", "Shows the list of user-specified jar dependencies. This list is impacted by the --jar and --library startup options as well as the ADD/REMOVE JAR commands."},
	}
	fmt.Fprint(s.out, "The following commands are available:\n\n")
	for _, c := range commands {
		fmt.Fprintf(s.out, "%s\t\t%s\n", s.style(styleBold, fmt.Sprintf("%-19s", c.name)), c.text)
	}
	fmt.Fprintf(s.out, "%s: Make sure that a statement ends with \";\" for finalizing (multi-line) statements.", s.style(styleUnder, "\nHint"))
	fmt.Fprint(s.out, "\nYou can also type any Flink SQL statement, please visit https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sql/overview/ for more details.\n")
}
