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
-- the statements of the step print
