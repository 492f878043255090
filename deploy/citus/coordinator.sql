-- On the coordinator, once all machines are there; it may run again.
select citus_set_coordinator_host('postgres', 5432);
select citus_add_node('postgres-worker-1', 5432);
select citus_add_node('postgres-worker-2', 5432);
