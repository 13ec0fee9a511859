package codes

import "github.com/labgrade/labgrade/report"

func facts() []Code {
	return []Code{
		{"LG-FACT-001", "The SQL lacks something that the task asks for", report.Error,
			"Read the task again: it names what the statement must use.",
			"Some tasks are about a certain function, clause or statement, not only about the result. labgrade looks for its words in the .sql file, outside of comments and quotes, in any case."},
		{"LG-FACT-002", "The SQL uses something that the task rules out", report.Error,
			"Find another way that does without it.",
			"The task says what the statement must not use, since it would hide the problem or bring a new one. The line shows where it stands. What is in comments does not count."},
		{"LG-FACT-003", "The table has no watermark", report.Error,
			"Add WATERMARK FOR column AS expression to the CREATE TABLE.",
			"Without a watermark Flink has no event time: windows, interval joins, temporal joins and MATCH_RECOGNIZE over the column are refused, or never know that a time is over."},
		{"LG-FACT-004", "The watermark has another delay than the task asks for", report.Error,
			"Compare the expression behind WATERMARK FOR ... AS with the task.",
			"AS ts says that no row comes later than one that was already seen: every row out of order is late, and windows drop it. AS ts - INTERVAL '5' SECOND waits for rows that are up to five seconds behind, and keeps results back as long."},
		{"LG-FACT-005", "The statements stand in another order", report.Error,
			"Put the statements into the order of the task.",
			"A script runs from top to bottom: a setting holds for the statements behind it, and a view or table must be there before it is used."},
		{"LG-FACT-006", "A setting is missing or has another value", report.Error,
			"Put SET 'key' = 'value'; before the query.",
			"Key and value stand in single quotes. The last SET of a key counts, and it holds for the statements behind it."},
		{"LG-FACT-007", "A table is declared otherwise than the task asks for", report.Error,
			"Compare CREATE TABLE with the task.",
			"The task asks for a table of this name with certain options. The file has no such table, or declares it otherwise."},
	}
}
