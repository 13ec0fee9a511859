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
EXPLAIN CHANGELOG_MODE SELECT url, user_id FROM clicks WHERE 60 < dwell;
CREATE VIEW v AS SELECT COUNT(*) AS n, user_id FROM clicks GROUP BY user_id;
EXPLAIN CHANGELOG_MODE SELECT user_id, n FROM v;
