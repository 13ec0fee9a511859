SET 'execution.runtime-mode' = 'streaming';
SET 'sql-client.execution.result-mode' = 'tableau';
CREATE TABLE rates_history (
  currency STRING,
  rate DECIMAL(10, 4),
  update_time TIMESTAMP(3),
  WATERMARK FOR update_time AS update_time - INTERVAL '10' SECOND
) WITH (
  'connector' = 'filesystem',
  'path' = 'file:///lab/data/fx_rates.csv',
  'format' = 'csv'
);
SELECT * FROM rates_history;
