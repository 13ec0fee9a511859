-- The plan shows a join that never forgets. Which node should it be?
SET 'execution.runtime-mode' = 'streaming';
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
CREATE TABLE buys (
  buy_id INT,
  user_id STRING,
  amount INT,
  buy_time TIMESTAMP(3),
  WATERMARK FOR buy_time AS buy_time - INTERVAL '10' SECOND
) WITH (
  'connector' = 'filesystem',
  'path' = 'file:///lab/data/buys.csv',
  'format' = 'csv'
);
EXPLAIN CHANGELOG_MODE
SELECT v.visit_id, v.user_id, b.buy_id, b.amount
FROM visits v JOIN buys b
  ON v.user_id = b.user_id
  AND b.buy_time >= v.ts;
