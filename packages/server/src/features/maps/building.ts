import type { OpenedMapBuilding } from '@caretaker/contract/maps.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { seesPlanOf } from '../buildings/plans.ts'
import { countFloors, findBuilding, readBuilding } from '../buildings/store.ts'

const empty = { devices: 0, failed: 0, warning: 0, offline: 0, notPlaced: 0, notPlacedFailed: 0, listing: null }

/** A building with the floors whose plan the actor may see; 404 if there is none. */
export async function openedBuilding(tx: TenantTx, actor: Actor, named: string): Promise<OpenedMapBuilding> {
  const id = await findBuilding(tx, named)
  const { floors: all, ...building } = await readBuilding(tx, actor, id)
  const sees = await seesPlanOf(tx, actor, id)
  const counts = new Map((await countFloors(tx, actor, id)).map((count) => [count.floor, count]))
  const floors = all.flatMap((floor, index) =>
    sees(floor.floor) ? { ...empty, ...counts.get(floor.floor), ...floor, index } : [],
  )
  if (!floors.length) throw refuse('not found')
  const isOnFloors = floors.some(({ floor }) => floor === building.defaultFloor)
  return { ...building, defaultFloor: isOnFloors ? building.defaultFloor : null, floors }
}
