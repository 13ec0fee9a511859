-- Flink refuses this INSERT. Why?
SET 'execution.runtime-mode' = 'streaming';
SET 'sql-client.execution.result-mode' = 'tableau';
SET 'table.dml-sync' = 'true';
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
CREATE TABLE page_counts (page STRING, visits BIGINT) WITH (
  'connector' = 'filesystem', 'path' = 'file:///lab/pitfalls/counts', 'format' = 'csv'
);
INSERT INTO page_counts SELECT page, COUNT(*) FROM visits GROUP BY page;
