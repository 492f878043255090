import type { FastifyInstance } from 'fastify'
import {
  createProvisioningKey,
  getProvisioning,
  revokeProvisioningKey,
  setProvisioning,
} from '@caretaker/contract/provisioning.ts'
import { serveTenant } from '../../http/serve.ts'
import { setProvisioningInvites } from '../tenants/service.ts'
import * as keys from './keys.ts'
import { provisioningOf } from './settings.ts'

export function provisioningRoutes(app: FastifyInstance): void {
  serveTenant(app, getProvisioning, async ({ tx, context }) => provisioningOf(tx, context.config.origin))
  serveTenant(app, setProvisioning, async (call) => setProvisioningInvites(call, call.body.invites))
  serveTenant(app, createProvisioningKey, async ({ tx, person }) => keys.createKey(tx, person))
  serveTenant(app, revokeProvisioningKey, async ({ tx, person, params }) => keys.revokeKey(tx, person, params.keyId))
}
