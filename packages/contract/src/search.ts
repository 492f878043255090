import { z } from 'zod'
import { complianceStates } from '@caretaker/rules/compliance/due.ts'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import { deviceStatuses } from '@caretaker/rules/devices/status.ts'
import { roles } from '@caretaker/rules/identity/roles.ts'
import { TenantId, text } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import * as calls from './calls/search.ts'

const Found = <T extends z.ZodType>(item: T) => z.object({ total: z.number().int(), items: z.array(item) })

export const FoundDevice = z.object({
  deviceId: z.string(),
  productId: z.enum(productCodes),
  serialNumber: z.string(),
  name: z.string(),
  status: z.enum(deviceStatuses),
  inWholesale: z.boolean(),
  /** The building, otherwise the property reference. */
  place: z.string().nullable(),
  propertyId: z.string().nullable(),
  propertyReference: z.string().nullable(),
  /** Null under HideCustomerPersonalData. */
  address: z.string().nullable(),
  /** The matching tag, when a tag matched. */
  tag: z.string().nullable(),
})
export type FoundDevice = z.infer<typeof FoundDevice>

export const searchEverything = route({
  ...calls.searchEverything,
  looksAt: { of: 'home', as: 'list', name: 'Search' },
  summary:
    'The best matches of a text among devices (by serial number, name, location, address or tag), properties, buildings, users and views.',
  body: z.strictObject({ tenant: TenantId, search: text(100).pipe(z.string().trim().min(2)) }),
  reply: envelope(
    z.object({
      devices: Found(FoundDevice),
      /** Properties by reference, address and postcode, with or without devices. */
      properties: Found(
        z.object({
          propertyId: z.string(),
          /** Empty without a reference. */
          propertyReference: z.string(),
          /** Null under HideCustomerPersonalData. */
          address: z.string().nullable(),
          /** The state of its gas checks; null for a property without gas. */
          gasSafety: z.enum(complianceStates).nullable(),
        }),
      ),
      buildings: Found(
        z.object({
          buildingId: z.string(),
          name: z.string(),
          address: z.string().nullable(),
          /** The status of the worst device in it that the user may see. */
          status: z.enum(deviceStatuses).nullable(),
        }),
      ),
      people: Found(
        z.object({
          userId: z.string(),
          name: z.string(),
          /** Null for callers who may not administer users. */
          email: z.string().nullable(),
          role: z.enum(roles),
        }),
      ),
      views: Found(
        z.object({
          viewId: z.string(),
          label: z.string(),
          root: z.string(),
          private: z.boolean(),
          builtIn: z.boolean(),
        }),
      ),
    }),
  ),
})
