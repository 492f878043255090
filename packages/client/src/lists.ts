import { setTimeout as sleep } from 'node:timers/promises'
import { exportListing } from '@caretaker/contract/calls/devices.ts'
import { commitImport, getImport, undoImport, uploadImport } from '@caretaker/contract/calls/imports.ts'
import { exportProperties } from '@caretaker/contract/calls/properties.ts'
import { columnsAsked } from '@caretaker/contract/import-lines.ts'
import type { Import } from '@caretaker/contract/imports.ts'
import { listingNames, listings } from '@caretaker/rules/devices/list.ts'
import { asksForColumns, workingStates } from '@caretaker/rules/imports/life.ts'
import type { Field } from '@caretaker/rules/lists/fields.ts'
import { propertyLists } from '@caretaker/rules/properties/list.ts'
import type { Client } from './client.ts'

/** The lists that can be exported, changed and imported again. */
export const listNames = ['Properties', ...listingNames] as const
export type ListName = (typeof listNames)[number]

/** A list that cannot be read or imported, with the reason. */
export class ListError extends Error {
  override name = 'ListError'
}

/** The columns that a list has for every client and that can be exported, in the order of the list. */
export function columnsOf(list: ListName): string[] {
  const { fields } = list === 'Properties' ? propertyLists.Properties : listings[list]
  const all: Readonly<Record<string, Pick<Field, 'exportable' | 'feature'>>> = fields
  return Object.keys(all).filter((id) => all[id]!.exportable && all[id]!.feature === undefined)
}

interface Wanted {
  list: ListName
  format: 'csv' | 'xlsx'
  /** `columnsOf` by default. */
  columns?: string[] | undefined
}

/** All rows of a list as a file. */
export async function exportList(
  { call }: Client,
  tenant: string,
  { list, format, columns = columnsOf(list) }: Wanted,
): Promise<File> {
  // The server rejects unknown columns with their names.
  const body = { tenant, format, columns: columns as never[] }
  return list === 'Properties'
    ? call(exportProperties, { body: { ...body, listing: list } })
    : call(exportListing, { body: { ...body, listing: list } })
}

interface Settings {
  /** Runs the import after the preview. */
  yes?: boolean | undefined
  /** The interval between two progress queries, in ms. */
  interval?: number | undefined
}

/** Uploads a list and yields its preview; on request runs the import and yields the result. */
export async function* importList(
  client: Client,
  tenant: string,
  file: File,
  { yes = false, interval = 500 }: Settings = {},
): AsyncGenerator<Import> {
  const { importId } = await client.call(uploadImport, { form: { tenant, file } })
  const ofImport = { tenant, importId }
  const planned = await whenDone(client, ofImport, interval)
  if (planned.state !== 'planned') throw new ListError(`${planned.fault ?? 'The list cannot be read'}.`)
  if (planned.found && asksForColumns(planned.found)) throw new ListError(columnsAsked(planned.found))
  yield planned
  if (!yes) return
  await client.call(commitImport, { body: { ...ofImport, revision: planned.revision } })
  yield whenDone(client, ofImport, interval)
}

/** Undoes a finished import; returns it, with the items that undo kept. */
export async function undoList(client: Client, tenant: string, importId: string, interval = 500): Promise<Import> {
  const ofImport = { tenant, importId }
  await client.call(undoImport, { body: ofImport })
  return whenDone(client, ofImport, interval)
}

/** The import once the server has finished working on it. */
async function whenDone({ call }: Client, body: { tenant: string; importId: string }, interval: number) {
  for (;;) {
    const list = await call(getImport, { body })
    if (!workingStates.includes(list.state)) return list
    await sleep(interval)
  }
}
