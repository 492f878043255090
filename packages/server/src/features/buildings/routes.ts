import type { FastifyInstance } from 'fastify'
import {
  addBuilding,
  getBuilding,
  getFloorPlan,
  getLatLong,
  getTenantBuildings,
  getTenantBuildingSummary,
  previewFloorPlan,
  updateBuilding,
  updateFloorPosition,
  uploadFloorPlan,
} from '@caretaker/contract/buildings.ts'
import { success } from '@caretaker/contract/refusal.ts'
import { sendFile } from '../../files/files.ts'
import { serveTenant, serveTenantInSteps } from '../../http/serve.ts'
import { placeOf } from '../../postcodes/postcodes.ts'
import { findPlan, keepPlan, previewPlan } from './plans.ts'
import { changeBuilding, makeBuilding, positionFloor } from './save.ts'
import { countFloors, findBuilding, listBuildings, readBuilding, summariseBuildings } from './store.ts'

export function buildingRoutes(app: FastifyInstance): void {
  serveTenant(app, getTenantBuildings, async ({ tx, actor }) => success(await listBuildings(tx, actor)))
  serveTenant(app, getTenantBuildingSummary, async ({ tx, actor }) => success(await summariseBuildings(tx, actor)))

  serveTenant(app, getBuilding, async ({ tx, actor, body }) => {
    const id = await findBuilding(tx, body.building)
    return success({ ...(await readBuilding(tx, actor, id)), counts: await countFloors(tx, actor, id) })
  })

  serveTenant(app, addBuilding, async (call) => {
    const made = await makeBuilding(call, call.body.building)
    return success({ ...made, buildingId: made.building })
  })
  serveTenant(app, updateBuilding, async (call) => success(await changeBuilding(call, call.body.building)))
  serveTenant(app, updateFloorPosition, async (call) => success(await positionFloor(call, call.body)))

  serveTenantInSteps(app, uploadFloorPlan, async (call) => success(await keepPlan(call)))
  serveTenantInSteps(app, previewFloorPlan, async (call) => success(await previewPlan(call)))
  serveTenant(app, getFloorPlan, async ({ tx, actor, query, context }) => {
    const { fileId, name } = await findPlan(tx, actor, query)
    return sendFile({ tx, context }, fileId, { name })
  })

  serveTenantInSteps(app, getLatLong, async (call) => success((await placeOf(call, call.body.postCode)) ?? null))
}
