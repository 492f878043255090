import { sql } from 'kysely'
import type pg from 'pg'
import { eraseReaders } from '../../../audit/reads.ts'
import { clientsOf, softwareIssuer } from '../../../people/other-issuer.ts'
import { clearPerson } from '../../../people/persons.ts'
import { eraseViews } from '../../../people/viewings.ts'
import { deleteMailsTo } from '../../../mail/retention.ts'
import type { Db } from '../../../postgres/pool.ts'
import { openDb } from '../../../postgres/pool.ts'
import { inTenant } from '../../../postgres/tenant.ts'
import { removeAccount, removePerson } from './remove.ts'

/** The result of erasing a person. */
export interface Erasure {
  /** Clients that the person still belongs to or is invited to: nothing was erased. */
  belongsTo: string[]
  people: number
  mails: number
  /** Entries of audit logs that contain the name, by client: they are kept as evidence. */
  auditEntries: Record<string, number>
}

interface Needs {
  db: Db
  owner: pg.Pool
}

/**
 * Erases a person who belongs to no client: account, sessions, second factors, e-mails to their address, and the person
 * itself. If records refer to the person, name, e-mail and identity are replaced; names copied into records stay.
 */
export async function erasePerson({ db, owner }: Needs, email: string): Promise<Erasure> {
  const { rows: people } = await owner.query<{ id: string }>(
    'select id from person where lower(person.email) = $1 and issuer <> $2 order by id',
    [email, softwareIssuer],
  )
  const ids = people.map(({ id }) => id)
  const clients = await Promise.all(ids.map((id) => clientsOf(db, id)))
  const { rows: invited } = await owner.query<{ tenant: string }>(
    'select tenant_id as tenant from invitation where lower(invitation.email) = $1',
    [email],
  )
  const belongsTo = [...new Set([...clients.flat(), ...invited.map(({ tenant }) => tenant)])].sort()
  if (belongsTo.length) return { belongsTo, people: 0, mails: 0, auditEntries: {} }

  const { rows: tenants } = await owner.query<{ id: string }>('select id from tenant order by id')
  const erased: Erasure = { belongsTo: [], people: ids.length, mails: 0, auditEntries: {} }
  for (const { id: tenant } of tenants) {
    const { mails, entries } = await inTenant(db, tenant, async (tx) => {
      const deleted = await deleteMailsTo(tx, email)
      const { rows } = await sql<{ entries: number }>`
        select count(*)::int as entries from audit_entry
        where tenant_id = ${tx.tenant} and person_id = any(${ids}::uuid[])`.execute(tx)
      return { mails: deleted, entries: rows[0]!.entries }
    })
    erased.mails += mails
    if (entries) erased.auditEntries[tenant] = entries
  }
  const ofOwner = openDb(owner)
  for (const { id: tenant } of tenants)
    await inTenant(ofOwner, tenant, async (tx) => {
      await eraseReaders(tx, ids)
      await eraseViews(tx, ids)
    })
  for (const id of ids) {
    await removePerson(owner, id)
    await clearPerson(owner, id)
  }
  await removeAccount(owner, 'email', email)
  return erased
}
