SET 'execution.runtime-mode' = 'streaming';
SET 'sql-client.execution.result-mode' = 'tableau';
CREATE TABLE quotes (
  sym STRING,
  price INT,
  ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH (
  'connector' = 'filesystem',
  'path' = 'file:///lab/data/quotes.csv',
  'format' = 'csv'
);
SELECT * FROM quotes
MATCH_RECOGNIZE (
  PARTITION BY sym
  ORDER BY ts
  MEASURES
    A.ts AS start_ts,
    LAST(DOWN.price) AS low,
    UP.ts AS end_ts
  ONE ROW PER MATCH
  AFTER MATCH SKIP TO LAST DOWN
  PATTERN (A STEP DOWN+ UP)
  DEFINE
    STEP AS STEP.price < A.price,
    DOWN AS (LAST(DOWN.price, 1) IS NULL AND DOWN.price < STEP.price) OR DOWN.price < LAST(DOWN.price, 1),
    UP AS UP.price > LAST(DOWN.price)
);
