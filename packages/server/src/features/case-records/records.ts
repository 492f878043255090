import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { CaseRecord, addCaseRecord, addCaseReadings } from '@caretaker/contract/awaabs-law.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Received, Route } from '@caretaker/contract/route.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAfter, dayAt, startOfDay } from '@caretaker/rules/calendar/days.ts'
import type { FileType } from '@caretaker/rules/files/types.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { caseNumberText } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import type { CaseRecordKind, RoomReadings } from '@caretaker/rules/properties/awaabs-records.ts'
import { caseRecordLimits, roomReadings } from '@caretaker/rules/properties/awaabs-records.ts'
import { photoTypes } from '@caretaker/rules/properties/records.ts'
import type { Move, Renaming, Stay } from '@caretaker/rules/properties/stays.ts'
import { referenceAt, staysBetween } from '@caretaker/rules/properties/stays.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { audit } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import { keepFile, sendFile, stageFile } from '../../files/files.ts'
import { contentFault } from '../../files/whole.ts'
import type { StepsCall, TenantCall } from '../../http/serve.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { HourMeans } from '../telemetry/hours.ts'
import { firstHour, readHourMeans } from '../telemetry/hours.ts'
import { visible } from '../devices/visible.ts'
import { findProperty, productsReadBy } from '../properties/store.ts'

type Call = Pick<TenantCall<Route>, 'tx' | 'actor' | 'person'>
interface OfCase {
  propertyId: string
  caseId: string
}

/** The case of a property that the actor may see; refuses as `findProperty` does. */
async function findCase(tx: TenantTx, actor: Actor, { propertyId, caseId }: OfCase, { toAdd = false } = {}) {
  const { subject, ...home } = await findProperty(tx, actor, propertyId)
  const found = await tx
    .selectFrom('awaabs_law_case')
    .select(['id', 'number', 'status'])
    .where('tenant_id', '=', tx.tenant)
    .where('property_id', '=', home.id)
    .where('id', '=', caseId)
    .executeTakeFirst()
  if (!found) throw refuse('not found')
  if (toAdd) {
    if (!can(actor, "keep case of Awaab's Law", subject)) throw refuse('forbidden')
    const { count } = await tx
      .selectFrom('awaabs_law_record')
      .where('tenant_id', '=', tx.tenant)
      .where('case_id', '=', caseId)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    if (count >= caseRecordLimits.records)
      throw refuse('refused', `A case can have at most ${caseRecordLimits.records} records.`)
  }
  return { home, number: caseNumberText(found.number) }
}

const records = (tx: TenantTx, caseId: string) =>
  tx
    .selectFrom('awaabs_law_record')
    .leftJoin('file', (join) =>
      join.on('file.tenant_id', '=', tx.tenant).onRef('file.id', '=', 'awaabs_law_record.file_id'),
    )
    .where('awaabs_law_record.tenant_id', '=', tx.tenant)
    .where('awaabs_law_record.case_id', '=', caseId)
    .selectAll('awaabs_law_record')
    .select(['file.name as file_name', 'file.content_type', 'file.size'])

type Row = Awaited<ReturnType<ReturnType<typeof records>['execute']>>[number]

const asRecord = (row: Row): CaseRecord => ({
  ...{ recordId: row.id, kind: row.kind, text: row.text, addedAt: row.added_at.toISOString() },
  file: row.file_id ? { name: row.file_name!, contentType: row.content_type!, size: row.size! } : null,
  readings: row.readings as CaseRecord['readings'],
  addedBy: row.added_by_name,
})

/** The records of a case, newest first. */
export async function recordsOfCase(tx: TenantTx, actor: Actor, of: OfCase): Promise<CaseRecord[]> {
  await findCase(tx, actor, of)
  const rows = await records(tx, of.caseId).orderBy('added_at', 'desc').orderBy('awaabs_law_record.id').execute()
  return rows.map(asRecord)
}

interface NewRecord {
  kind: CaseRecordKind
  text: string
  fileId: string | null
  readings: CaseRecord['readings']
}

async function insert({ tx, actor, person }: Call, of: OfCase, record: NewRecord): Promise<CaseRecord> {
  const { home, number } = await findCase(tx, actor, of, { toAdd: true })
  const id = randomUUID()
  await tx
    .insertInto('awaabs_law_record')
    .values({
      ...{ tenant_id: tx.tenant, id, case_id: of.caseId, property_id: home.id, kind: record.kind, text: record.text },
      ...{ file_id: record.fileId, readings: record.readings && JSON.stringify(record.readings) },
      ...{ added_at: new Date(), added_by: person.id, added_by_name: person.name },
    })
    .execute()
  const row = await records(tx, of.caseId).where('awaabs_law_record.id', '=', id).executeTakeFirstOrThrow()
  await changed(tx, 'property', [home.id])
  const subject = { type: 'property', id: home.id, name: home.reference } as const
  // Without the text, because a note may name people.
  const after = { awaabsLawCase: number, record: record.kind, ...(row.file_name && { file: row.file_name }) }
  await audit(tx, { person, action: "Awaab's Law record added", subject, after })
  return asRecord(row)
}

const fileTypesOf: Record<'photograph' | 'file', readonly FileType[]> = {
  photograph: photoTypes,
  file: [
    ...(['application/pdf', 'image/png', 'image/jpeg', 'image/webp'] as const),
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ],
}

/** Adds a note, a photograph or a file to a case. */
export async function addRecord({
  context,
  tenant,
  inTx,
  params,
  form,
}: StepsCall<typeof addCaseRecord>): Promise<CaseRecord> {
  const { kind, file } = form as Received<typeof addCaseRecord>['form']
  const text = form.text.trim()
  await inTx(({ tx, actor }) => findCase(tx, actor, params, { toAdd: true }))
  if (kind === 'note') {
    if (file) throw wrong('file', 'A note cannot have a file')
    if (!text) throw wrong('text', 'Enter a note')
    return inTx((call) => insert(call, params, { kind, text, fileId: null, readings: null }))
  }
  if (!file) throw wrong('file', kind === 'photograph' ? 'Choose a photograph' : 'Choose a file')
  const wanted = {
    referrer: 'awaabs_law_record',
    allowed: fileTypesOf[kind],
    maxBytes: caseRecordLimits.bytes,
    fault: contentFault,
  }
  const staged = await stageFile(context, tenant, file, wanted)
  return inTx(async (call) => {
    const { id } = await keepFile(call.tx, call.person, staged)
    return insert(call, params, { kind, text, fileId: id, readings: null })
  })
}

/** Stores the readings of a property's sensors over a period, by room, unaffected by later readings. */
export async function addReadings(
  call: Call,
  of: OfCase,
  { from, to, text }: Received<typeof addCaseReadings>['body'],
): Promise<CaseRecord> {
  const { tx, actor } = call
  const { home } = await findCase(tx, actor, of, { toAdd: true })
  const zone = await zoneOf(tx)
  if (from > to) throw wrong('to', 'The last day cannot be before the first')
  if (to > dayAt(Date.now(), zone)) throw wrong('to', 'A date cannot be later than today')
  if (dayAfter(from, caseRecordLimits.days) <= to)
    throw wrong('from', `A period can have at most ${caseRecordLimits.days} days`)
  const rooms = await roomsOf(tx, actor, home, { from, to, zone })
  if (!rooms.length) throw refuse('refused', 'No sensor that you can see measured this property in that period.')
  return insert(call, of, { kind: 'readings', text: text.trim(), fileId: null, readings: { from, to, rooms } })
}

/**
 * The readings of the sensors that were in the property during the period, each for the hours that it was there, from
 * the recorded moves. The readings of a sensor that has since been uninstalled are deleted.
 */
async function roomsOf(
  tx: TenantTx,
  actor: Actor,
  home: { id: string; reference: string },
  { from, to, zone }: { from: Day; to: Day; zone: string },
): Promise<RoomReadings[]> {
  const span = { from: firstHour(startOfDay(from, zone)), to: startOfDay(dayAfter(to, 1), zone) }
  const renamings = await renamingsOf(tx, home.id, span.from)
  const references = [home.reference, ...renamings.map(({ before }) => before)]
  const isMoved = sql<boolean>`device.id::text in (
    select subject_id from audit_entry where audit_entry.tenant_id = ${tx.tenant} and subject_type = 'device'
      and action = 'device moved' and at >= ${new Date(span.from)} and ${homeIn('before')} = any(${references}::text[]))`
  const devices = await visible(tx.selectFrom('device'), actor)
    .leftJoin('property', (join) =>
      join.on('property.tenant_id', '=', tx.tenant).onRef('property.id', '=', 'device.property_id'),
    )
    .where((eb) => eb.or([eb('device.property_id', '=', home.id), isMoved]))
    .where(sql<boolean>`device.product = any(${productsReadBy(actor)}::text[])`)
    .select(['device.id', 'device.serial', 'device.room', 'device.location', 'property.reference as home'])
    .orderBy('device.serial')
    .execute()
  const ids = devices.map(({ id }) => id)
  const moves = await movesOf(tx, ids, span.from)
  const hours = await readHourMeans(tx, ids, { metrics: ['temperature', 'humidity'], ...span })
  return devices.flatMap(({ id, serial, ...now }) => {
    const known = hours.get(id)
    const stays = staysBetween(now, moves.get(id) ?? [], span.from, span.to).filter(
      (stay) => stay.home === referenceAt(home.reference, renamings, stay.namedAt),
    )
    const byPlace = Map.groupBy(stays, ({ room, location }) => room ?? location ?? serial)
    return [...byPlace].flatMap(([place, some]) => {
      // The mean of an hour in which the sensor entered or left the property mixes two places and is left out; if it
      // moved between two rooms, it belongs to the later one.
      const isIn = (at: number) => {
        const [begin, end] = [span.from + at * hour, Math.min(span.from + (at + 1) * hour, span.to)]
        return isWithin(stays, begin, end) && some.some((stay) => stay.from < end && end <= stay.to)
      }
      const during = (means: HourMeans = new Float64Array()) => means.map((mean, at) => (isIn(at) ? mean : NaN))
      return (known?.temperature && roomReadings(place, during(known.temperature), during(known.humidity))) ?? []
    })
  })
}

const hour = 3_600_000

/** The property in the record of a move: a user's move and an import use different names. */
const homeIn = (side: 'before' | 'after') =>
  sql<string | null>`coalesce(${sql.ref(side)} ->> 'property', ${sql.ref(side)} ->> 'propertyReference')`

/** Whether stays, earliest first, cover a time span completely. */
function isWithin(stays: readonly Stay[], from: number, to: number): boolean {
  let covered = from
  for (const stay of stays) if (stay.from <= covered) covered = Math.max(covered, stay.to)
  return covered >= to
}

async function movesOf(tx: TenantTx, ids: readonly string[], since: number): Promise<Map<string, Move[]>> {
  const rows = await tx
    .selectFrom('audit_entry')
    .where('tenant_id', '=', tx.tenant)
    .where('subject_type', '=', 'device')
    .where(sql<boolean>`subject_id = any(${ids}::text[])`)
    .where('action', '=', 'device moved')
    .where('at', '>=', new Date(since))
    .where('before', 'is not', null)
    .select(['subject_id', 'at', 'before'])
    .execute()
  return new Map(
    [...Map.groupBy(rows, (row) => row.subject_id)].map(([id, some]) => [
      id,
      some.map(({ at, before }) => ({ at: +at, before: standingIn(before!) })),
    ]),
  )
}

function standingIn(before: Record<string, unknown>): Move['before'] {
  const { property = before.propertyReference, room, location } = before
  const given = Object.entries({ home: property, room, location }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as Move['before']
}

async function renamingsOf(tx: TenantTx, homeId: string, since: number): Promise<Renaming[]> {
  const { rows } = await sql<{ at: Date; before: string }>`
    select at, reference as before from audit_entry,
      lateral (select coalesce(before ->> 'propertyReference', before ->> 'reference') as reference) as was
    where tenant_id = ${tx.tenant} and subject_type = 'property' and subject_id = ${homeId}::text
      and action in ('property reference changed', 'property details changed')
      and at >= ${new Date(since)} and reference is not null`.execute(tx)
  return rows.map(({ at, before }) => ({ at: +at, before }))
}

/** The file of a record. */
export async function sendRecordFile(
  { tx, actor, context }: Pick<TenantCall<Route>, 'tx' | 'actor' | 'context'>,
  of: OfCase,
  recordId: string,
) {
  await findCase(tx, actor, of)
  const row = await records(tx, of.caseId).where('awaabs_law_record.id', '=', recordId).executeTakeFirst()
  if (!row?.file_id) throw refuse('not found')
  return sendFile({ tx, context }, row.file_id, { name: row.file_name! })
}

const wrong = (field: string, message: string) => refuse('invalid', message, [{ field, message }])
