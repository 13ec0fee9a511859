SET 'execution.runtime-mode' = 'streaming';
SET 'sql-client.execution.result-mode' = 'tableau';
CREATE TABLE rides (
  ride_id INT,
  zone STRING,
  fare INT,
  ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH (
  'connector' = 'filesystem',
  'path' = 'file:///lab/data/rides.csv',
  'format' = 'csv'
);
-- the query of the step tumble
