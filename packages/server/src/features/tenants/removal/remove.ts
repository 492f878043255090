import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import { refuse } from '@caretaker/contract/refusal.ts'
import { changed } from '../../../changes/changed.ts'
import type { FileStore } from '../../../context.ts'
import { keyOf } from '../../../files/keys.ts'
import { tenantsOf } from '../../../identity/person.ts'
import { deletePerson } from '../../../people/persons.ts'
import { forgetTenant } from '../../../idp/sso-lookup.ts'
import { deletedAtOnce, inBatches } from '../../../postgres/due.ts'
import { locks, shareLock } from '../../../postgres/locks.ts'
import type { Db } from '../../../postgres/pool.ts'
import type { TenantTx } from '../../../postgres/tenant.ts'
import { inTenant } from '../../../postgres/tenant.ts'
import { beginTenantRemoval, deleteTenant } from '../../../tenants/tenants.ts'
import type { OwnedTable } from './tables.ts'
import { ownedTables } from './tables.ts'

const day = 86_400_000
/**
 * How long other processes still use a deleted device route, in ms: the interval at which routes are reloaded, and a
 * batch.
 */
const routesForgottenAfter = 5000
/** Files deleted per transaction: the store is called once for each. */
const filesAtOnce = 50

/** A client that can be removed, or whose removal was interrupted. */
export interface Removable {
  id: string
  name: string
  suspendedSince: Date
  /** When an interrupted removal began. */
  beganAt: Date | null
}

export interface Removed {
  rows: number
  files: number
  people: number
}

/** Refuses a client that is active, or has not been suspended for `graceDays` days. */
export async function expectRemovable(db: Db, tenant: string, graceDays: number, now = new Date()): Promise<Removable> {
  const row = await db
    .selectFrom('tenant')
    .select(['id', 'display_name as name', 'suspended_at as suspendedSince', 'removal_began_at as beganAt'])
    .where('id', '=', tenant)
    .executeTakeFirst()
  if (!row) throw refuse('not found', `There is no client ${tenant}.`)
  const { suspendedSince, beganAt } = row
  if (!suspendedSince)
    throw refuse('conflict', `${tenant} is active. Suspend it first, and remove it after ${graceDays} days.`)
  const from = new Date(+suspendedSince + graceDays * day)
  if (!beganAt && from > now)
    throw refuse(
      'conflict',
      `${tenant} has been suspended since ${suspendedSince.toISOString()} and can be removed from ${from.toISOString()}.`,
    )
  return { ...row, suspendedSince }
}

interface Removal {
  /** As the owner of the tables, because the application's role cannot delete the audit. */
  db: Db
  owner: pg.Pool
  files: FileStore
  graceDays: number
  /** Who removes the client, for the record. */
  by: string
  report(line: string): void
  /** Waits until no other process uses the routes of the client's devices. */
  routesForgotten?(): Promise<unknown>
}

/**
 * Removes a client with all its data in batches, each a transaction of its own, so that nothing else has to wait. It
 * may be interrupted at any time and called again, and then resumes. People who are members of no other client are
 * removed with their accounts.
 */
export async function removeTenant(removal: Removal, tenant: string): Promise<Removed> {
  const { db, owner, routesForgotten = () => sleep(routesForgottenAfter) } = removal
  const id = await begin(removal, tenant)
  const tables = await ownedTables(owner)
  for (const table of tables) if (table.isShared) await empty(removal, tenant, id, table)
  await routesForgotten()
  await forgetTenant(owner, tenant)
  do {
    for (const table of tables) await empty(removal, tenant, id, table)
    await removePeople(removal, id)
  } while (!(await finish(db, tenant, id, tables)))
  const { rows, files, people } = await db
    .selectFrom('tenant_removal')
    .select(['rows_deleted as rows', 'files_deleted as files', 'people_removed as people'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return { rows: Number(rows), files: Number(files), people }
}

/**
 * Refuses if none of a client's newest files can be read: with the store of another installation, their rows would be
 * deleted but the files would stay.
 */
async function expectFiles(db: Db, store: FileStore, tenant: string): Promise<void> {
  const newest = await inTenant(db, tenant, (tx) =>
    tx.selectFrom('file').select('id').where('tenant_id', '=', tenant).orderBy('created_at', 'desc').limit(5).execute(),
  )
  for (const { id } of newest) {
    const content = await store.read(keyOf(tenant, id)).catch(() => undefined)
    content?.destroy()
    if (content) return
  }
  if (newest.length)
    throw refuse(
      'conflict',
      `The files of ${tenant} are not in the file store of this command. Set CARETAKER_DATA or FILES_URL to the value of the server. Nothing was removed.`,
    )
}

/** Closes the client permanently and records who removes it, or finds the record of an interrupted removal. */
async function begin({ db, files, graceDays, by }: Removal, tenant: string): Promise<string> {
  const unfinished = await db
    .selectFrom('tenant_removal')
    .select('id')
    .where('client', '=', tenant)
    .where('finished_at', 'is', null)
    .executeTakeFirst()
  if (unfinished) return unfinished.id
  await expectFiles(db, files, tenant)
  return inTenant(db, tenant, async (tx) => {
    await sql`select from tenant where id = ${tenant} for update`.execute(tx)
    const { name, suspendedSince } = await expectRemovable(tx, tenant, graceDays)
    const [id, now] = [randomUUID(), new Date()]
    const { rows: members } = await sql<{ person: string | null; email: string | null }>`
      select person_id as person, email from membership where membership.tenant_id = ${tenant}
      union all select person_id, null from api_key where api_key.tenant_id = ${tenant}`.execute(tx)
    await tx
      .insertInto('tenant_removal')
      .values({
        ...{
          id,
          client: tenant,
          client_name: name,
          suspended_since: suspendedSince,
          began_at: now,
          removed_by_whom: by,
        },
        people: members.flatMap(({ person }) => person ?? []),
        invited: members.flatMap(({ person, email }) => (person ? [] : (email ?? []))),
      })
      .execute()
    await beginTenantRemoval(tx, now)
    // Open pages and streams of the client end.
    await changed(tx, 'reach', null)
    return id
  })
}

/** The tables whose rows represent files in the store, with the column of the file id. */
const fileIds: Record<string, string> = { file: 'id', loose_file: 'file_id' }

async function empty(removal: Removal, tenant: string, id: string, table: OwnedTable): Promise<void> {
  const { db, report } = removal
  const fileId = fileIds[table.name]
  const atOnce = fileId ? filesAtOnce : deletedAtOnce
  const deleteSome = () =>
    inTenant(db, tenant, async (tx) => {
      if (fileId && !(await shareLock(tx, locks.files))) return undefined
      const count = fileId ? await deleteFiles(tx, removal.files, table, fileId) : await deleteRows(tx, table)
      const files = fileId ? count : 0
      if (count)
        await sql`update tenant_removal set rows_deleted = rows_deleted + ${count}, files_deleted = files_deleted + ${files}
          where id = ${id}`.execute(tx)
      return count
    })
  const deleted = await inBatches(async () => {
    for (let waited = false; ; waited = true) {
      const count = await deleteSome()
      if (count !== undefined) return count
      if (!waited) report('A backup is running: files are deleted after it ends')
      await sleep(1000)
    }
  }, atOnce)
  if (deleted) report(`${tenant}: ${deleted.toLocaleString('en-GB')} rows of ${table.name} deleted`)
}

/** The first rows of a table by its key, whose index finds them. */
const firstRows = (tenant: string, { quoted, key }: OwnedTable, columns: string, atOnce: number) =>
  sql<{ id: string }>`select ${sql.raw(columns)} from ${sql.raw(quoted)} where tenant_id = ${tenant}
    order by ${sql.raw(key.join(', '))} limit ${sql.lit(atOnce)}`

async function deleteRows(tx: TenantTx, table: OwnedTable): Promise<number> {
  const columns = table.key.join(', ')
  // However many rows there are, each is looked up by its key.
  await sql.raw('set local enable_hashjoin = off; set local enable_mergejoin = off').execute(tx)
  const { numAffectedRows } = await sql`
    delete from ${sql.raw(table.quoted)} where tenant_id = ${tx.tenant}
      ${columns ? sql`and (${sql.raw(columns)}) in (${firstRows(tx.tenant, table, columns, deletedAtOnce)})` : sql``}`.execute(
    tx,
  )
  return Number(numAffectedRows)
}

/** Deletes files from the store, and then their rows, so that an interrupted removal finds them again. */
async function deleteFiles(tx: TenantTx, files: FileStore, table: OwnedTable, fileId: string): Promise<number> {
  const { rows } = await firstRows(tx.tenant, table, `${fileId} as id`, filesAtOnce).execute(tx)
  for (const { id } of rows) await files.delete(keyOf(tx.tenant, id))
  if (rows.length)
    await sql`delete from ${sql.raw(table.quoted)} where tenant_id = ${tx.tenant}
      and ${sql.ref(fileId)} = any(${rows.map(({ id }) => id)}::uuid[])`.execute(tx)
  return rows.length
}

/** Deletes the tenant itself once it has no rows; false if some were added meanwhile. */
async function finish(db: Db, tenant: string, id: string, tables: readonly OwnedTable[]): Promise<boolean> {
  return inTenant(db, tenant, async (tx) => {
    await sql`select from tenant where id = ${tenant} for update`.execute(tx)
    for (const { quoted } of tables) {
      const { rows } = await sql`select from ${sql.raw(quoted)} where tenant_id = ${tenant} limit 1`.execute(tx)
      if (rows.length) return false
    }
    await deleteTenant(tx)
    await sql`update tenant_removal set finished_at = ${new Date()}, people = '{}', invited = '{}',
      people_removed = (select count(*) from unnest(people) as one where not exists (select from person where person.id = one))
      where id = ${id}`.execute(tx)
    return true
  })
}

/** Removes the people who are members of no other client, with their accounts. */
async function removePeople({ db, owner }: Removal, id: string): Promise<void> {
  const { people, invited } = await db
    .selectFrom('tenant_removal')
    .select(['people', 'invited'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  for (const person of people) if (await isAlone(db, person)) await removePerson(owner, person)
  for (const email of invited) await removeAccount(owner, 'email', email.toLowerCase())
}

const foreignKeyViolation = '23503'

const isAlone = async (db: Db, person: string) => (await tenantsOf(db, person)).length === 0

/** Removes a person with their account, unless rows of another client still name them, such as its audit. */
export async function removePerson(owner: pg.Pool, person: string): Promise<void> {
  try {
    const gone = await deletePerson(owner, person)
    if (gone?.issuer === 'embedded') await removeAccount(owner, 'id', gone.subject)
  } catch (error) {
    if ((error as { code?: string }).code !== foreignKeyViolation) throw error
  }
}

/** Removes an unused account of the embedded identity provider, with its sessions and links. */
export async function removeAccount(owner: pg.Pool, column: 'id' | 'email', value: string): Promise<void> {
  const { rows } = await owner.query<{ id: string }>(
    `delete from idp.account where account.${column}::text = $1
       and not exists (select from invitation where invitation.email = account.email)
       and not exists (select from person where issuer = 'embedded' and subject = account.id::text)
     returning id`,
    [value],
  )
  for (const { id } of rows) await owner.query(`delete from idp.payload where payload->>'accountId' = $1`, [id])
}
