import { strToU8, zipSync } from 'fflate'
import type { PropertyRecord } from '@caretaker/contract/documents.ts'
import { fileTypes } from '@caretaker/rules/files/types.ts'
import { photoName, photoNames } from '@caretaker/rules/properties/records.ts'
import { saveFile } from '../../../api/save-file.ts'
import { photograph } from '../queries.ts'

const endingOf = ({ contentType }: PropertyRecord) => fileTypes[contentType].ending

/** Downloads photographs: one as it is, several as a ZIP with a list of their details. */
export async function savePhotographs(
  tenant: string,
  records: readonly PropertyRecord[],
  reference: string,
): Promise<void> {
  const [first] = records
  if (first && records.length === 1) return savePhotograph(await photograph(tenant, first.id), first)
  const names = photoNames(records.map((record) => ({ title: record.metadata.title, ending: endingOf(record) })))
  const files: Record<string, Uint8Array> = {}
  // One at a time, because each may be large.
  for (const [at, record] of records.entries())
    files[names[at]!] = new Uint8Array(await (await photograph(tenant, record.id)).arrayBuffer())
  files['list.txt'] = strToU8(records.map((record, at) => lineOf(record, names[at]!)).join('\r\n'))
  // Photographs are compressed already.
  const packed = zipSync(files, { level: 0 }) as Uint8Array<ArrayBuffer>
  saveFile(new File([packed], photoName(`${reference} photographs`, 'zip'), { type: 'application/zip' }))
}

export const savePhotograph = (content: Blob, record: PropertyRecord): void =>
  saveFile(new File([content], photoName(record.metadata.title, endingOf(record)), { type: record.contentType }))

const lineOf = ({ metadata, propertyLocationId, createdBy }: PropertyRecord, name: string) =>
  [name, metadata.timestamp, propertyLocationId ?? '', createdBy, metadata.note?.replaceAll(/\s+/g, ' ') ?? ''].join(
    '\t',
  )
