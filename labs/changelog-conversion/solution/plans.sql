SET 'execution.runtime-mode' = 'streaming';
SET 'sql-client.execution.result-mode' = 'tableau';
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
CREATE TABLE sums_upsert (name STRING, score INT, PRIMARY KEY (name) NOT ENFORCED) WITH ('connector' = 'blackhole');
EXPLAIN CHANGELOG_MODE
INSERT INTO sums_print
SELECT name, SUM(score) FROM FROM_CHANGELOG(input => TABLE points_log) GROUP BY name;
EXPLAIN CHANGELOG_MODE
INSERT INTO sums_upsert
SELECT name, SUM(score) FROM FROM_CHANGELOG(input => TABLE points_log) GROUP BY name;
