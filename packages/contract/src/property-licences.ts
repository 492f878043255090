import { z } from 'zod'
import { Id, TenantId } from './scalars.ts'
import { route } from './route.ts'
import * as calls from './calls/property-licences.ts'

const Day = z.iso.date()
const period = {
  licenceType: z.string(),
  /** Days in UTC. */
  saasStartDate: Day,
  /** The first day without the licence, counted from its renewal if it was renewed. */
  saasEndDate: Day,
  /** In months. */
  saasPeriod: z.number().int(),
  saasRenewedDate: Day.nullable(),
}

/** The licence of a device; `device` is the product name. */
export const DeviceLicence = z
  .object({ deviceId: z.string(), device: z.string(), serialNumber: z.string(), ...period })
  .meta({ id: 'DeviceLicence' })
export type DeviceLicence = z.infer<typeof DeviceLicence>

/** A licence of the managed service that is assigned to a property. */
export const PropertyLicence = z.object({ licenceId: z.string(), ...period }).meta({ id: 'PropertyLicence' })
export type PropertyLicence = z.infer<typeof PropertyLicence>

export const getPropertyLicences = route({
  ...calls.getPropertyLicences,
  summary: 'The licences of a property, and the packages of its devices that the user may see.',
  params: z.object({ tenant: TenantId, propertyId: Id }),
  reply: z.object({ deviceLicences: z.array(DeviceLicence), propertyLicences: z.array(PropertyLicence) }),
})
