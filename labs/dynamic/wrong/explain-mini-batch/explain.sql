SET 'execution.runtime-mode' = 'streaming';
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '2 s';
SET 'table.exec.mini-batch.size' = '1000';
CREATE TABLE clicks (
  click_id BIGINT,
  user_id STRING,
  url STRING,
  dwell INT,
  ts TIMESTAMP(3)
) WITH (
  'connector' = 'filesystem',
  'path' = 'file:///opt/lab/fixtures/data/dynamic_clicks.csv',
  'format' = 'csv'
);
EXPLAIN CHANGELOG_MODE SELECT user_id, COUNT(*) AS clicks FROM clicks GROUP BY user_id;
EXPLAIN CHANGELOG_MODE SELECT user_id, url FROM clicks WHERE dwell > 60;
