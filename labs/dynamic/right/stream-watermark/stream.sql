SET 'execution.runtime-mode' = 'streaming';
SET 'sql-client.execution.result-mode' = 'tableau';

CREATE TABLE clicks (
  click_id BIGINT,
  user_id STRING,
  url STRING,
  dwell INT,
  ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH (
  'connector' = 'filesystem',
  'path' = 'file:///opt/lab/fixtures/data/dynamic_clicks.csv',
  'format' = 'csv'
);

SELECT user_id, COUNT(*) AS clicks, SUM(dwell) AS dwell
FROM clicks
GROUP BY user_id;
