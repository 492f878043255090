-- Run on the coordinator once all nodes are up; may be repeated. The names are those on the internal network.
select citus_set_coordinator_host('citus-coordinator', 5432);
select citus_add_node('citus-1', 5432);
select citus_add_node('citus-2', 5432);
