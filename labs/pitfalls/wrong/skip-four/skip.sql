SET 'execution.runtime-mode' = 'streaming';
SET 'sql-client.execution.result-mode' = 'tableau';
CREATE TABLE temps (
  sensor STRING,
  degrees INT,
  ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH (
  'connector' = 'filesystem',
  'path' = 'file:///lab/data/temps.csv',
  'format' = 'csv'
);
SELECT * FROM temps
MATCH_RECOGNIZE (
  PARTITION BY sensor
  ORDER BY ts
  MEASURES
    FIRST(HOT.ts) AS since,
    LAST(HOT.ts) AS until,
    MAX(HOT.degrees) AS hottest
  ONE ROW PER MATCH
  AFTER MATCH SKIP PAST LAST ROW
  PATTERN (HOT{4})
  DEFINE HOT AS HOT.degrees > 30
);
