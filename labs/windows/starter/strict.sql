SET 'execution.runtime-mode' = 'streaming';
SET 'sql-client.execution.result-mode' = 'tableau';
-- the table rides_strict: like rides, with a watermark without delay
-- the query of the step strict
