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
CREATE TABLE user_clicks_fs (user_id STRING, clicks BIGINT) WITH (
  'connector' = 'filesystem', 'path' = 'file:///root/flink/dynamic/fs-out', 'format' = 'csv'
);
INSERT INTO user_clicks_fs SELECT user_id, SUM(url) FROM clicks GROUP BY user_id;
