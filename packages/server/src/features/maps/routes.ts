import type { FastifyInstance } from 'fastify'
import {
  getMapBuilding,
  getMapBuildings,
  getMapBuildingsExtent,
  getMapDevices,
  getMapDevicesExtent,
  getMapSketch,
} from '@caretaker/contract/maps.ts'
import { success } from '@caretaker/contract/refusal.ts'
import { countryAround, sketchAround } from '@caretaker/rules/maps/sketch.ts'
import { serveTenant } from '../../http/serve.ts'
import { openedBuilding } from './building.ts'
import { buildingsOnMap, devicesOnMap, extentOf, onMap, sketchedPlaces, sketchedTowns } from './store.ts'

export function mapRoutes(app: FastifyInstance): void {
  serveTenant(app, getMapDevices, async ({ tx, actor, body }) =>
    success(await onMap(tx, devicesOnMap(tx, actor, body), body)),
  )
  serveTenant(app, getMapBuildings, async ({ tx, actor, body }) =>
    success(await onMap(tx, buildingsOnMap(tx, actor, body), body)),
  )
  serveTenant(app, getMapDevicesExtent, async ({ tx, actor, body }) =>
    success(await extentOf(tx, devicesOnMap(tx, actor, body))),
  )
  serveTenant(app, getMapBuildingsExtent, async ({ tx, actor, body }) =>
    success(await extentOf(tx, buildingsOnMap(tx, actor, body))),
  )

  serveTenant(app, getMapBuilding, async ({ tx, actor, body }) =>
    success(await openedBuilding(tx, actor, body.building)),
  )

  serveTenant(app, getMapSketch, async ({ tx, actor, body: { frame }, context }) => {
    if (!context.config.demo) return success(sketchAround([]))
    return success(
      frame ? sketchAround(await sketchedPlaces(tx, actor, frame)) : countryAround(await sketchedTowns(tx, actor)),
    )
  })
}
