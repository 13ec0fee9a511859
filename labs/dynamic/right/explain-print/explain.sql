SET 'execution.runtime-mode' = 'streaming';
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
CREATE TABLE p (u STRING, c BIGINT) WITH ('connector' = 'print');
EXPLAIN CHANGELOG_MODE INSERT INTO p SELECT user_id, COUNT(*) AS clicks FROM clicks GROUP BY user_id;
EXPLAIN CHANGELOG_MODE SELECT user_id, url FROM clicks WHERE dwell > 60;
