import type { SheetFormat } from '@caretaker/contract/inspection.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { isLimited } from '@caretaker/rules/identity/actor.ts'
import type { LogBook } from '@caretaker/rules/inspection/sheet.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { About } from './parts.ts'
import { sheetXlsx } from './sheet-xlsx.ts'
import type { PhotoFiles, SheetAsked } from './sheet.ts'
import { aboutSheet, sheetParts } from './sheet.ts'
import { findBuilding, lightsOf } from './store.ts'

/** The row limit of an Excel sheet, with a margin for planned tests without a result. */
const mostTests = 900_000

/**
 * A building and those of its lights that the actor sees. For a user who sees none of them the building is not found.
 */
export async function findLights(tx: TenantTx, actor: Actor, buildingId: string) {
  const building = await findBuilding(tx, buildingId)
  const lights = building && (await lightsOf(tx, actor, buildingId))
  if (!lights || (isLimited(actor) && lights.length === 0)) throw refuse('not found')
  return { building, lights }
}

export const logBookOf = ({ responsible, certificate, centralBattery }: LogBook): LogBook => ({
  ...{ responsible, certificate, centralBattery },
})

/** A sheet ready to be written: the writer, and its parts. */
export async function openSheet(
  tx: TenantTx,
  actor: Actor,
  asked: SheetAsked,
  { format, files }: { format: SheetFormat; files: PhotoFiles },
) {
  const about = await aboutSheet(tx, actor, asked)
  if (format === 'xlsx') refuseTooMany(about)
  // The PDF writer with its fonts is loaded at first use.
  const write = format === 'pdf' ? (await import('./sheet-pdf.ts')).sheetPdf : sheetXlsx
  const { lights, building } = asked
  return { table: write(about), parts: sheetParts(tx, actor, about, { building: building.id, lights, files }) }
}

export const sheetFileName = (building: string, to: Day, format: SheetFormat) =>
  `${to}-EmergencyLighting-${fileName(building)}.${format}`

function refuseTooMany({ tests }: About): void {
  if (tests.reduce((sum, { count }) => sum + count, 0) <= mostTests) return
  const message = 'An Excel sheet cannot hold this many tests. Choose a shorter period, or a PDF.'
  throw refuse('invalid', message, [{ field: 'from', message }])
}

/** A building's name for a file name: basic letters and digits only. */
function fileName(name: string): string {
  const plain = name.normalize('NFD').replaceAll(/[^\w ]/g, '')
  return plain.trim().replaceAll(/\s+/g, '-').slice(0, 60) || 'building'
}
