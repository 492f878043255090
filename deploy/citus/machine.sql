-- Run on every node, including the coordinator, before it joins the cluster.
create extension if not exists citus;
create role caretaker_app login nosuperuser nobypassrls;
create role caretaker_idp login nosuperuser nobypassrls;
alter role caretaker_app set random_page_cost = 1.1;
alter role caretaker_app set max_parallel_workers_per_gather = 0;
