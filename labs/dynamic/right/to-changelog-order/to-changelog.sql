SET 'execution.runtime-mode' = 'streaming';
SET 'table.dml-sync' = 'true';
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
CREATE VIEW user_clicks AS SELECT user_id, COUNT(*) AS clicks FROM clicks GROUP BY user_id;
CREATE TABLE changelog_fs (user_id STRING, clicks BIGINT, `change` STRING) WITH (
  'connector' = 'filesystem', 'path' = 'file:///root/flink/dynamic/changelog', 'format' = 'csv'
);
INSERT INTO changelog_fs SELECT user_id, clicks, `change` FROM TO_CHANGELOG(input => TABLE user_clicks, op => DESCRIPTOR(`change`));
