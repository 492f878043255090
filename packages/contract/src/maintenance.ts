import { z } from 'zod'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import { descriptionLength, formCategories, noteLength } from '@caretaker/rules/maintenance/forms.ts'
import type { May } from './route.ts'
import { route } from './route.ts'
import { DeviceId, Instant, TenantId, Timestamp, text } from './scalars.ts'
import { envelope } from './refusal.ts'

/** What somebody wrote into a device's file, a repair or a note (devices specification, section 3). */
export const FormEntry = z
  .object({
    id: z.string(),
    category: z.enum(formCategories),
    /** As it was written: plain text, never markup. */
    description: z.string(),
    /** Flags: of an emergency light what was replaced or repaired. */
    data: z.record(z.string(), z.boolean()),
    /** Who wrote it. */
    user: z.string(),
    timestamp: Timestamp,
  })
  .meta({ id: 'FormEntry' })
export type FormEntry = z.infer<typeof FormEntry>

/** A repair of a device, whichever form it was recorded by. */
export const RepairForm = FormEntry.extend({
  deviceId: z.string(),
  serialNumber: z.string(),
  deviceName: z.string(),
  productId: z.enum(productCodes),
  /** What was repaired: the equipment that the device watches, or the device itself. */
  part: z.enum(['equipment', 'device']),
  /** Who did it, as the person says who recorded it, and on which day: YYYY-MM-DD. */
  repairedBy: z.string(),
  repairedOn: z.string(),
}).meta({ id: 'RepairForm' })
export type RepairForm = z.infer<typeof RepairForm>

const ofDevice = { tenant: TenantId, deviceId: DeviceId }
/** The product code with which the serial number begins; another than the device's own is refused. */
const deviceType = z.enum(productCodes)

const tenantForms = (path: string, may: May, devices: string) =>
  route({
    method: 'POST',
    path,
    may,
    summary: `The repair forms of ${devices}, newest first, at most 1,000; older ones are asked for by \`before\`.`,
    body: z.object({ tenant: TenantId, before: Instant.optional() }),
    reply: envelope(z.array(RepairForm)),
  })

export const getEmeredRepairForms = tenantForms('/api/GetEmeredRepairForms', 'see lighting', 'emergency lights')
export const getBoilerRepairForms = tenantForms(
  '/api/GetBoilerRepairForms',
  'see boilers',
  'devices of the boiler page',
)
export const getLiftMonitorsForms = tenantForms('/api/GetLiftMonitorsForms', 'see lift monitors', 'lift monitors')
export const getPeopleCountersForms = tenantForms(
  '/api/GetPeopleCountersForms',
  'see people counters',
  'people counters',
)
export const getNetworkDevicesForms = tenantForms('/api/GetNetworkDevicesForms', 'see networking', 'networking devices')

export const getDeviceRepairForms = route({
  method: 'POST',
  path: '/api/GetDeviceRepairForms',
  may: 'see device',
  summary: 'The repairs of one device, newest first, at most 500.',
  body: z.object({ ...ofDevice, deviceType }),
  reply: envelope(z.array(RepairForm)),
})

export const getAllDeviceForms = route({
  method: 'POST',
  path: '/api/GetAllDeviceForms',
  may: 'see device',
  summary:
    'Everything that people wrote about one device by a form: repairs and notes, newest first, at most 500 of each.',
  body: z.object({ ...ofDevice, deviceType }),
  reply: envelope(z.array(FormEntry)),
})

export const getDeviceNotes = route({
  method: 'POST',
  path: '/api/GetDeviceNotes',
  may: 'see device',
  summary: 'The notes of one device, newest first, at most 500.',
  body: z.object(ofDevice),
  reply: envelope(z.array(FormEntry)),
})

/** A form sends line breaks as two characters. */
const written = (value: string) => value.replaceAll('\r\n', '\n').trim()
const described = text(descriptionLength).default('').transform(written)
/** A box of a form, which sends words only. */
const ticked = z
  .enum(['true', 'false'])
  .default('false')
  .transform((value) => value === 'true')

/** The form was stored, and whether the device is to test itself now. */
const Repaired = z.object({ id: z.string(), flickTestQueued: z.boolean() })

export const boilerRepairForm = route({
  method: 'POST',
  path: '/api/BoilerRepairForm',
  may: 'set condition',
  summary: 'Stores the repair form of a boiler, or of another device that is no light, and marks it as repaired.',
  form: z.object({ ...ofDevice, description: described }),
  reply: envelope(Repaired),
})

export const emeredRepairForm = route({
  method: 'POST',
  path: '/api/EmeredRepairForm',
  may: 'set condition',
  summary: 'Stores the repair form of an emergency light, marks it as repaired and queues a flick test.',
  form: z.object({ ...ofDevice, battery: ticked, inverter: ticked, lamp: ticked, description: described }),
  reply: envelope(Repaired),
})

export const addDeviceNote = route({
  method: 'POST',
  path: '/api/AddDeviceNote',
  may: 'write note',
  summary: `Stores a note on a device, at most ${noteLength} characters of plain text.`,
  form: z.object({ ...ofDevice, deviceType, note: text(noteLength).transform(written) }),
  reply: envelope(FormEntry),
})
