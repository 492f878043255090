import { z } from 'zod'
import { UserEmail, UserName } from './people.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import { TenantId, Timestamp, Version, line, nameLine, text } from './scalars.ts'
import * as calls from './calls/tenant-administration.ts'

export { largestLogo } from './calls/tenant-administration.ts'

const oneClient = z.object({ tenant: TenantId })

/** When and why the client was suspended; the reason is shown to its users. Null while it is not suspended. */
const Suspension = z.object({ since: Timestamp, reason: z.string() }).nullable()

/** A client in the vendor's list. */
export const ListedTenant = z
  .object({ id: z.string(), name: z.string(), contact: z.string(), suspension: Suspension })
  .meta({ id: 'ListedTenant' })
export type ListedTenant = z.infer<typeof ListedTenant>

export const listTenants = route({
  ...calls.listTenants,
  summary: 'Every client of the installation by name.',
  reply: z.object({ results: z.array(ListedTenant) }),
})

/** Licences that were bought together: how many there are, and how many are assigned to properties. */
const LicenceBatch = z.object({
  type: z.string(),
  startOn: z.iso.date(),
  /** The first day on which they are no longer valid. */
  endOn: z.iso.date(),
  periodMonths: z.number().int(),
  total: z.number().int(),
  assigned: z.number().int(),
})
export type LicenceBatch = z.infer<typeof LicenceBatch>

/** All settings that the vendor makes for a client. */
export const TenantSetup = ListedTenant.extend({
  timeZone: z.string(),
  /** Whether unknown metrics are stored as extra series of their devices. */
  keepsUnknownMetrics: z.boolean(),
  /** Images as data URLs. */
  logo: z.object({ light: z.string(), dark: z.string() }).nullable(),
  features: z.array(z.string()),
  capabilities: z.array(z.string()),
  licences: z.array(LicenceBatch),
  inUse: z.object({
    devices: z.number().int(),
    buildings: z.number().int(),
    properties: z.number().int(),
    users: z.number().int(),
  }),
  /** Whether the caller is a user of the client and can open it. */
  isOwn: z.boolean(),
  managers: z.array(z.object({ id: z.string(), name: z.string(), email: z.string(), hasSignedIn: z.boolean() })),
  version: z.number().int(),
}).meta({ id: 'TenantSetup' })
export type TenantSetup = z.infer<typeof TenantSetup>

export const getTenantSetup = route({
  ...calls.getTenantSetup,
  hasVersion: true,
  summary: 'The setup of a client: features, capabilities, licences, logo and managers.',
  params: oneClient,
  reply: TenantSetup,
})

/** Validation errors have messages for users, because the portal's form does no validation of its own. */
const TenantRecord = z.strictObject({ id: text(200), name: nameLine(100), contact: nameLine(200) })

export const addTenant = route({
  ...calls.addTenant,
  recentSignIn: true,
  summary: 'Creates a client; 409 if the id is already used, 400 if the id is an address of the portal.',
  body: TenantRecord,
  reply: envelope(z.object({ id: z.string() })),
})

export const editTenant = route({
  ...calls.editTenant,
  hasVersion: true,
  recentSignIn: true,
  summary: 'Changes the name and contact of a client.',
  body: TenantRecord.extend({ version: Version.optional() }),
  reply: envelope(z.object({ id: z.string(), version: z.number().int() })),
})

export const setTimeZone = route({
  ...calls.setTimeZone,
  hasVersion: true,
  recentSignIn: true,
  summary: 'Sets the time zone of a client, by its IANA name.',
  status: 204,
  params: oneClient,
  body: z.strictObject({ timeZone: text(64), version: Version.optional() }),
})

export const setUnknownMetrics = route({
  ...calls.setUnknownMetrics,
  hasVersion: true,
  recentSignIn: true,
  summary:
    'Sets whether metrics that the device link does not know are stored as extra series under their raw names, or ignored.',
  status: 204,
  params: oneClient,
  body: z.strictObject({ areKept: z.boolean(), version: Version.optional() }),
})

const Picture = z
  .string()
  .max(Math.ceil((calls.largestLogo * 4) / 3) + 40)
  .regex(/^data:image\/(svg\+xml|png|webp);base64,[A-Za-z0-9+/]+=*$/, 'must be an SVG, PNG or WebP of at most 100 kB')

export const setLogo = route({
  ...calls.setLogo,
  recentSignIn: true,
  summary:
    "Sets a client's logo, which replaces its name: for light backgrounds, and optionally a different one for dark backgrounds.",
  status: 204,
  limit: 300_000,
  params: oneClient,
  /** Null removes the logo. */
  body: z.strictObject({ logo: z.strictObject({ light: Picture, dark: Picture.nullable() }).nullable() }),
})

export const NewManager = z.strictObject({ name: UserName, email: UserEmail })

export const inviteManager = route({
  ...calls.inviteManager,
  recentSignIn: true,
  summary: 'Adds a manager without access restrictions and e-mails them an invitation; 409 if they are already a user.',
  status: 204,
  params: oneClient,
  body: NewManager,
})

export const joinTenant = route({
  ...calls.joinTenant,
  recentSignIn: true,
  summary:
    "Makes the caller a user of a client, with their role among the vendor's staff. The client's audit log and user list show this.",
  status: 204,
  params: oneClient,
})

export const LicencePurchase = z.strictObject({
  type: line(60).pipe(z.string().min(1, 'Type is required!')),
  startOn: z.iso.date(),
  periodMonths: z.number().int().min(1).max(240),
  total: z.number().int().min(0).max(100_000),
})

export const setLicences = route({
  ...calls.setLicences,
  recentSignIn: true,
  summary: 'Sets the number of licences of a purchase; 409 if more are already assigned to properties.',
  status: 204,
  params: oneClient,
  body: LicencePurchase,
})

export const SuspensionReason = z.strictObject({
  reason: line(200).pipe(z.string().min(1, 'Reason is required!')),
})

export const suspendTenant = route({
  ...calls.suspendTenant,
  recentSignIn: true,
  summary: 'Suspends a client: its users cannot open it and see the reason. Its devices continue to report.',
  status: 204,
  params: oneClient,
  body: SuspensionReason,
})

export const resumeTenant = route({
  ...calls.resumeTenant,
  recentSignIn: true,
  summary: 'Resumes a suspended client.',
  status: 204,
  params: oneClient,
})
