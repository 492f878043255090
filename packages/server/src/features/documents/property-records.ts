import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { PropertyRecord, saveDocument } from '@caretaker/contract/documents.ts'
import { getDocument } from '@caretaker/contract/documents.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Received, Route } from '@caretaker/contract/route.ts'
import { instantOf } from '@caretaker/rules/calendar/days.ts'
import { fileTypes } from '@caretaker/rules/files/types.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { photoName, photoTypes, recordLimits, takenAt } from '@caretaker/rules/properties/records.ts'
import type { PropertySubject } from '@caretaker/rules/properties/rights.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { audit } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import type { StagedFile } from '../../files/files.ts'
import { keepFile, sendFile, stageFile } from '../../files/files.ts'
import type { PlainPhoto } from '../../files/photo.ts'
import type { StepsCall, TenantCall } from '../../http/serve.ts'
import type { Sending } from '../../http/sending.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { findProperty } from '../properties/store.ts'

type Call = Pick<TenantCall<Route>, 'tx' | 'actor' | 'person' | 'context'>
type PhotoForm = Extract<Received<typeof saveDocument>['form'], { documentType: 'PropertyRecords' }>
type PhotoType = (typeof photoTypes)[number]

/** The photographs of a property, latest first; refuses as `findProperty` does. */
export async function photographsOf({ tx, actor }: Pick<Call, 'tx' | 'actor'>, propertyId: string) {
  expectView(actor)
  const { subject } = await findProperty(tx, actor, propertyId)
  const rows = await photographs(tx)
    .where('document.property_id', '=', propertyId)
    .orderBy('happened_at', 'desc')
    .orderBy('document.created_at', 'desc')
    .orderBy('document.id')
    .execute()
  return rows.map((row) => asRecord(row, actor, subject))
}

/** The bytes of a photograph, with its title as the name. */
export async function sendPhotograph({ tx, actor, context }: Call, id: string): Promise<Sending> {
  const { row, home } = await findPhotograph(tx, actor, id)
  const name = photoName(row.title ?? '', fileTypes[row.content_type].ending)
  return (await sendFile({ tx, context }, row.file_id, { name })).of({ propertyId: home.id })
}

/** Adds a photograph to a property, without its location data. */
export async function addPhotograph(
  { context, tenant, inTx }: StepsCall<typeof saveDocument>,
  form: PhotoForm,
): Promise<PropertyRecord> {
  await inTx(({ tx, actor }) => findHomeForPhotos(tx, actor, form))
  const now = new Date()
  const { timestamp } = form.metadata
  if (timestamp && timestamp > now) {
    const message = 'A photograph cannot have been taken in the future'
    throw refuse('invalid', message, [{ field: 'metadata.timestamp', message }])
  }
  const wanted = { referrer: 'document', allowed: photoTypes, maxBytes: recordLimits.bytes }
  const staged = await stageFile(context, tenant, form.content, wanted)
  return inTx((call) => insertPhotograph(call, form, { staged, now }))
}

async function findHomeForPhotos(tx: TenantTx, actor: Actor, { propertyId }: PhotoForm) {
  expectView(actor)
  const found = await findProperty(tx, actor, propertyId)
  if (!can(actor, 'add property record', found.subject)) throw refuse('forbidden')
  return found
}

async function insertPhotograph(
  { tx, actor, person }: Pick<Call, 'tx' | 'actor' | 'person'>,
  form: PhotoForm,
  { staged, now }: { staged: StagedFile; now: Date },
): Promise<PropertyRecord> {
  const { subject, ...home } = await findHomeForPhotos(tx, actor, form)
  const { metadata } = form
  const file = await keepFile(tx, person, staged)
  await expectRoom(tx, home.id, file.id)
  const id = randomUUID()
  const own = file.taken && instantOfPhoto(file.taken, await zoneOf(tx))
  await tx
    .insertInto('document')
    .values({
      ...{ tenant_id: tx.tenant, id, document_type: 'PropertyRecords', property_id: home.id, file_id: file.id },
      ...{ location: form.propertyLocationId || null, title: metadata.title, note: metadata.note?.trim() || null },
      happened_at: new Date(takenAt({ entered: metadata.timestamp && +metadata.timestamp, own, now: +now })),
      ...{ created_at: now, created_by: person.id, created_by_name: person.name },
    })
    .execute()
  const { row } = await findPhotograph(tx, actor, id)
  await changed(tx, 'property', [home.id])
  const auditSubject = { type: 'property', id: home.id, name: home.reference } as const
  await audit(tx, { person, action: 'property photograph added', subject: auditSubject, after: inWords(row) })
  return asRecord(row, actor, subject)
}

export async function deletePhotograph({ tx, actor, person }: Call, id: string): Promise<void> {
  const { row, home, subject } = await findPhotograph(tx, actor, id, 'hold')
  if (!can(actor, 'delete property record', ownedBy(row, actor, subject))) throw refuse('forbidden')
  await tx.deleteFrom('document').where('tenant_id', '=', tx.tenant).where('id', '=', id).execute()
  await changed(tx, 'property', [home.id])
  const auditSubject = { type: 'property', id: home.id, name: home.reference } as const
  await audit(tx, { person, action: 'property photograph deleted', subject: auditSubject, before: inWords(row) })
}

/** Photographs of hidden properties are not disclosed. */
function expectView(actor: Actor): void {
  if (!can(actor, 'see property records')) throw refuse('forbidden')
}

const photographs = (tx: TenantTx) =>
  tx
    .selectFrom('document')
    .innerJoin('file', (join) => join.on('file.tenant_id', '=', tx.tenant).onRef('file.id', '=', 'document.file_id'))
    .where('document.tenant_id', '=', tx.tenant)
    .where('document.document_type', '=', 'PropertyRecords')
    .selectAll('document')
    .select(['file.content_type', 'file.size'])

type Row = Awaited<ReturnType<ReturnType<typeof photographs>['execute']>>[number]

/** A photograph with its property; 404 if it does not exist or belongs to a property that the actor may not see. */
async function findPhotograph(tx: TenantTx, actor: Actor, id: string, hold?: 'hold') {
  const query = photographs(tx).where('document.id', '=', id)
  const row = await (hold ? query.forUpdate('document') : query).executeTakeFirst()
  if (!row?.property_id || !can(actor, 'see property records')) throw refuse('not found')
  const { subject, ...home } = await findProperty(tx, actor, row.property_id)
  return { row, home, subject }
}

/** Refuses a duplicate, and more photographs than a page can show. */
async function expectRoom(tx: TenantTx, propertyId: string, fileId: string): Promise<void> {
  const { count, same } = await tx
    .selectFrom('document')
    .where('tenant_id', '=', tx.tenant)
    .where('property_id', '=', propertyId)
    .where('document_type', '=', 'PropertyRecords')
    .select((eb) => [
      eb.fn.countAll<number>().as('count'),
      sql<boolean>`coalesce(bool_or(file_id = ${fileId}), false)`.as('same'),
    ])
    .executeTakeFirstOrThrow()
  if (same) throw refuse('refused', 'This photograph is already in the records of the property.')
  if (count >= recordLimits.photographs)
    throw refuse(
      'refused',
      `A property can have at most ${recordLimits.photographs.toLocaleString('en-GB')} photographs.`,
    )
}

/** A camera time without an offset is taken as local to the property. */
const instantOfPhoto = ({ local, offset }: NonNullable<PlainPhoto['taken']>, zone: string) =>
  offset === undefined ? instantOf(local, zone) : local - offset

const ownedBy = (row: Row, actor: Actor, subject: PropertySubject): PropertySubject => ({
  ...subject,
  isOwnRecord: row.created_by === actor.userId,
})

/** The photograph in the words of the audit. */
const inWords = (row: Row) => ({
  title: row.title,
  date: row.happened_at.toISOString(),
  ...(row.location && { location: row.location }),
  ...(row.note && { note: row.note }),
})

function asRecord(row: Row, actor: Actor, subject: PropertySubject): PropertyRecord {
  return {
    id: row.id,
    documentType: 'PropertyRecords',
    contentType: row.content_type as PhotoType,
    propertyId: row.property_id!,
    propertyLocationId: row.location,
    createdBy: row.created_by_name,
    metadata: { title: row.title ?? '', timestamp: row.happened_at.toISOString(), note: row.note },
    size: Number(row.size),
    resourceLocation: getDocument.path.replace('{tenant}', actor.tenant).replace('{id}', row.id),
    userCanDelete: can(actor, 'delete property record', ownedBy(row, actor, subject)),
  }
}
