SET 'execution.runtime-mode' = 'streaming';
SET 'sql-client.execution.result-mode' = 'tableau';
CREATE TABLE orders (
  order_id INT,
  currency STRING,
  amount DECIMAL(10, 2),
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '10' SECOND
) WITH (
  'connector' = 'filesystem',
  'path' = 'file:///lab/data/fx_orders.csv',
  'format' = 'csv'
);
-- the statements of the step view
