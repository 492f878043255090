import { z } from 'zod'
import { complianceStates } from '@caretaker/rules/compliance/due.ts'
import { products } from '@caretaker/rules/devices/products.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { dampLevels } from '@caretaker/rules/properties/damp.ts'
import { heatingStates } from '@caretaker/rules/properties/heating.ts'
import { lightStates, longestAppliance } from '@caretaker/rules/properties/safety.ts'
import { longestCertificate, recordTexts } from '@caretaker/rules/compliance/records.ts'
import { BoilerRecord, Reason, Result, SerialNumber } from './compliance.ts'
import { route } from './route.ts'
import { Id, line, TenantId, Timestamp } from './scalars.ts'
import * as calls from './calls/property-safety.ts'

const Day = z.iso.date()

const state = {
  state: z.enum(complianceStates),
  /** The day by which the next check is due; null when there was never one. */
  dueOn: Day.nullable(),
  /** The first day on which the check counts as due soon. */
  nearOn: Day.nullable(),
  /** The day of the last check if it failed; otherwise null. */
  failedOn: Day.nullable(),
  /** The day of the last check, from its record or as entered. */
  lastOn: Day.nullable(),
  /** Whether the dates were only entered, without a record to prove them. */
  isStated: z.boolean(),
}

/** The checks of one type in a property. */
const HomeCheck = z.object({
  ...state,
  /** The certificate number of the last check. */
  certificate: z.string().nullable(),
  /** The date of the last check as entered without a certificate, who entered it and when, if known. */
  statedOn: Day.nullable(),
  statedBy: z.string().nullable(),
  statedAt: Timestamp.nullable(),
  /** All appliances in the property that need such checks. */
  appliances: z.array(
    z.object({
      /** Set for an appliance without a device. */
      applianceId: z.string().nullable(),
      /** Set for a boiler control module; null if the user may not see it. */
      deviceId: z.string().nullable(),
      name: z.string(),
      addedAt: Timestamp.nullable(),
      addedBy: z.string().nullable(),
      ...state,
    }),
  ),
})
export type HomeCheck = z.infer<typeof HomeCheck>

const RemovedAppliance = z.object({
  applianceId: z.string(),
  name: z.string(),
  removedAt: Timestamp,
  /** Null if the appliance was removed before names and reasons were recorded. */
  removedBy: z.string().nullable(),
  reason: z.string().nullable(),
})

/** The safety of a property in four areas, each with its state and start; null for an area that does not apply. */
export const PropertySafety = z
  .object({
    gas: HomeCheck.nullable(),
    water: HomeCheck.nullable(),
    /** Removed gas appliances, most recently removed first. Their records can be read but no longer count. */
    removedAppliances: z.array(RemovedAppliance),
    damp: z.object({ level: z.enum(dampLevels), since: Timestamp.nullable() }),
    heating: z
      .object({
        state: z.enum(heatingStates),
        since: Timestamp.nullable(),
        /** When a device that heats the property last reported. */
        lastHeard: Timestamp.nullable(),
        /** The device that determines the state; null if the user may not see it. */
        device: z
          .object({
            deviceId: z.string(),
            product: z.enum(Object.keys(products) as [Product]),
            fault: z.string().nullable(),
          })
          .nullable(),
      })
      .nullable(),
    /** The emergency lights and alarms of the property that the user may see. */
    lights: z.object({ state: z.enum(lightStates), testedOn: Day.nullable(), count: z.number().int() }).nullable(),
  })
  .meta({ id: 'PropertySafety' })
export type PropertySafety = z.infer<typeof PropertySafety>

const ofProperty = z.object({ tenant: TenantId, propertyId: Id })

export const getPropertySafety = route({
  ...calls.getPropertySafety,
  summary:
    'The safety of a property: gas and water checks with their appliances, damp, heating, and alarms and lights.',
  params: ofProperty,
  reply: PropertySafety,
})

export const addHomeAppliance = route({
  ...calls.addHomeAppliance,
  summary: 'Adds a gas appliance without a device to a property.',
  params: ofProperty,
  body: z.strictObject({ name: line(longestAppliance).pipe(z.string().min(1, 'Name is required')) }),
  reply: z.object({ applianceId: z.string() }),
})

export const removeHomeAppliance = route({
  ...calls.removeHomeAppliance,
  summary:
    'Removes a gas appliance from a property, with the reason. Its records can still be read, but no longer count.',
  params: ofProperty.extend({ applianceId: Id }),
  body: z.strictObject({ reason: Reason }),
  reply: z.object({ isRemoved: z.boolean() }),
})

const ofAppliance = ofProperty.extend({ applianceId: Id })

export const getHomeApplianceRecords = route({
  ...calls.getHomeApplianceRecords,
  summary: 'The gas safety records of an appliance without a device, latest check first.',
  params: ofAppliance,
  reply: z.object({ records: z.array(BoilerRecord) }),
})

export const addHomeApplianceRecord = route({
  ...calls.addHomeApplianceRecord,
  summary:
    'Adds a gas safety record with its certificate (a PDF, PNG or JPEG of up to 10 MB) to an appliance without a device.',
  form: z.object({
    ...ofAppliance.shape,
    recordSerialNumber: SerialNumber,
    recordDay: z.iso.date(recordTexts.date),
    recordStatus: Result,
    /** Whether a certificate number that another property already uses covers both properties. */
    coversOtherHome: z.enum(['true', 'false']).default('false'),
    file: z.instanceof(File, { error: recordTexts.certificate }),
  }),
  reply: z.object({ recordId: z.string() }),
  limit: longestCertificate + 100_000,
})

export const withdrawHomeApplianceRecord = route({
  ...calls.withdrawHomeApplianceRecord,
  summary: 'Withdraws an incorrect record of an appliance without a device, with the reason.',
  params: ofAppliance.extend({ recordId: Id }),
  body: z.strictObject({ reason: Reason }),
  reply: z.object({ isWithdrawn: z.boolean() }),
})

export const getHomeApplianceCertificate = route({
  ...calls.getHomeApplianceCertificate,
  looksAt: { of: 'home', as: 'file', name: 'Gas safety certificate' },
  summary: 'The certificate of a record of an appliance without a device, as it was uploaded.',
  query: ofAppliance.extend({ recordId: Id, attachmentId: Id }),
})
