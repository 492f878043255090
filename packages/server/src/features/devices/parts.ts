import { sql } from 'kysely'
import type { PartsRow } from '@caretaker/contract/parts.ts'
import { mostLightsToRepair } from '@caretaker/contract/parts.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import { conditionKinds } from '@caretaker/rules/conditions/conditions.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import {
  lightPartWords,
  modelNotEntered,
  needsPart,
  partsForTheVan,
  partsList,
} from '@caretaker/rules/conditions/parts.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { rowsWanted } from '../../lists/read.ts'
import { wantedOf } from '../../lists/wanted.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { Row } from '../../spreadsheets/table.ts'
import { openConditions } from '../conditions/store.ts'
import { deviceList, equipmentOf } from './list.ts'

interface Asked {
  filters: readonly Filter[]
  search: string
}

const kinds = conditionKinds.filter((kind) => needsPart({ kind }))

/** The parts needed by the lights that match, and the number of these lights. */
export async function partsWanted(tx: TenantTx, actor: Actor, { filters, search }: Asked) {
  const question = { listing: 'EmergencyLights' as const, filters: [...filters] as never, search }
  const wanted = await wantedOf(deviceList, tx, actor, question, () => {
    throw refuse('not found')
  })
  const lights = await (
    await rowsWanted(deviceList, tx, actor, wanted)
  )
    .where(
      sql<boolean>`exists (select from condition where condition.tenant_id = ${tx.tenant}
        and condition.device_id = device.id and condition.ended_at is null and condition.kind = any(${kinds}::text[]))`,
    )
    .select([
      'device.id as deviceId',
      'device.name as name',
      'device.serial as serial',
      'device.building_id as buildingId',
      'device.building_name as building',
      'device.floor_name as floor',
      'device.room as room',
    ])
    .orderBy('device.serial')
    .limit(mostLightsToRepair + 1)
    .execute()
  const some = lights.slice(0, mostLightsToRepair)
  const ids = some.map(({ deviceId }) => deviceId)
  const [conditions, equipment] = [await openConditions(tx, ids), await equipmentOf(tx, ids)]
  const rows: PartsRow[] = partsList(
    some.map((light) => ({
      light: { ...light, name: light.name || light.serial },
      models: equipment.get(light.deviceId) ?? null,
      open: (conditions.get(light.deviceId) ?? []).map(({ evidence, ...one }) => ({
        ...one,
        description: evidence.description ?? null,
      })),
    })),
  )
  const named = new Set(rows.flatMap((row) => row.lights.map(({ deviceId }) => deviceId)))
  return { rows, lights: named.size, hasMore: lights.length > some.length }
}

export const partsSheets = [
  { name: 'By building', columns: 9 },
  { name: 'For the van', columns: 3 },
]

/** The rows of the two sheets of a workbook. */
export function partsWorkbook(rows: readonly PartsRow[]): [byBuilding: Row[], forTheVan: Row[]] {
  const model = (name: string | null) => name ?? modelNotEntered
  return [
    [
      ['Building', 'Part', 'Model', 'Quantity', 'Light', 'Serial', 'Floor', 'Room', 'Reason'],
      ...rows.flatMap((row) =>
        row.lights.map((light): Row => [
          ...[row.building, lightPartWords[row.part].one, model(row.model), 1],
          ...[light.name, light.serial, light.floor, light.room, light.reason],
        ]),
      ),
    ],
    [
      ['Part', 'Model', 'Quantity'],
      ...partsForTheVan(rows).flatMap(({ part, models }) =>
        models.map((one): Row => [lightPartWords[part].one, model(one.model), one.quantity]),
      ),
    ],
  ]
}
