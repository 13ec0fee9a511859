SET 'execution.runtime-mode' = 'batch';
SET 'sql-client.execution.result-mode' = 'tableau';
CREATE TABLE visits (
  visit_id INT,
  user_id STRING,
  page STRING,
  ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '10' SECOND
) WITH (
  'connector' = 'filesystem',
  'path' = 'file:///lab/data/visits.csv',
  'format' = 'csv'
);
SELECT visit_id, TIMESTAMPDIFF(SECOND, ts, CAST(PROCTIME() AS TIMESTAMP(3))) AS age
FROM visits;
