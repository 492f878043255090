import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { SettingError } from '../config.ts'
import { applicationRole, identityRole } from '../migrations/tenant-table.ts'

/** Whether the database is distributed over several machines by Citus. */
export async function isSpread(database: pg.Pool | pg.ClientBase): Promise<boolean> {
  return Boolean((await (database as pg.ClientBase).query(`select from pg_extension where extname = 'citus'`)).rowCount)
}

/** The machines that hold tenants, as HOST:PORT; for a plain database, its own. */
export async function machinesOf(database: pg.Pool): Promise<string[]> {
  if (!(await isSpread(database))) {
    const { hostname, port } = new URL(database.options.connectionString!)
    return [`${hostname}:${port || 5432}`]
  }
  const { rows } = await database.query<{ machine: string }>(
    `select nodename || ':' || nodeport as machine from pg_dist_node where isactive and shouldhaveshards order by 1`,
  )
  return rows.map(({ machine }) => machine)
}

/**
 * Checks that each machine of a distributed database responds, has the product's roles and takes part in distributed
 * transactions. Throws a SettingError with one line per failing machine.
 */
export async function expectMachines(database: pg.Pool): Promise<void> {
  if (!(await isSpread(database))) return
  const { rows } = await database.query<{ machine: string; success: boolean; result: string }>(
    `select nodename || ':' || nodeport as machine, success, result
     from run_command_on_all_nodes($$
       select (select count(*) from pg_roles where rolname in ('${applicationRole}', '${identityRole}') and rolcanlogin)
         || ' ' || current_setting('max_prepared_transactions') $$)
     join pg_dist_node using (nodeid)`,
  )
  const wrong = rows.flatMap(({ machine, success, result }) => {
    if (!success) return [`${machine} does not answer: ${result}`]
    const [roles, transactions] = result.split(' ')
    return [
      ...(roles === '2' ? [] : [`${machine} lacks ${applicationRole} or ${identityRole}, or they cannot log in.`]),
      ...(transactions === '0'
        ? [`${machine} has max_prepared_transactions = 0: no transaction can span machines.`]
        : []),
    ]
  })
  if (rows.length < 2)
    wrong.push('The database has Citus but no other machine than its coordinator: run citus_add_node first.')
  if (wrong.length) throw new SettingError(wrong.join('\n'))
}

/**
 * Moves all rows of a tenant to a machine of a distributed database, into a shard of its own. Writers to its former
 * shard wait meanwhile. Returns the former machine. Throws a SettingError.
 *
 * @param machine as HOST:PORT, known to the coordinator
 */
export async function placeTenant(owner: pg.Pool, tenant: string, machine: string): Promise<{ before: string }> {
  if (!(await isSpread(owner)))
    throw new SettingError('This database is on one machine: there is no other machine to move to.')
  await expectMachines(owner)
  const machines = await machinesOf(owner)
  if (!machines.includes(machine))
    throw new SettingError(
      `The coordinator knows no machine ${machine} that may hold tenants, only ${machines.join(', ')}.`,
    )
  if ((await pieceOf(owner, tenant)).shared)
    await owner.query(
      `select isolate_tenant_to_new_shard('device', $1::text, 'CASCADE', shard_transfer_mode => 'block_writes')`,
      [tenant],
    )
  const { shard, place } = await pieceOf(owner, tenant)
  if (place === machine) return { before: place }
  if (await lacksShared(owner, machine)) await bringShared(owner, machine)
  // The move would do the same, but wait a second for each shard whose users wait for the move.
  await dropLeftBehind(owner)
  const from = new URL(`postgres://${place}`)
  const to = new URL(`postgres://${machine}`)
  try {
    await owner.query(`select citus_move_shard_placement($1, $2, $3, $4, $5, 'block_writes')`, [
      ...[shard, from.hostname, from.port, to.hostname, to.port],
    ])
  } catch (error) {
    if (!(error as Error).message.startsWith('shard move failed as the orphaned shard')) throw error
    throw new SettingError(
      `${tenant} was on ${machine} a moment ago, and its former data there is still in use: try again in a minute.`,
    )
  }
  return { before: place }
}

/** How long to wait until leftover shards are dropped, in ms. */
const longestDrop = 15_000

/**
 * Drops the shards from which tenants were moved away. Citus does so by itself some seconds later, but can then
 * deadlock with code that locks many tables at once. Shards in use are left to Citus.
 */
export async function dropLeftBehind(owner: pg.Pool): Promise<void> {
  const until = performance.now() + longestDrop
  while (performance.now() < until) {
    // Skips shards that Citus itself is working on.
    await owner.query('call citus_cleanup_orphaned_resources()')
    if (!(await owner.query('select from pg_dist_cleanup limit 1')).rowCount) return
    await sleep(100)
  }
}

/** A tenant that was moved to a machine of a distributed database, as HOST:PORT. */
export interface Placement {
  tenant: string
  machine: string
}

/** The tenants with shards of their own; none if the database is on one machine. */
export async function placements(client: pg.ClientBase): Promise<Placement[]> {
  if (!(await isSpread(client))) return []
  const { rows } = await client.query<Placement>(
    `select id as tenant, nodename || ':' || nodeport as machine from public.tenant
     join pg_dist_shard on shardid = get_shard_id_for_distribution_column('public.device', id)
     join pg_dist_shard_placement using (shardid)
     where shardminvalue = shardmaxvalue order by 1`,
  )
  return rows
}

/** Whether a machine was added after the tables that all tenants share, and lacks some of them. */
async function lacksShared(owner: pg.Pool, machine: string): Promise<boolean> {
  const { rowCount } = await owner.query(
    `select from pg_dist_shard join pg_dist_partition using (logicalrelid)
     where partmethod = 'n' and repmodel = 't' and not exists (
       select from pg_dist_placement join pg_dist_node using (groupid)
       where pg_dist_placement.shardid = pg_dist_shard.shardid and nodename || ':' || nodeport = $1)
     limit 1`,
    [machine],
  )
  return Boolean(rowCount)
}

const notAllowed = '42501'

/**
 * This needs a superuser: the owner of an organisation's database may not be one, but the person who added the
 * machine is.
 */
async function bringShared(owner: pg.Pool, machine: string): Promise<void> {
  const statement = `select replicate_reference_tables('block_writes')`
  try {
    await owner.query(statement)
  } catch (error) {
    if ((error as { code?: string }).code !== notAllowed) throw error
    throw new SettingError(
      `${machine} lacks the tables that all clients share, and only a superuser may bring them there: ` +
        `have one run "${statement}" in this database of the coordinator, then try again.`,
    )
  }
}

/** The shard of a tenant, its machine, and whether it may contain other tenants. */
async function pieceOf(owner: pg.Pool, tenant: string): Promise<{ shard: number; place: string; shared: boolean }> {
  const { rows } = await owner.query<{ shard: number; place: string; shared: boolean }>(
    `select shardid as shard, nodename || ':' || nodeport as place, shardminvalue <> shardmaxvalue as shared
     from pg_dist_shard join pg_dist_shard_placement using (shardid)
     where shardid = get_shard_id_for_distribution_column('device', $1::text)`,
    [tenant],
  )
  return rows[0]!
}
