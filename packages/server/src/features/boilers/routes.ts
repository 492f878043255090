import type { FastifyInstance } from 'fastify'
import { getBoiler } from '@caretaker/contract/boilers.ts'
import { success } from '@caretaker/contract/refusal.ts'
import { serveTenant } from '../../http/serve.ts'
import { boilerInFull } from './store.ts'

export function boilerRoutes(app: FastifyInstance): void {
  serveTenant(app, getBoiler, async ({ tx, actor, body }) => success(await boilerInFull(tx, actor, body.deviceId)))
}
