import type { FastifyInstance } from 'fastify'
import { success } from '@caretaker/contract/refusal.ts'
import { searchEverything } from '@caretaker/contract/search.ts'
import { serveTenant } from '../../http/serve.ts'
import { findDevices } from './devices.ts'
import { findBuildings, findHomes, findPeople, findViews } from './store.ts'

export function searchRoutes(app: FastifyInstance): void {
  serveTenant(app, searchEverything, async ({ tx, actor, body }) => {
    const wanted = body.search
    return success({
      devices: await findDevices(tx, actor, wanted, 8),
      properties: await findHomes(tx, actor, wanted, 5),
      buildings: await findBuildings(tx, actor, wanted, 5),
      people: await findPeople(tx, actor, wanted, 5),
      views: await findViews(tx, actor, wanted, 5),
    })
  })
}
