import type { FastifyInstance } from 'fastify'
import { getTenantBuildings, getTenantBuildingSummary } from '@caretaker/contract/buildings.ts'
import { success } from '@caretaker/contract/refusal.ts'
import { serveTenant } from '../../http/serve.ts'
import { listBuildings, summariseBuildings } from './store.ts'

export function buildingRoutes(app: FastifyInstance): void {
  serveTenant(app, getTenantBuildings, async ({ tx }) => success(await listBuildings(tx)))
  serveTenant(app, getTenantBuildingSummary, async ({ tx, actor }) => success(await summariseBuildings(tx, actor)))
}
