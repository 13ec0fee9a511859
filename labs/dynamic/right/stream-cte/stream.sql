SET 'execution.runtime-mode' = 'streaming';
SET 'sql-client.execution.result-mode' = 'tableau';

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

WITH c AS (SELECT user_id, dwell FROM clicks)
SELECT SUM(dwell) AS dwell, user_id, COUNT(1) AS clicks FROM c GROUP BY user_id;
