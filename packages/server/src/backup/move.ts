import pg from 'pg'
import type { FileStore } from '../context.ts'
import { migrations as landed } from '../migrations/index.ts'
import { grace } from '../files/keys.ts'
import { makeAllDue } from '../postgres/due.ts'
import { ensurePartitions } from '../postgres/partitions.ts'
import type { Archive } from './archive.ts'
import { limitToTenant, plainText } from './backup.ts'
import type { Table } from './catalog.ts'
import { columnsOf, tablesIn } from './catalog.ts'
import { BackupFault } from './fault.ts'
import { countOn, loadPart, putFiles, stagePart } from './load.ts'
import type { Manifest } from './manifest.ts'
import { keysIn } from './manifest.ts'
import { leftOutLine, unknownIn } from './verify.ts'

interface Target {
  owner: pg.Pool
  files: FileStore
  /** Where users of this installation sign in: the address of an issuer, or `embedded`. */
  directory: string
}

/**
 * Moves one tenant into a running installation, in one transaction. People with the same verified e-mail here keep
 * their identity; the others are added. Throws a BackupFault.
 */
export async function moveIn(
  { owner, files, directory }: Target,
  archive: Archive,
  manifest: Manifest,
  report: (line: string) => void = () => {},
): Promise<void> {
  const tenant = manifest.tenant!
  const [here, there] = [Object.keys(landed), manifest.migrations]
  if (here.length !== there.length || here.some((name, at) => name !== there[at]))
    throw new BackupFault(
      `This backup was made by version ${manifest.version} of Caretaker with another schema. Bring both installations to the same version and make a new backup.`,
    )
  const { rowCount: known } = await owner.query('select from public.tenant where id = $1', [tenant])
  if (known) throw new BackupFault(`The client ${tenant} already exists here and is not replaced.`)
  const unknown = leftOutLine(unknownIn(manifest))
  if (unknown) report(unknown)
  if (manifest.pointsSince) await ensurePartitions(owner, new Date(), new Date(manifest.pointsSince))
  await noteFiles(owner, archive)
  await putFiles(archive, files)
  const client = await owner.connect()
  try {
    await client.query(`begin; ${plainText}`)
    await limitToTenant(client, tenant)
    await load(client, archive, manifest, directory)
    await client.query('commit')
    client.release()
  } catch (error) {
    client.release(true)
    // From a machine of a distributed database only the error text arrives, which names the constraint.
    const { code, message } = error as { code?: string; message: string }
    if (code === '23505')
      throw new BackupFault(
        message.includes('device_route')
          ? `Devices of ${tenant} belong to another client here: a device can be in one client only.`
          : `Some rows of ${tenant} already exist here: ${message}`,
      )
    throw error
  }
}

/** Until its row exists, each file counts as an abandoned upload. */
async function noteFiles(owner: pg.Pool, archive: Archive): Promise<void> {
  const keys = keysIn(archive)
  for (let from = 0; from < keys.length; from += 5000)
    await owner.query(
      `insert into public.loose_file (file_id, tenant_id, due_at)
       select split_part(key, '/', 2)::uuid, split_part(key, '/', 1), $2 from unnest($1::text[]) as key
       on conflict (file_id) do update set due_at = excluded.due_at`,
      [keys.slice(from, from + 5000), new Date(Date.now() + grace)],
    )
}

const person = 'public.person'
const account = 'idp.account'

async function load(client: pg.PoolClient, archive: Archive, manifest: Manifest, directory: string): Promise<void> {
  const tenant = manifest.tenant!
  const tables = await tablesIn(client)
  const partsOf = (table: Table) => manifest.parts.filter((part) => part.table === table.name)
  const tableNamed = (name: string) => tables.find((table) => table.name === name)!
  await loadPeople(client, archive, manifest, directory, tableNamed)
  for (const table of tables) {
    if (table.name === person || table.name === account) continue
    for (const part of partsOf(table))
      await loadPart(client, archive, table, part, (column, value) =>
        table.people.includes(column)
          ? `coalesce((select here from moved_person where there = ${value}), ${value})`
          : value,
      )
  }
  await inviteStrangers(client, tenant, directory)
  await countOn(client, manifest.sequences)
  await makeAllDue(client, tenant)
  const { rows: files } = await client.query<{ id: string }>('select id from public.file where tenant_id = $1', [
    tenant,
  ])
  const { rowCount: kept } = await client.query(
    'delete from public.loose_file where tenant_id = $1 and file_id = any($2)',
    [tenant, files.map(({ id }) => id)],
  )
  if (kept! + manifest.files.missing.length < files.length)
    throw new BackupFault('Storing the files took too long, and they are being deleted. Restore the backup again.')
}

/**
 * Fills `moved_person`, which maps people of the source to people here. They match by id, by their identity at the
 * provider, or by an e-mail verified here.
 */
async function loadPeople(
  client: pg.PoolClient,
  archive: Archive,
  manifest: Manifest,
  directory: string,
  tableNamed: (name: string) => Table,
): Promise<void> {
  const staged = async (name: string) => {
    const table = tableNamed(name)
    const part = manifest.parts.find((one) => one.table === name)
    return part && { table, columns: columnsOf(part), incoming: await stagePart(client, archive, table, part) }
  }
  const accounts = directory === 'embedded' ? await staged(account) : undefined
  if (accounts)
    await client.query(`insert into ${account} (${accounts.columns})
      select ${accounts.columns} from ${accounts.incoming} as incoming
      where not exists (select from ${account} as known where lower(known.email) = lower(incoming.email) or known.id = incoming.id)`)
  const people = await staged(person)
  await client.query(
    `create temporary table moved_person (there uuid primary key, here uuid not null, subject text not null) on commit drop`,
  )
  if (!people) return
  await client.query(
    `insert into moved_person
     select incoming.id, coalesce(
         (select id from ${person} where id = incoming.id),
         (select id from ${person} as known where known.issuer = incoming.issuer and known.subject = known_as.subject),
         (select id from ${person} as known where known.issuer = $1 and known.email_verified
           and lower(known.email) = lower(incoming.email) limit 1),
         incoming.id), known_as.subject
     from ${people.incoming} as incoming cross join lateral (
       -- The account of the same e-mail may have another id here.
       select coalesce(
         (select id::text from ${account} as known
           where incoming.issuer = 'embedded' and $1 = 'embedded' and lower(known.email) = lower(incoming.email)),
         incoming.subject) as subject) as known_as`,
    [directory],
  )
  const columns = people.columns.split(', ')
  await client.query(`insert into ${person} (${people.columns})
    select ${columns.map((one) => (one === '"subject"' ? 'moved_person.subject' : `incoming.${one}`)).join(', ')}
    from ${people.incoming} as incoming join moved_person on there = incoming.id
    where not exists (select from ${person} as known where known.id = here)`)
}

/**
 * People unknown to this installation's provider get an invitation, used at their first sign-in with the same
 * verified e-mail.
 */
async function inviteStrangers(client: pg.PoolClient, tenant: string, directory: string): Promise<void> {
  const strangers = `tenant_id = $1 and person_id in (select id from ${person} where issuer <> $2)`
  await client.query(
    `insert into public.invitation (tenant_id, membership_id, email)
     select tenant_id, id, email from public.membership where ${strangers} on conflict do nothing`,
    [tenant, directory],
  )
  await client.query(`update public.membership set person_id = null where ${strangers}`, [tenant, directory])
}
