import { z } from 'zod'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import { descriptionLength, formCategories, noteLength } from '@caretaker/rules/maintenance/forms.ts'
import { longestPhoto, mostPhotos } from '@caretaker/rules/maintenance/repairs.ts'
import { route } from './route.ts'
import { DeviceId, Id, Instant, TenantId, Timestamp, text } from './scalars.ts'
import { envelope } from './refusal.ts'
import type { Call } from './call.ts'
import * as calls from './calls/maintenance.ts'

/** A repair or note that a user entered for a device (devices specification, section 3). */
export const FormEntry = z
  .object({
    id: z.string(),
    category: z.enum(formCategories),
    /** Plain text as entered, never markup. */
    description: z.string(),
    /** Flags: for an emergency light, which parts were replaced or repaired. */
    data: z.record(z.string(), z.boolean()),
    user: z.string(),
    timestamp: Timestamp,
  })
  .meta({ id: 'FormEntry' })
export type FormEntry = z.infer<typeof FormEntry>

/** A repair of a device, whichever form it was entered with. */
export const RepairForm = FormEntry.extend({
  deviceId: z.string(),
  serialNumber: z.string(),
  deviceName: z.string(),
  productId: z.enum(productCodes),
  /** The repaired item: the equipment that the device monitors, or the device itself. */
  part: z.enum(['equipment', 'device']),
  /** Who did the repair, as entered, and the day, YYYY-MM-DD. */
  repairedBy: z.string(),
  repairedOn: z.string(),
  /** HH:MM; null when not entered. */
  repairedTime: z.string().nullable(),
  /** The day on which a battery was fitted, YYYY-MM-DD; null when not entered. */
  batteryFittedOn: z.string().nullable(),
  /** Models and quantities of a light's replaced parts. */
  replaced: z.array(z.object({ part: z.string(), model: z.string().optional(), quantity: z.number() })),
  /** Its photographs, oldest first. */
  photos: z.array(z.object({ photoId: z.string(), name: z.string() })),
}).meta({ id: 'RepairForm' })
export type RepairForm = z.infer<typeof RepairForm>

const ofDevice = { tenant: TenantId, deviceId: DeviceId }
/** The product code at the start of the serial number; the call is rejected when it does not match the device. */
const deviceType = z.enum(productCodes)

const tenantForms = <A extends string>(call: Call<'POST', A>, devices: string) =>
  route({
    ...call,
    looksAt: { of: 'home', as: 'list', name: 'Repairs', fields: ['description'] },
    summary: `The repair forms of ${devices}, newest first, up to 1,000; use \`before\` to read older ones.`,
    body: z.object({ tenant: TenantId, before: Instant.optional() }),
    reply: envelope(z.array(RepairForm)),
  })

export const getEmeredRepairForms = tenantForms(calls.getEmeredRepairForms, 'emergency lights')
export const getBoilerRepairForms = tenantForms(calls.getBoilerRepairForms, 'devices of the boiler page')
export const getLiftMonitorsForms = tenantForms(calls.getLiftMonitorsForms, 'lift monitors')
export const getPeopleCountersForms = tenantForms(calls.getPeopleCountersForms, 'people counters')
export const getNetworkDevicesForms = tenantForms(calls.getNetworkDevicesForms, 'networking devices')

export const getDeviceRepairForms = route({
  ...calls.getDeviceRepairForms,
  looksAt: { of: 'home', as: 'page', name: 'Repairs', fields: ['description'] },
  summary: 'The repairs of one device, newest first, up to 500.',
  body: z.object({ ...ofDevice, deviceType }),
  reply: envelope(z.array(RepairForm)),
})

export const getAllDeviceForms = route({
  ...calls.getAllDeviceForms,
  looksAt: { of: 'home', as: 'page', name: 'Repairs and notes', fields: ['description'] },
  summary: 'All repairs and notes that users entered for one device, newest first, up to 500 of each.',
  body: z.object({ ...ofDevice, deviceType }),
  reply: envelope(z.array(FormEntry)),
})

export const getDeviceNotes = route({
  ...calls.getDeviceNotes,
  looksAt: { of: 'home', as: 'page', name: 'Notes', fields: ['description'] },
  summary: 'The notes of one device, newest first, up to 500.',
  body: z.object(ofDevice),
  reply: envelope(z.array(FormEntry)),
})

/** Forms send a line break as two characters. */
const normaliseText = (value: string) => value.replaceAll('\r\n', '\n').trim()
const Description = text(descriptionLength).default('').transform(normaliseText)
/** A checkbox of a form, which sends text only. */
const ticked = z
  .enum(['true', 'false'])
  .default('false')
  .transform((value) => value === 'true')

/** The id of the stored form, and whether a flick test was queued. */
const Repaired = z.object({ id: z.string(), flickTestQueued: z.boolean() })

export const boilerRepairForm = route({
  ...calls.boilerRepairForm,
  summary: 'Stores the repair form of a boiler, or of another device that is not a light, and marks it as repaired.',
  form: z.object({ ...ofDevice, description: Description }),
  reply: envelope(Repaired),
})

export const emeredRepairForm = route({
  ...calls.emeredRepairForm,
  summary: 'Stores the repair form of an emergency light, marks it as repaired and queues a flick test.',
  form: z.object({ ...ofDevice, battery: ticked, inverter: ticked, lamp: ticked, description: Description }),
  reply: envelope(Repaired),
})

export const addRepairPhoto = route({
  ...calls.addRepairPhoto,
  summary: `Adds a photograph to a repair: a JPEG, PNG or WebP of up to 10 MB, up to ${mostPhotos} for each repair.`,
  /** `requestId`: an id that the caller generates, so that a repeated call adds the photograph once. */
  form: z.object({ ...ofDevice, repairId: Id, requestId: Id.optional(), file: z.instanceof(File) }),
  reply: envelope(z.object({ photoId: z.string() })),
  limit: longestPhoto + 100_000,
})

export const getRepairPhoto = route({
  ...calls.getRepairPhoto,
  looksAt: { of: 'home', as: 'file', name: 'Repair photograph' },
  summary: 'A photograph of a repair.',
  query: z.object({ ...ofDevice, repairId: Id, photoId: Id }),
})

export const addDeviceNote = route({
  ...calls.addDeviceNote,
  summary: `Stores a note on a device, up to ${noteLength} characters of plain text.`,
  form: z.object({ ...ofDevice, deviceType, note: text(noteLength).transform(normaliseText) }),
  reply: envelope(FormEntry),
})
