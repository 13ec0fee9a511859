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

-- A view, a csv table in /root/flink/dynamic/changelog, and an INSERT through TO_CHANGELOG.
