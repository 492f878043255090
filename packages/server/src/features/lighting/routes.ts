import type { FastifyInstance } from 'fastify'
import { getEmered } from '@caretaker/contract/devices.ts'
import {
  addStandardLuminaire,
  deleteStandardLuminaire,
  getStandardLuminaires,
  updateEmeredLuminaire,
  updateEmeredMonitoredLedCircuit,
} from '@caretaker/contract/equipment.ts'
import { getAllDeviceTests } from '@caretaker/contract/lighting.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { nameTaken } from '@caretaker/rules/lighting/luminaire.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { audit } from '../../audit/audit.ts'
import { serveTenant } from '../../http/serve.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { HeldDevice } from '../devices/held.ts'
import { holdDevice } from '../devices/held.ts'
import { deviceInFull, findDevice } from '../devices/store.ts'
import { equipmentOf, setLuminaire, setMonitoredLedCircuit } from './equipment.ts'
import { deleteStandardLuminaireOf, insertStandardLuminaire, listStandardLuminaires } from './luminaires.ts'
import { latestTests, listTests } from './store.ts'

/** Holds a light that the actor may equip. */
async function holdLight(tx: TenantTx, actor: Actor, deviceId: string): Promise<HeldDevice> {
  const device = await holdDevice(tx, actor, deviceId)
  if (!can(actor, 'equip light', device)) throw refuse('forbidden')
  return device
}

export function lightingRoutes(app: FastifyInstance): void {
  serveTenant(app, getEmered, async ({ tx, actor, body }) => {
    const device = await deviceInFull(tx, actor, body.deviceId, 'EmergencyLights')
    const [equipment, tests] = [await equipmentOf(tx, device.deviceId), await latestTests(tx, device.deviceId)]
    return success({ ...device, equipment, latestTests: tests })
  })

  serveTenant(app, getAllDeviceTests, async ({ tx, actor, body }) => {
    const device = await findDevice(tx, actor, body.deviceId)
    return success(await listTests(tx, device.id))
  })

  serveTenant(app, updateEmeredLuminaire, async ({ tx, actor, person, body }) => {
    const device = await holdLight(tx, actor, body.deviceId)
    const installed = body.batteryInstalledDate
    if (installed && installed > dayAt(Date.now(), await zoneOf(tx))) {
      const message = 'must not be in the future'
      throw refuse('invalid', undefined, [{ field: 'batteryInstalledDate', message }])
    }
    await setLuminaire(tx, person, device, body)
    return success({ deviceId: device.deviceId })
  })

  serveTenant(app, updateEmeredMonitoredLedCircuit, async ({ tx, actor, person, body }) => {
    const device = await holdLight(tx, actor, body.deviceId)
    await setMonitoredLedCircuit(tx, person, device, body.monitoredLedCircuit)
    return success({ deviceId: device.deviceId })
  })

  serveTenant(app, getStandardLuminaires, async ({ tx, actor }) => success(await listStandardLuminaires(tx, actor)))

  serveTenant(app, addStandardLuminaire, async ({ tx, actor, person, body: { tenant: _, ...luminaire } }) => {
    const id = await insertStandardLuminaire(tx, luminaire)
    if (!id) throw refuse('refused', nameTaken, [{ field: 'name', message: nameTaken }])
    const subject = { type: 'standard luminaire', id, name: luminaire.name } as const
    await audit(tx, { person, action: 'standard luminaire added', subject, after: luminaire })
    return success((await listStandardLuminaires(tx, actor)).find((one) => one.id === id)!)
  })

  serveTenant(app, deleteStandardLuminaire, async ({ tx, person, body: { luminaireId } }) => {
    const gone = await deleteStandardLuminaireOf(tx, luminaireId)
    if (!gone) throw refuse('not found')
    const { id, ...before } = gone
    const subject = { type: 'standard luminaire', id, name: gone.name } as const
    await audit(tx, { person, action: 'standard luminaire deleted', subject, before })
    return success({ luminaireId })
  })
}
