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
  /** The day by which the next check is due; null where none was ever made. */
  dueOn: Day.nullable(),
  /** The first day on which that is near. */
  nearOn: Day.nullable(),
  /** The day of the last check, where that failed. */
  failedOn: Day.nullable(),
  /** The day of the last check, by its record or as it was entered. */
  lastOn: Day.nullable(),
  /** Whether the dates were only entered: no record proves them. */
  isStated: z.boolean(),
}

/** The checks of one type in a home. */
const HomeCheck = z.object({
  ...state,
  /** The number of the certificate of the last check. */
  certificate: z.string().nullable(),
  /** The date of the last check as someone entered it without a certificate, who that was and when, as far as is known. */
  statedOn: Day.nullable(),
  statedBy: z.string().nullable(),
  statedAt: Timestamp.nullable(),
  /** Everything in the home that has such checks. */
  appliances: z.array(
    z.object({
      /** Of an appliance that no device watches. */
      applianceId: z.string().nullable(),
      /** Of a boiler control; null also where the person does not see it. */
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
  /** Null where the appliance was removed before names and reasons were kept. */
  removedBy: z.string().nullable(),
  reason: z.string().nullable(),
})

/** The safety of a home in four parts, each with its state and since when; null where there is nothing to say of a part. */
export const PropertySafety = z
  .object({
    gas: HomeCheck.nullable(),
    water: HomeCheck.nullable(),
    /** Gas appliances that were removed from the home, the last removed first. Their records are readable and count no longer. */
    removedAppliances: z.array(RemovedAppliance),
    damp: z.object({ level: z.enum(dampLevels), since: Timestamp.nullable() }),
    heating: z
      .object({
        state: z.enum(heatingStates),
        since: Timestamp.nullable(),
        /** When a device that heats the home was heard last. */
        lastHeard: Timestamp.nullable(),
        /** The device that the state is of; null where the person does not see it. */
        device: z
          .object({
            deviceId: z.string(),
            product: z.enum(Object.keys(products) as [Product]),
            fault: z.string().nullable(),
          })
          .nullable(),
      })
      .nullable(),
    /** The emergency lights and alarms of the home that the person sees. */
    lights: z.object({ state: z.enum(lightStates), testedOn: Day.nullable(), count: z.number().int() }).nullable(),
  })
  .meta({ id: 'PropertySafety' })
export type PropertySafety = z.infer<typeof PropertySafety>

const ofProperty = z.object({ tenant: TenantId, propertyId: Id })

export const getPropertySafety = route({
  ...calls.getPropertySafety,
  summary: 'The safety of a home: gas and water checks with their appliances, damp, heating, and alarms and lights.',
  params: ofProperty,
  reply: PropertySafety,
})

export const addHomeAppliance = route({
  ...calls.addHomeAppliance,
  summary: 'Enters a gas appliance of a home that no device watches.',
  params: ofProperty,
  body: z.strictObject({ name: line(longestAppliance).pipe(z.string().min(1, 'Name is required')) }),
  reply: z.object({ applianceId: z.string() }),
})

export const removeHomeAppliance = route({
  ...calls.removeHomeAppliance,
  summary: 'Removes a gas appliance from a home, with the reason. Its records stay readable and no longer count.',
  params: ofProperty.extend({ applianceId: Id }),
  body: z.strictObject({ reason: Reason }),
  reply: z.object({ isRemoved: z.boolean() }),
})

const ofAppliance = ofProperty.extend({ applianceId: Id })

export const getHomeApplianceRecords = route({
  ...calls.getHomeApplianceRecords,
  summary: 'The gas safety records of an appliance that no device watches, the latest check first.',
  params: ofAppliance,
  reply: z.object({ records: z.array(BoilerRecord) }),
})

export const addHomeApplianceRecord = route({
  ...calls.addHomeApplianceRecord,
  summary:
    'Adds a gas safety record with its certificate to an appliance that no device watches: a PDF, PNG or JPEG of at most 10 MB.',
  form: z.object({
    ...ofAppliance.shape,
    recordSerialNumber: SerialNumber,
    /** The day of the check. */
    recordDay: z.iso.date(recordTexts.date),
    recordStatus: Result,
    /** Whether a certificate whose number is already used for another home covers both. */
    coversOtherHome: z.enum(['true', 'false']).default('false'),
    file: z.instanceof(File, { error: recordTexts.certificate }),
  }),
  reply: z.object({ recordId: z.string() }),
  limit: longestCertificate + 100_000,
})

export const withdrawHomeApplianceRecord = route({
  ...calls.withdrawHomeApplianceRecord,
  summary: 'Withdraws a wrong record of an appliance that no device watches, with the reason.',
  params: ofAppliance.extend({ recordId: Id }),
  body: z.strictObject({ reason: Reason }),
  reply: z.object({ isWithdrawn: z.boolean() }),
})

export const getHomeApplianceCertificate = route({
  ...calls.getHomeApplianceCertificate,
  summary: 'The certificate of a record of an appliance that no device watches, as it was uploaded.',
  query: ofAppliance.extend({ recordId: Id, attachmentId: Id }),
})
