SET 'execution.runtime-mode' = 'streaming';
SET 'sql-client.execution.result-mode' = 'tableau';
CREATE TABLE orders (
  order_id INT,
  customer STRING,
  amount INT,
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH (
  'connector' = 'filesystem',
  'path' = 'file:///lab/data/orders.csv',
  'format' = 'csv'
);
CREATE TABLE payments (
  pay_id INT,
  order_id INT,
  paid_by STRING,
  pay_time TIMESTAMP(3),
  WATERMARK FOR pay_time AS pay_time - INTERVAL '5' SECOND
) WITH (
  'connector' = 'filesystem',
  'path' = 'file:///lab/data/payments.csv',
  'format' = 'csv'
);
-- EXPLAIN CHANGELOG_MODE of the queries of inner, left and interval
