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
import { can } from '@caretaker/rules/rights/can.ts'
import { audit } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import { keepFile, sendFile, stageFile } from '../../files/files.ts'
import { contentFault } from '../../files/whole.ts'
import type { StepsCall, TenantCall } from '../../http/serve.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { firstHour, readHourMeans } from '../telemetry/hours.ts'
import { devicesOfHomes, findProperty } from '../properties/store.ts'

type Call = Pick<TenantCall<Route>, 'tx' | 'actor' | 'person'>
interface OfCase {
  propertyId: string
  caseId: string
}

/** The case of a home that the actor may see; refuses as `findProperty` does. */
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
      throw refuse('refused', `A case has at most ${caseRecordLimits.records} records.`)
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
  // Not its text: a note may name people.
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
    if (file) throw wrong('file', 'A note has no file')
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

/** Keeps what the sensors of a home measured in a period, room by room: later readings change nothing of it. */
export async function addReadings(
  call: Call,
  of: OfCase,
  { from, to, text }: Received<typeof addCaseReadings>['body'],
): Promise<CaseRecord> {
  const { tx, actor } = call
  await findCase(tx, actor, of, { toAdd: true })
  const zone = await zoneOf(tx)
  if (from > to) throw wrong('to', 'The last day cannot be before the first')
  if (to > dayAt(Date.now(), zone)) throw wrong('to', 'A date cannot be later than today')
  if (dayAfter(from, caseRecordLimits.days) <= to)
    throw wrong('from', `A period has at most ${caseRecordLimits.days} days`)
  const rooms = await roomsOf(tx, actor, of.propertyId, { from, to, zone })
  if (!rooms.length) throw refuse('refused', 'No sensor that you may see measured this home in that period.')
  return insert(call, of, { kind: 'readings', text: text.trim(), fileId: null, readings: { from, to, rooms } })
}

async function roomsOf(
  tx: TenantTx,
  actor: Actor,
  propertyId: string,
  { from, to, zone }: { from: Day; to: Day; zone: string },
): Promise<RoomReadings[]> {
  const devices = await devicesOfHomes(tx, actor, [propertyId])
    .select(['device.id', 'device.serial', sql<string | null>`coalesce(device.room, device.location)`.as('place')])
    .orderBy('device.serial')
    .execute()
  const span = { from: firstHour(startOfDay(from, zone)), to: startOfDay(dayAfter(to, 1), zone) }
  const ids = devices.map(({ id }) => id)
  const hours = await readHourMeans(tx, ids, { metrics: ['temperature', 'humidity'], ...span })
  return devices.flatMap(({ id, serial, place }) => {
    const known = hours.get(id)
    const readings = known?.temperature && roomReadings(place ?? serial, known.temperature, known.humidity)
    return readings ?? []
  })
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
