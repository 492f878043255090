import { z } from 'zod'
import { Id, TenantId } from './scalars.ts'
import { route } from './route.ts'
import * as calls from './calls/property-licences.ts'

const Day = z.iso.date()
const period = {
  licenceType: z.string(),
  /** Days of UTC. */
  saasStartDate: Day,
  /** The day on which it is no longer held, counted from its renewal where it was renewed. */
  saasEndDate: Day,
  /** Months. */
  saasPeriod: z.number().int(),
  saasRenewedDate: Day.nullable(),
}

/** What was bought for a device; `device` is its product in words. */
export const DeviceLicence = z
  .object({ deviceId: z.string(), device: z.string(), serialNumber: z.string(), ...period })
  .meta({ id: 'DeviceLicence' })
export type DeviceLicence = z.infer<typeof DeviceLicence>

/** A licence of the managed service that was given to a home. */
export const PropertyLicence = z.object({ licenceId: z.string(), ...period }).meta({ id: 'PropertyLicence' })
export type PropertyLicence = z.infer<typeof PropertyLicence>

export const getPropertyLicences = route({
  ...calls.getPropertyLicences,
  summary: 'The packages of the devices of a home that the person may see, and the licences that the home was given.',
  params: z.object({ tenant: TenantId, propertyId: Id }),
  reply: z.object({ deviceLicences: z.array(DeviceLicence), propertyLicences: z.array(PropertyLicence) }),
})
