-- The tables of the estimates; PostgreSQL samples tables of this size whole, as we do.
CREATE TABLE a (i integer, k integer, x text, b boolean, d date, f double precision, n numeric(10,2), s integer);
INSERT INTO a SELECT i, i % 7, 'row ' || (i * 7919 % 1000), i % 3 = 0, date '2020-01-01' + i % 365, i / 3.0, (i % 50) * 1.25, CASE WHEN i % 4 = 0 THEN i % 11 END FROM generate_series(1, 10000) i;
CREATE TABLE c (k integer, j integer, name text);
INSERT INTO c SELECT i % 20, i, 'name ' || i % 100 FROM generate_series(1, 1000) i;
CREATE TABLE e (j integer, w integer);
INSERT INTO e SELECT i % 300, i FROM generate_series(1, 3000) i;
VACUUM ANALYZE;
