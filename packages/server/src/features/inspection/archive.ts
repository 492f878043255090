import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { Refusal, refuse } from '@caretaker/contract/refusal.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { SheetsOrder } from '@caretaker/rules/inspection/sheet.ts'
import { periodFault } from '@caretaker/rules/inspection/sheet.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { findLights, logBookOf, openSheet, sheetFileName } from './open.ts'
import type { PhotoFiles } from './sheet.ts'
import { buildingsWithLights } from './store.ts'

/** Runs work in a transaction with one snapshot, with the rights that the user then has. */
export type AsReader = <T>(work: (tx: TenantTx, person: { name: string }, actor: Actor) => Promise<T>) => Promise<T>

/** Refuses an order that cannot result in a sheet for the actor; returns the number of buildings. */
export async function expectSheets(tx: TenantTx, actor: Actor, order: SheetsOrder, now: Date): Promise<number> {
  const fault = periodFault(order, dayAt(+now, await zoneOf(tx)))
  if (fault) throw refuse('invalid', fault, [{ field: 'to', message: fault }])
  const known = await buildingsWithLights(tx, actor)
  const message = 'No emergency light of these buildings is in service.'
  const wanted = order.buildingIds
  if (wanted && wanted.some((id) => !known.includes(id))) throw refuse('not found')
  if (!known.length) throw refuse('invalid', message, [{ field: 'buildingIds', message }])
  return wanted ? wanted.length : known.length
}

/**
 * Writes the sheets of several buildings into one archive, one file each, each in its state at the time of writing. A
 * building that was deleted meanwhile, or whose lights the user no longer sees, is left out.
 */
export async function writeSheets(
  place: string,
  asReader: AsReader,
  order: SheetsOrder,
  { files, onSheets }: { files: PhotoFiles; onSheets: (count: number) => void },
): Promise<{ written: number }> {
  const zip = new ZipFile()
  const whole = pipeline(zip.outputStream, createWriteStream(place))
  // Errors of the archive are reported by the work that fills it.
  whole.catch(() => undefined)
  const buildings = order.buildingIds ?? (await asReader((tx, _, actor) => buildingsWithLights(tx, actor)))
  const names = new Set<string>()
  let written = 0
  for (const buildingId of buildings) {
    const isThere = await asReader(async (tx, person, actor) => {
      const found = await findLights(tx, actor, buildingId).catch((error: unknown) => {
        if (error instanceof Refusal) return undefined
        throw error
      })
      if (!found) return false
      const { from, to, format } = order
      const logBook = logBookOf(found.building)
      const asked = { ...found, period: { from, to }, logBook, now: new Date(), writtenBy: person.name }
      const { table, parts } = await openSheet(tx, actor, asked, { format, files })
      zip.addReadStream(table.bytes as Readable, unusedName(names, sheetFileName(found.building.name, to, format)))
      await pipeline(Readable.from(parts, { highWaterMark: 1 }), table.rows)
      return true
    })
    if (isThere) onSheets(++written)
  }
  zip.end()
  await whole
  return { written }
}

/** Two buildings may have the same name. */
function unusedName(names: Set<string>, name: string): string {
  const dot = name.lastIndexOf('.')
  let unused = name
  for (let number = 2; names.has(unused); number++) unused = `${name.slice(0, dot)}-${number}${name.slice(dot)}`
  names.add(unused)
  return unused
}
