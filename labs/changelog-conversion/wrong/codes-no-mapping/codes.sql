SET 'execution.runtime-mode' = 'streaming';
SET 'sql-client.execution.result-mode' = 'tableau';
CREATE TABLE stock_log (
  code STRING,
  item STRING,
  amount INT
) WITH (
  'connector' = 'filesystem',
  'path' = 'file:///lab/data/stock.csv',
  'format' = 'csv'
);
SELECT * FROM FROM_CHANGELOG(input => TABLE stock_log, op => DESCRIPTOR(code));
