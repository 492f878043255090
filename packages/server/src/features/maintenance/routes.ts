import type { FastifyInstance } from 'fastify'
import {
  addDeviceNote,
  addRepairPhoto,
  getAllDeviceForms,
  getBoilerRepairForms,
  getDeviceNotes,
  getDeviceRepairForms,
  getEmeredRepairForms,
  getLiftMonitorsForms,
  getNetworkDevicesForms,
  getPeopleCountersForms,
  getRepairPhoto,
} from '@caretaker/contract/maintenance.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { areaOf } from '@caretaker/rules/devices/products.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hasLevel } from '@caretaker/rules/identity/actor.ts'
import { levels } from '@caretaker/rules/identity/roles.ts'
import type { FormFamily } from '@caretaker/rules/maintenance/forms.ts'
import { formTexts, isCompleted, productsOfForms } from '@caretaker/rules/maintenance/forms.ts'
import { longestPhoto, mostPhotos } from '@caretaker/rules/maintenance/repairs.ts'
import { photoTypes } from '@caretaker/rules/properties/records.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { audit } from '../../audit/audit.ts'
import { keepFile, sendFile, stageFile } from '../../files/files.ts'
import { serveTenant, serveTenantInSteps } from '../../http/serve.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { deviceSubject, holdDevice } from '../devices/held.ts'
import { findDevice } from '../devices/store.ts'
import {
  addNote,
  addPhoto,
  findPhoto,
  findRequestedPhoto,
  holdRepair,
  readNotes,
  readRepairs,
  readRepairsOf,
} from './store.ts'

export function maintenanceRoutes(app: FastifyInstance): void {
  const families = [
    [getEmeredRepairForms, 'emered'],
    [getBoilerRepairForms, 'boiler'],
    [getLiftMonitorsForms, 'liftMonitor'],
    [getPeopleCountersForms, 'peopleCounter'],
    [getNetworkDevicesForms, 'network'],
  ] as const
  for (const [route, family] of families)
    serveTenant(app, route, async ({ tx, actor, body: { before } }) =>
      success(await readRepairsOf(tx, actor, { products: readableProducts(actor, family), before })),
    )

  serveTenant(app, getDeviceRepairForms, async ({ tx, actor, body: { deviceId, deviceType } }) => {
    await findOfType(tx, actor, deviceId, deviceType)
    return success(await readRepairs(tx, actor, deviceId))
  })

  serveTenant(app, getAllDeviceForms, async ({ tx, actor, body: { deviceId, deviceType } }) => {
    await findOfType(tx, actor, deviceId, deviceType)
    const entries = [...(await readRepairs(tx, actor, deviceId)), ...(await readNotes(tx, deviceId))]
    return success(entries.sort((a, b) => (a.timestamp < b.timestamp ? 1 : a.timestamp > b.timestamp ? -1 : 0)))
  })

  serveTenant(app, getDeviceNotes, async ({ tx, actor, body: { deviceId } }) => {
    await findDevice(tx, actor, deviceId)
    return success(await readNotes(tx, deviceId))
  })

  serveTenantInSteps(app, addRepairPhoto, async ({ context, tenant, form, inTx }) => {
    const { deviceId, repairId, requestId } = form
    const check = async ({ tx, actor }: { tx: TenantTx; actor: Actor }) => {
      const device = await holdDevice(tx, actor, deviceId)
      if (!can(actor, 'set condition', device)) throw refuse('forbidden')
      const count = await holdRepair(tx, deviceId, repairId)
      if (count === undefined) throw refuse('not found')
      const known = requestId && (await findRequestedPhoto(tx, { repairId, requestId }))
      if (known) return { device, known }
      if (count >= mostPhotos) throw refuse('refused', `A repair can have at most ${mostPhotos} photos.`)
      return { device, known: undefined }
    }
    const { known } = await inTx(check)
    if (known) return success({ photoId: known })
    const wanted = { referrer: 'repair_photo', allowed: photoTypes, maxBytes: longestPhoto }
    const staged = await stageFile(context, tenant, form.file, wanted)
    return inTx(async (call) => {
      const { tx, person } = call
      const { device, known } = await check(call)
      if (known) return success({ photoId: known })
      const file = await keepFile(tx, person, staged)
      const photoId = await addPhoto(tx, { deviceId, repairId, requestId, file })
      const after = { repairId, photo: file.name }
      await audit(tx, { person, action: 'repair photo added', subject: deviceSubject(device), after })
      return success({ photoId })
    })
  })

  serveTenant(app, getRepairPhoto, async ({ tx, actor, query, context }) => {
    const device = await findDevice(tx, actor, query.deviceId)
    const photo = await findPhoto(tx, { ...query, deviceId: device.id })
    if (!photo) throw refuse('not found')
    return sendFile({ tx, context }, photo.fileId, { name: photo.name })
  })

  serveTenant(app, addDeviceNote, async ({ tx, actor, person, form: { deviceId, deviceType, note } }) => {
    const device = await holdDevice(tx, actor, deviceId)
    if (!can(actor, 'write note', device)) throw refuse('forbidden')
    expectType(device.product, deviceType)
    if (!isCompleted({ note })) throw refuse('invalid', formTexts.empty, [{ field: 'note', message: formTexts.empty }])
    const entry = await addNote(tx, { deviceId, note, person })
    // Without the text: a note may name people, and the audit outlives the device's installation.
    const after = { noteId: entry.id, characters: note.length }
    await audit(tx, { person, action: 'device note added', subject: deviceSubject(device), after })
    return success(entry, formTexts.submitted)
  })
}

/** The products of a kind whose area the actor may read. */
function readableProducts(actor: Actor, family: FormFamily): Product[] {
  return productsOfForms(family).filter((product) => hasLevel(actor, areaOf(product), levels.read))
}

async function findOfType(tx: TenantTx, actor: Actor, deviceId: string, type: Product): Promise<void> {
  expectType((await findDevice(tx, actor, deviceId)).product, type)
}

function expectType(product: Product, type: Product): void {
  const message = 'The device is of another type.'
  if (product !== type) throw refuse('invalid', message, [{ field: 'deviceType', message }])
}
