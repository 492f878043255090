import type { FastifyInstance } from 'fastify'
import { createApiKey, getApiKeys, revokeApiKey } from '@caretaker/contract/api-keys.ts'
import { serveTenant } from '../../http/serve.ts'
import * as service from './service.ts'

export function apiKeyRoutes(app: FastifyInstance): void {
  serveTenant(app, getApiKeys, async ({ tx }) => ({ results: await service.apiKeys(tx, new Date()) }))
  serveTenant(app, createApiKey, async (call) => service.makeApiKey(call, call.body, new Date()))
  serveTenant(app, revokeApiKey, async (call) => service.revokeApiKey(call, call.params.keyId, new Date()))
}
