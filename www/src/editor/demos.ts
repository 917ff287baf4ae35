/** A pair of scripts to begin from, in the engine's own SQL. */
export interface Demo {
  id: string;
  group: string;
  title: string;
  setup: string;
  query: string;
}

const MAIL_1_TABLE = `CREATE TABLE t (i INTEGER) WITH (quals_push_down = on);
INSERT INTO t SELECT generate_series(1, 1000000);
VACUUM t;`;

const ORDERS = `CREATE TABLE customers (id int, name text, country text);
INSERT INTO customers
SELECT g, 'customer ' || g, CASE WHEN g % 10 = 0 THEN 'CH' WHEN g % 3 = 0 THEN 'NZ' ELSE 'BR' END
FROM generate_series(1, 2000) AS g;

CREATE TABLE orders (id int, customer_id int, amount numeric(10, 2), placed date);
INSERT INTO orders
SELECT g, g % 2000 + 1, (g * 37 % 10000) / 100.0, date '2024-01-01' + g % 365
FROM generate_series(1, 100000) AS g;`;

/** The scripts that the picker offers; the first is what a visitor finds. */
export const DEMOS: Demo[] = [
  {
    id: "case-1",
    group: "Qual push-down (mail 1)",
    title: "Case #1: one row of a million",
    setup: MAIL_1_TABLE,
    query: `-- The scan drops 999,999 tuples before the executor sees them.
SELECT count(*) FROM t WHERE i = 50000;

-- The same with the filter in the executor: compare the two plans.
SET quals_push_down = off;
ALTER TABLE t RESET (quals_push_down);
SELECT count(*) FROM t WHERE i = 50000;

RESET quals_push_down;
ALTER TABLE t SET (quals_push_down = on);`,
  },
  {
    id: "case-2",
    group: "Qual push-down (mail 1)",
    title: "Case #2: nearly all rows",
    setup: MAIL_1_TABLE,
    query: `-- Every tuple but one is returned. With quals_recheck = always, as in the mail's patch,
-- each is tested twice: look at Key Evaluations and Qual Evaluations of the scan.
SET quals_recheck = always;
SELECT count(*) FROM t WHERE i >= 2;

-- With auto the executor trusts the keys that the heap tests exactly.
SET quals_recheck = auto;
SELECT count(*) FROM t WHERE i >= 2;`,
  },
  {
    id: "in-lists",
    group: "Qual push-down (mail 1)",
    title: "IN lists, short and long",
    setup: MAIL_1_TABLE,
    query: `-- From nine elements on the list is hashed: one lookup instead of up to nine comparisons.
SELECT count(*) FROM t WHERE i IN (1, 2, 3, 5, 8);
SELECT count(*) FROM t WHERE i IN (1, 2, 3, 5, 8, 13, 21, 34, 55, 89);
SELECT count(*) FROM t WHERE i NOT IN (1, 2, 3);
SELECT count(*) FROM t WHERE i = ANY (ARRAY[10, NULL, 30]);`,
  },
  {
    id: "nulls",
    group: "Qual push-down (mail 1)",
    title: "What NULL does to a key",
    setup: `CREATE TABLE n (i int, s text);
INSERT INTO n
SELECT CASE WHEN g % 4 = 0 THEN NULL ELSE g END, 'row ' || g
FROM generate_series(1, 100000) AS g;`,
    query: `SELECT count(*) FROM n WHERE i IS NULL;
SELECT count(*) FROM n WHERE i <> 7;
-- A NULL constant matches nothing: no page is read.
SELECT count(*) FROM n WHERE i = NULL;
-- One NULL in the list and NOT IN is never true.
SELECT count(*) FROM n WHERE i NOT IN (1, NULL);
-- Of nothing at all everything is true, even for a NULL column.
SELECT count(*) FROM n WHERE i <> ALL ('{}'::int[]);`,
  },
  {
    id: "leakproof",
    group: "Qual push-down (mail 1)",
    title: "Security barrier and leakproof",
    setup: `CREATE TABLE salaries (person text, department text, amount int);
INSERT INTO salaries
SELECT 'person ' || g, CASE WHEN g % 5 = 0 THEN 'board' ELSE 'staff' END, 3000 + g % 5000
FROM generate_series(1, 50000) AS g;

CREATE VIEW staff WITH (security_barrier) AS
SELECT person, amount FROM salaries WHERE department = 'staff';`,
    query: `-- integer = integer is leakproof, so it may run beside the view's own condition.
SELECT count(*) FROM staff WHERE amount = 4321;

-- numeric comparisons can raise errors that tell what they saw: not leakproof, not pushed.
SELECT count(*) FROM staff WHERE amount > 4321.5;

-- What would the rule's absence buy?
SET quals_require_leakproof = off;
SELECT count(*) FROM salaries WHERE amount > 4321.5;
RESET quals_require_leakproof;`,
  },
  {
    id: "aggregate",
    group: "Plans",
    title: "Group and sort",
    setup: ORDERS,
    query: `SELECT c.country, count(*) AS orders, sum(o.amount) AS revenue, max(o.placed) AS latest
FROM orders AS o
JOIN customers AS c ON c.id = o.customer_id
WHERE o.placed >= date '2024-07-01'
GROUP BY c.country
ORDER BY revenue DESC;`,
  },
  {
    id: "join",
    group: "Plans",
    title: "A hash join and its nested loop",
    setup: ORDERS,
    query: `SELECT c.name, o.id, o.amount
FROM customers AS c
LEFT JOIN orders AS o ON o.customer_id = c.id AND o.amount > 99
WHERE c.country = 'CH'
ORDER BY c.name, o.id
LIMIT 200;

-- Without the hash table each customer walks through all orders.
SET enable_hashjoin = off;
SELECT count(*)
FROM customers AS c
JOIN orders AS o ON o.customer_id = c.id
WHERE c.id <= 20;
RESET enable_hashjoin;`,
  },
  {
    id: "rows",
    group: "Plans",
    title: "Three hundred thousand rows in the grid",
    setup: "",
    query: `SELECT g AS n, g * g::bigint AS square, md5(g::text) AS digest, CASE WHEN g % 7 = 0 THEN NULL ELSE g % 7 END AS weekday
FROM generate_series(1, 300000) AS g;`,
  },
];
