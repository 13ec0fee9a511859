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
SELECT zone, FLOOR(ts TO HOUR) AS minute_start, COUNT(*) AS rides, SUM(fare) AS fares
FROM rides
GROUP BY zone, FLOOR(ts TO HOUR);
