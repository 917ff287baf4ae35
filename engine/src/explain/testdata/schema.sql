CREATE TABLE t (i integer, j bigint, x text, v varchar(20), n numeric, f double precision, r real, b boolean, d date, ts timestamp, s smallint);
CREATE TABLE s (i integer, k integer, y text);
CREATE TABLE u (k integer, z text);
CREATE VIEW vt AS SELECT i, x FROM t WHERE j > 5;
CREATE VIEW vg AS SELECT i, count(*) AS c FROM t GROUP BY i;
