import { z } from 'zod'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import { descriptionLength, formCategories, noteLength } from '@caretaker/rules/maintenance/forms.ts'
import { longestPhoto, mostPhotos } from '@caretaker/rules/maintenance/repairs.ts'
import { route } from './route.ts'
import { DeviceId, Id, Instant, TenantId, Timestamp, text } from './scalars.ts'
import { envelope } from './refusal.ts'
import type { Call } from './call.ts'
import * as calls from './calls/maintenance.ts'

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
  /** HH:MM; null where nobody said it. */
  repairedTime: z.string().nullable(),
  /** The day on which a battery was put in, where the form says it: YYYY-MM-DD. */
  batteryFittedOn: z.string().nullable(),
  /** Models and numbers of what was replaced in a light. */
  replaced: z.array(z.object({ part: z.string(), model: z.string().optional(), quantity: z.number() })),
  /** Photographs of it, the first one first. */
  photos: z.array(z.object({ photoId: z.string(), name: z.string() })),
}).meta({ id: 'RepairForm' })
export type RepairForm = z.infer<typeof RepairForm>

const ofDevice = { tenant: TenantId, deviceId: DeviceId }
/** The product code with which the serial number begins; another than the device's own is refused. */
const deviceType = z.enum(productCodes)

const tenantForms = <A extends string>(call: Call<'POST', A>, devices: string) =>
  route({
    ...call,
    summary: `The repair forms of ${devices}, newest first, at most 1,000; older ones are asked for by \`before\`.`,
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
  summary: 'The repairs of one device, newest first, at most 500.',
  body: z.object({ ...ofDevice, deviceType }),
  reply: envelope(z.array(RepairForm)),
})

export const getAllDeviceForms = route({
  ...calls.getAllDeviceForms,
  summary:
    'Everything that people wrote about one device by a form: repairs and notes, newest first, at most 500 of each.',
  body: z.object({ ...ofDevice, deviceType }),
  reply: envelope(z.array(FormEntry)),
})

export const getDeviceNotes = route({
  ...calls.getDeviceNotes,
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
  ...calls.boilerRepairForm,
  summary: 'Stores the repair form of a boiler, or of another device that is no light, and marks it as repaired.',
  form: z.object({ ...ofDevice, description: described }),
  reply: envelope(Repaired),
})

export const emeredRepairForm = route({
  ...calls.emeredRepairForm,
  summary: 'Stores the repair form of an emergency light, marks it as repaired and queues a flick test.',
  form: z.object({ ...ofDevice, battery: ticked, inverter: ticked, lamp: ticked, description: described }),
  reply: envelope(Repaired),
})

export const addRepairPhoto = route({
  ...calls.addRepairPhoto,
  summary: `Adds a photograph to a repair: a JPEG, PNG or WebP of at most 10 MB, and at most ${mostPhotos} to each.`,
  /** `requestId`: an id of the caller's own, under which a photograph is added once. */
  form: z.object({ ...ofDevice, repairId: Id, requestId: Id.optional(), file: z.instanceof(File) }),
  reply: envelope(z.object({ photoId: z.string() })),
  limit: longestPhoto + 100_000,
})

export const getRepairPhoto = route({
  ...calls.getRepairPhoto,
  summary: 'A photograph of a repair.',
  query: z.object({ ...ofDevice, repairId: Id, photoId: Id }),
})

export const addDeviceNote = route({
  ...calls.addDeviceNote,
  summary: `Stores a note on a device, at most ${noteLength} characters of plain text.`,
  form: z.object({ ...ofDevice, deviceType, note: text(noteLength).transform(written) }),
  reply: envelope(FormEntry),
})
