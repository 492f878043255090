-- On the coordinator, once all machines are there; it may run again. Names are those of the machines on their own network.
select citus_set_coordinator_host('citus-coordinator', 5432);
select citus_add_node('citus-1', 5432);
select citus_add_node('citus-2', 5432);
