SET 'execution.runtime-mode' = 'streaming';
SET 'sql-client.execution.result-mode' = 'tableau';
SET 'table.dml-sync' = 'true';
CREATE TABLE points_log (
  op STRING,
  name STRING,
  score INT
) WITH (
  'connector' = 'filesystem',
  'path' = 'file:///lab/data/points.csv',
  'format' = 'csv'
);
CREATE TABLE sums_print (name STRING, score INT) WITH ('connector' = 'print', 'print-identifier' = 'sums');
INSERT INTO sums_print
SELECT name, SUM(score) FROM FROM_CHANGELOG(input => TABLE points_log) GROUP BY name;
