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

CREATE VIEW v AS SELECT user_id AS u, COUNT(*) AS c, SUM(dwell) AS d FROM clicks GROUP BY user_id;
SHOW TABLES;
DESCRIBE v;
SELECT u AS user_id, c AS clicks, d AS dwell FROM v;
SELECT COUNT(*) FROM clicks;
