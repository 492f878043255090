import { createHash, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { LooksAt } from '@caretaker/contract/route.ts'
import { readsKeptFor, sameReadFor } from '@caretaker/rules/audit/reads.ts'
import type { Context } from '../context.ts'
import { makeDueSeldom } from '../postgres/due.ts'
import { isLost, isWaitOver } from '../postgres/lost.ts'
import { isPassing } from '../postgres/passing.ts'
import { openDb } from '../postgres/pool.ts'
import { outsideTransaction } from '../postgres/scope.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { ShownData } from './shown-data.ts'

/** One read of personal data, as a call was answered. */
export interface PersonalDataRead {
  tenant: string
  person: { id: string; name: string; isKey: boolean }
  viewingAs: string | undefined
  looksAt: LooksAt
  shown: ShownData
  /** The call's parameters, except the tenant. */
  asked: Record<string, unknown>
  caller: string
}

/** The log of personal-data views: views are collected in this process and written together. */
export interface ReadLog {
  add(read: PersonalDataRead): void
  /** Adds the number of rows of a file to its entry, once the file is sent. */
  addRows(read: PersonalDataRead): void
  /** Writes the collected reads. Never throws: a read that cannot be written goes to the server log. */
  flush(): Promise<void>
  stop(): Promise<void>
}

interface Entry {
  id: string
  fingerprint: string
  person: string
  name: string
  isKey: boolean
  viewing: string | null
  page: string
  kind: LooksAt['as']
  question: string | null
  homes: string[]
  residents: string[]
  rows: number | null
  caller: string
  first: string
  last: string
  times: number
}

/** If a list has more properties than this, its query and the number of rows are stored instead of their ids. */
export const mostIdsKept = 100
/** The same for residents, whose list has no pages. */
const mostResidentsKept = 20_000
const longestQuestion = 300
const isUuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
/** Maximum reads that wait while the database cannot be reached, for all clients and for one. */
const mostWaiting = 20_000
const mostWaitingOfClient = 5000
/** Maximum reads, and maximum ids in them, that one statement writes. */
const writtenAtOnce = 500
const idsWrittenAtOnce = 20_000

const makeForgettingDue = makeDueSeldom('forget personal data reads', { after: readsKeptFor, knownFor: 3_600_000 })

/** Opens the log of a process; `every` is the time in ms after which a read is written. */
export function openReadLog({ owner, log }: Pick<Context, 'owner' | 'log'>, every = 1000): ReadLog {
  const db = openDb(owner)
  /** By client and fingerprint. */
  let waiting = new Map<string, Map<string, Entry>>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let stopped = false

  const later = () => {
    if (timer || stopped) return
    outsideTransaction(() => {
      timer = setTimeout(() => void flush(), every).unref()
    })
  }
  const keep = (tenant: string, entry: Entry) => {
    const ofClient = waiting.get(tenant) ?? new Map<string, Entry>()
    waiting.set(tenant, ofClient)
    const known = ofClient.get(entry.fingerprint)
    if (known) {
      known.times += entry.times
      known.rows = most(known.rows, entry.rows)
      known.last = entry.last > known.last ? entry.last : known.last
    } else if (ofClient.size < mostWaitingOfClient && sum(waiting) < mostWaiting) ofClient.set(entry.fingerprint, entry)
    else log.error(loggedEntry(tenant, entry), missing)
  }
  const write = async () => {
    const batch = waiting
    waiting = new Map()
    for (const [tenant, entries] of batch)
      for (const some of inParts([...entries.values()])) await writeSome(tenant, some)
    if (waiting.size) later()
  }
  const writeSome = async (tenant: string, some: readonly Entry[]): Promise<void> => {
    try {
      await inTenant(db, tenant, (tx) => store(tx, some))
    } catch (error) {
      if (mayWorkLater(error)) for (const entry of some) keep(tenant, entry)
      // An entry that the database rejects does not affect the others.
      else if (some.length > 1) for (const entry of some) await writeSome(tenant, [entry])
      else log.error(loggedEntry(tenant, some[0]!), missing)
      log.error({ err: error, tenant, reads: some.length }, 'reads of personal data could not be written')
    }
  }
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(() => (waiting.size ? write() : undefined))
    return writing
  }
  return {
    add: (read) => {
      keep(read.tenant, entryOf(read))
      later()
    },
    flush,
    addRows: (read) => {
      keep(read.tenant, { ...entryOf(read), times: 0 })
      later()
    },
    stop: async () => {
      await flush()
      stopped = true
      clearTimeout(timer)
      if (waiting.size)
        log.error({ reads: sum(waiting) }, 'reads of personal data were lost: the database is unreachable')
    },
  }
}

const missing = 'a read of personal data is missing from its log'
const loggedEntry = (tenant: string, { person, page }: Entry) => ({ tenant, person, page })
const sum = (waiting: ReadonlyMap<string, ReadonlyMap<string, Entry>>) =>
  [...waiting.values()].reduce((count, entries) => count + entries.size, 0)
const most = (one: number | null, other: number | null) => (one === null ? other : Math.max(one, other ?? 0))

/** Whether the same statement can succeed later: the database is unreachable, full or read-only at the moment. */
const mayWorkLater = (error: unknown) =>
  isPassing(error) ||
  isLost(error) ||
  isWaitOver(error) ||
  /^(?:53...|25006)$/.test(String((error as { code?: unknown }).code))

function* inParts(entries: readonly Entry[]): Generator<Entry[]> {
  let [part, ids]: [Entry[], number] = [[], 0]
  for (const entry of entries) {
    const more = entry.homes.length + entry.residents.length
    if (part.length === writtenAtOnce || (part.length && ids + more > idsWrittenAtOnce)) {
      yield part
      ;[part, ids] = [[], 0]
    }
    part.push(entry)
    ids += more
  }
  if (part.length) yield part
}

function entryOf({ person, viewingAs, looksAt, shown, asked, caller }: PersonalDataRead): Entry {
  const [homes, residents] = [shown.homes.filter((id) => isUuid.test(id)).toSorted(), shown.residents.toSorted()]
  const isLong = homes.length > mostIdsKept || residents.length > mostResidentsKept
  const isFile = looksAt.as === 'file'
  const isUnnamed = homes.length === 0 && residents.length === 0
  const question = isLong || isFile || isUnnamed ? JSON.stringify(asked) : null
  const same = [person.id, viewingAs, looksAt.name, looksAt.as, question, homes, residents, caller]
  const now = new Date().toISOString()
  return {
    id: randomUUID(),
    // The number of rows of a file is known only after it is sent.
    fingerprint: createHash('sha256')
      .update(JSON.stringify(isFile ? same : [...same, shown.rows]))
      .digest('base64url')
      .slice(0, 22),
    ...{ person: person.id, name: person.name, isKey: person.isKey, viewing: viewingAs ?? null },
    ...{ page: looksAt.name, kind: looksAt.as, question: question && cut(question), rows: shown.rows, caller },
    homes: homes.length > mostIdsKept ? [] : homes,
    residents: residents.length > mostResidentsKept ? [] : residents,
    ...{ first: now, last: now, times: 1 },
  }
}

/** The beginning of a text, without half a character, which the database would reject. */
const cut = (text: string) => text.slice(0, longestQuestion).toWellFormed()

/**
 * Writes one tenant's reads. A read that the person repeats within a quarter of an hour is counted in its first entry.
 * A page or list of equipment outside properties does not count as personal data.
 */
async function store(tx: TenantTx, entries: readonly Entry[]): Promise<void> {
  await sql`
    with given as (
      select it.*, array(
          select id from property where tenant_id = ${tx.tenant} and id = any(it.homes)
          union select property_id from device
            where tenant_id = ${tx.tenant} and id = any(it.homes) and property_id is not null
        ) as properties
      from json_to_recordset(${JSON.stringify(entries)}::json) as it (
        id uuid, fingerprint text, person uuid, name text, "isKey" boolean, viewing text, page text, kind text, question text,
        homes uuid[], residents text[], rows integer, caller text, first timestamptz, last timestamptz, times integer)
    ), repeated as (
      update personal_data_read as known
      set times = known.times + given.times, row_count = greatest(known.row_count, given.rows), last_at = greatest(known.last_at, given.last)
      from given
      where known.tenant_id = ${tx.tenant} and known.person_id = given.person and known.fingerprint = given.fingerprint
        and known.first_at > given.last - ${sameReadFor / 1000} * interval '1 second'
      returning given.id
    )
    insert into personal_data_read (tenant_id, id, person_id, person_name, role, is_key, viewing_as, page, kind, question,
      property_ids, resident_ids, row_count, caller, first_at, last_at, times, fingerprint)
    select ${tx.tenant}, given.id, person, coalesce(member.name, given.name), member.role, "isKey", viewing, page, kind, question,
      properties, residents, rows, caller, first, last, greatest(times, 1), fingerprint
    from given left join (
      select person_id, name, role from membership where tenant_id = ${tx.tenant}
      union all select person_id, name, role from api_key where tenant_id = ${tx.tenant}
    ) as member on member.person_id = given.person
    where given.id not in (select id from repeated)
      and (kind = 'file' or question is not null or properties <> '{}' or residents <> '{}')
    on conflict do nothing`.execute(tx)
  await makeForgettingDue(tx)
}

/** Replaces the names of people who are erased. */
export async function eraseReaders(tx: TenantTx, personIds: readonly string[]): Promise<void> {
  await sql`
    update personal_data_read set person_name = 'Erased user'
    where tenant_id = ${tx.tenant} and person_id = any(${[...personIds]}::uuid[])`.execute(tx)
}
