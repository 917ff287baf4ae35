-- The rows of scale factor 0.01, where dbgen's own tables are generated.
INSERT INTO region SELECT * FROM tpch('region', 0.01);
INSERT INTO nation SELECT * FROM tpch('nation', 0.01);
INSERT INTO part SELECT * FROM tpch('part', 0.01);
INSERT INTO supplier SELECT * FROM tpch('supplier', 0.01);
INSERT INTO partsupp SELECT * FROM tpch('partsupp', 0.01);
INSERT INTO customer SELECT * FROM tpch('customer', 0.01);
INSERT INTO orders SELECT * FROM tpch('orders', 0.01);
INSERT INTO lineitem SELECT * FROM tpch('lineitem', 0.01);
