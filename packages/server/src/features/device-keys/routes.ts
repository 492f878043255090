import type { FastifyInstance } from 'fastify'
import { getDeviceKey, getDeviceKeys, replaceDeviceKey, revokeDeviceKey } from '@caretaker/contract/device-keys.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import { areaOf, productCodes } from '@caretaker/rules/devices/products.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hasLevel, isLimited } from '@caretaker/rules/identity/actor.ts'
import { levels } from '@caretaker/rules/identity/roles.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { serveTenant } from '../../http/serve.ts'
import { addressForDevices } from '../../mqtt/device-keys.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { holdDevice } from '../devices/held.ts'
import { findDevice } from '../devices/store.ts'
import { replaceKey, revokeKey } from './service.ts'
import { findKey, keysAfter } from './store.ts'

export function deviceKeyRoutes(app: FastifyInstance): void {
  serveTenant(app, getDeviceKey, async ({ tx, actor, params: { deviceId } }) => {
    const device = await findDevice(tx, actor, deviceId)
    if (!can(actor, 'manage device keys', device)) throw refuse('forbidden')
    return findKey(tx, deviceId)
  })

  serveTenant(app, replaceDeviceKey, async ({ tx, actor, person, params: { deviceId } }) => {
    const device = await holdForKeys(tx, actor, deviceId)
    const { deviceKey, password } = await replaceKey({ tx, person, device, now: new Date() })
    return {
      deviceKey,
      credentials: { username: deviceId, password, mqttUrl: addressForDevices(app.services.context.config) },
    }
  })

  serveTenant(app, revokeDeviceKey, async ({ tx, actor, person, params: { deviceId } }) => {
    await revokeKey({ tx, person, device: await holdForKeys(tx, actor, deviceId), now: new Date() })
  })

  serveTenant(app, getDeviceKeys, async ({ tx, actor, query: { after, limit } }) => {
    const products = productCodes.filter((code) => hasLevel(actor, areaOf(code), levels.read))
    const tags = isLimited(actor) ? actor.tags : null
    const found = await keysAfter(tx, { products, tags, after, limit: limit + 1 })
    const results = found.slice(0, limit)
    return { results, next: found.length > limit ? results.at(-1)!.serialNumber : null }
  })
}

async function holdForKeys(tx: TenantTx, actor: Actor, deviceId: string) {
  const device = await holdDevice(tx, actor, deviceId)
  if (!can(actor, 'manage device keys', device)) throw refuse('forbidden')
  return device
}
