package codes

import "github.com/labgrade/labgrade/report"

func plan() []Code {
	return []Code{
		{"LG-PLAN-001", "The plan shows no changelog modes", report.Error,
			"Write EXPLAIN CHANGELOG_MODE SELECT ...",
			"A plain EXPLAIN shows the nodes only. With CHANGELOG_MODE each node of the optimized physical plan says which kinds of change it sends: [I] inserts only, [I,UB,UA] updates with the old row, [I,UA] updates without it, D deletes."},
		{"LG-PLAN-002", "The plan is a batch plan", report.Error,
			"SET 'execution.runtime-mode' = 'streaming'; before the EXPLAIN.",
			"In batch mode CHANGELOG_MODE is accepted but prints nothing, since a batch result has no changes; the aggregate is a HashAggregate or SortAggregate, often twice, with local and final phase."},
		{"LG-PLAN-003", "A plan is missing", report.Error,
			"Explain every query of the task, one statement each.",
			"The file has fewer plans than the task asks for, or one of them is of another query. The client stops at the first error of a file, so an error in the first statement hides the plans behind it."},
		{"LG-PLAN-004", "A node has another changelog mode", report.Error,
			"Run the EXPLAIN again and save it unchanged; compare the query and the sink with the task.",
			"The changelog mode follows from two things: what the node can send, and what the nodes above it need. An aggregate can send updates; whether it sends the old rows too (UB) depends on the sink: a sink that can overwrite by key does not need them. Over a source that only appends, everything below the aggregate is [I]."},
		{"LG-PLAN-005", "Rows instead of a plan", report.Error,
			"Put EXPLAIN CHANGELOG_MODE before the SELECT.",
			"The query was run, not explained. EXPLAIN only plans; it starts no job and prints no rows."},
		{"LG-PLAN-006", "The plan is not that of the query", report.Error,
			"Run the EXPLAIN again and save it unchanged.",
			"A line of the physical plan is missing, repeated or changed: no query gives this plan. Plans are trees; each node stands below the one that consumes it."},
		{"LG-PLAN-007", "The parts of the plan do not fit together", report.Error,
			"Run the EXPLAIN again and save it unchanged.",
			"The three parts of the output (syntax tree, physical plan, execution plan) describe one and the same query. Here one part is not what Flink prints for the saved statement."},
		{"LG-PLAN-008", "The plan writes into another sink, or into none", report.Error,
			"Explain INSERT INTO the sink of the task.",
			"What an aggregate must send depends on who consumes it. So it is the INSERT that must be explained, not the SELECT: its plan begins with a Sink node that names the table."},
	}
}

func refusal() []Code {
	return []Code{
		{"LG-REFUSE-001", "The statement was accepted, though it should be refused", report.Error,
			"Run the statement of the task, in the mode and with the tables that it names: streaming mode and the connector filesystem, where it is about a file sink.",
			"The task is to see Flink refuse. In batch mode a file sink takes the final rows without complaint; so do print and blackhole in streaming mode, since they take updates."},
		{"LG-REFUSE-002", "The statement was refused for another reason", report.Error,
			"Mend the other error first, then look at what the sink says.",
			"An error stands in the file, but another one than the task is about: the statement failed before Flink asked whether the sink takes updates."},
		{"LG-REFUSE-003", "The error names another table", report.Error,
			"Insert into the table of the task.",
			"The refusal is of the right kind, but the table has another name than the task gives it."},
		{"LG-REFUSE-004", "The error names another node", report.Error,
			"Insert the query of the task.",
			"The refusal names the node that produces the changes which the sink does not take. Here it belongs to another query: another grouping or aggregate, or a query that deletes, too."},
		{"LG-REFUSE-005", "The error text is incomplete or changed", report.Error,
			"Save the whole message, as the client printed it.",
			"The message begins like Flink's but is not what Flink prints for the saved statement."},
	}
}

func sink() []Code {
	return []Code{
		{"LG-SINK-001", "The sink's folder is missing", report.Error,
			"Set table.dml-sync to true, run the INSERT, and copy the folder that it wrote into your folder.",
			"The sink writes into the folder of its 'path' option, and creates it only when there is something to write. Without SET 'table.dml-sync' = 'true' the client returns as soon as the job is submitted: the folder may not be there yet. The step is not graded until the folder is."},
		{"LG-SINK-002", "The INSERT was run more than once", report.Error,
			"Empty the folder and run the INSERT once.",
			"Each run adds part files of its own (another id in part-<id>-0-0); a table in a folder is the sum of its files. An INSERT into files has no way of replacing what was there."},
		{"LG-SINK-003", "The files are not finished", report.Error,
			"Wait for the job to end (SET 'table.dml-sync' = 'true';), then look at the folder again.",
			"Names that begin with a dot and contain inprogress are files that a job is still writing, or has left behind when it failed. A file sink publishes a file only when it is complete."},
		{"LG-SINK-004", "The change is written with other codes", report.Error,
			"Use TO_CHANGELOG without op_mapping.",
			"The column with the change must hold INSERT, UPDATE_BEFORE, UPDATE_AFTER and DELETE: the names that TO_CHANGELOG writes by default."},
		{"LG-SINK-005", "The files have other columns", report.Error,
			"Declare the sink with the columns of the task.",
			"A CSV file has no header: its columns are known by position only, from the CREATE TABLE of the sink."},
		{"LG-SINK-006", "The folder holds no part files", report.Error,
			"Run the INSERT and copy the files named part-... into the folder.",
			"The folder is there, but nothing in it was written by a file sink: hidden files, _SUCCESS and files of the operating system do not count. The step is not graded until there are part files."},
		{"LG-SINK-007", "The files hold plain rows without changes", report.Error,
			"Insert SELECT * FROM TO_CHANGELOG(...), into a sink whose first column takes the change.",
			"There is no column that says what each row does: this is a batch result or another table."},
		{"LG-SINK-008", "A part file cannot be read", report.Error,
			"Write the sink with 'format' = 'csv' and copy the files unchanged.",
			"The file is not what the CSV format writes: another format, or changed by an editor."},
	}
}

func numbers() []Code {
	return []Code{
		{"LG-REPORT-001", "A number is missing from the report", report.Error,
			"Add the member to the JSON object, with this name.",
			"The report is a JSON object with one integer for each name of the task."},
		{"LG-REPORT-002", "A number is not written as an integer", report.Error,
			"Write the number without quotes and without a decimal point.",
			"A text in quotes is a string, and 11.0 is no integer, even where the value is right."},
		{"LG-REPORT-003", "A number is wrong", report.Error,
			"Count again in your output files.",
			"The number is not what the lab's query gives on the lab's source."},
		{"LG-REPORT-004", "A number is wrong, but it agrees with your own file", report.Error,
			"Mend the output file first, then count again.",
			"The count itself was right: it is what your saved output shows. But that output is wrong, as its own step says."},
		{"LG-REPORT-005", "The update-before rows were counted too", report.Error,
			"Leave the update-before rows out of this number.",
			"An upsert stream overwrites rows by their key, so it sends no old rows: each update is one message instead of two. That is the saving the number is to show."},
		{"LG-REPORT-006", "A number is that of another line", report.Error,
			"Check which number belongs to which name.",
			"The value is right for another name of the report: two numbers were exchanged or one was copied."},
		{"LG-REPORT-007", "The report is no readable JSON", report.Error,
			"Write a JSON object: { \"name\": 1, ... } with double quotes and commas between the members.",
			"The step is not graded until the file can be read."},
		{"LG-REPORT-008", "A name stands twice in the report", report.Error,
			"Keep each name once.",
			"Readers of JSON disagree about which of two equal names counts, so none is taken."},
		{"LG-REPORT-009", "The report has a name that the task does not know", report.Note,
			"Check the spelling if a number is reported missing.",
			"Additional members cost nothing."},
		{"LG-REPORT-010", "Retractions were not counted", report.Error,
			"Count all rows of the log, with every row kind.",
			"Every row of the log is a message, the update-before rows included."},
	}
}
