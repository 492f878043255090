import { z } from 'zod'
import { UserEmail, UserName } from './people.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import { TenantId, Timestamp, line, nameLine, text } from './scalars.ts'
import * as calls from './calls/tenant-administration.ts'

export { largestLogo } from './calls/tenant-administration.ts'

const oneClient = z.object({ tenant: TenantId })

/** Since when the people of a client cannot open it, and what they are told; null while they can. */
const Suspension = z.object({ since: Timestamp, reason: z.string() }).nullable()

/** A client as its vendor lists it. */
export const ListedTenant = z
  .object({ id: z.string(), name: z.string(), contact: z.string(), suspension: Suspension })
  .meta({ id: 'ListedTenant' })
export type ListedTenant = z.infer<typeof ListedTenant>

export const listTenants = route({
  ...calls.listTenants,
  summary: 'Every client of the installation by name.',
  reply: z.object({ results: z.array(ListedTenant) }),
})

/** Licences that were bought together: how many there are, and how many of them homes have. */
const LicenceBatch = z.object({
  type: z.string(),
  startOn: z.iso.date(),
  /** The first day on which they hold no more. */
  endOn: z.iso.date(),
  periodMonths: z.number().int(),
  total: z.number().int(),
  assigned: z.number().int(),
})
export type LicenceBatch = z.infer<typeof LicenceBatch>

/** Everything that a vendor sets up of a client. */
export const TenantSetup = ListedTenant.extend({
  timeZone: z.string(),
  /** Whether metrics that nobody knows are kept as extra series of their devices. */
  keepsUnknownMetrics: z.boolean(),
  /** Pictures as data addresses. */
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
  /** Whether who asks is a member and can open it. */
  isOwn: z.boolean(),
  managers: z.array(z.object({ id: z.string(), name: z.string(), email: z.string(), hasSignedIn: z.boolean() })),
}).meta({ id: 'TenantSetup' })
export type TenantSetup = z.infer<typeof TenantSetup>

export const getTenantSetup = route({
  ...calls.getTenantSetup,
  summary: 'How a client is set up: features, capabilities, licences, logo, managers.',
  params: oneClient,
  reply: TenantSetup,
})

/** Refused with what is wrong in words: the portal's form checks nothing by itself. */
const TenantRecord = z.strictObject({ id: text(200), name: nameLine(100), contact: nameLine(200) })

export const addTenant = route({
  ...calls.addTenant,
  summary: 'Makes a client; 409 for an id that there is, 400 for one that is an address of the portal.',
  body: TenantRecord,
  reply: envelope(z.object({ id: z.string() })),
})

export const editTenant = route({
  ...calls.editTenant,
  recentSignIn: true,
  summary: 'Changes how a client is called and whom to ask there.',
  body: TenantRecord,
  reply: envelope(z.object({ id: z.string() })),
})

export const setTimeZone = route({
  ...calls.setTimeZone,
  recentSignIn: true,
  summary: 'Sets the zone whose days and clocks are those of a client, by its IANA name.',
  status: 204,
  params: oneClient,
  body: z.strictObject({ timeZone: text(64) }),
})

export const setUnknownMetrics = route({
  ...calls.setUnknownMetrics,
  recentSignIn: true,
  summary:
    'Keeps metrics that the device link does not know as extra series of their devices, under their raw names, or sets them aside.',
  status: 204,
  params: oneClient,
  body: z.strictObject({ areKept: z.boolean() }),
})

const Picture = z
  .string()
  .max(Math.ceil((calls.largestLogo * 4) / 3) + 40)
  .regex(/^data:image\/(svg\+xml|png|webp);base64,[A-Za-z0-9+/]+=*$/, 'must be an SVG, PNG or WebP of at most 100 kB')

export const setLogo = route({
  ...calls.setLogo,
  recentSignIn: true,
  summary: "Shows a client's own logo in place of its name: for a light ground, and a dark one where it differs.",
  status: 204,
  limit: 300_000,
  params: oneClient,
  /** Null shows the name again. */
  body: z.strictObject({ logo: z.strictObject({ light: Picture, dark: Picture.nullable() }).nullable() }),
})

export const NewManager = z.strictObject({ name: UserName, email: UserEmail })

export const inviteManager = route({
  ...calls.inviteManager,
  recentSignIn: true,
  summary: 'Makes somebody a manager without restrictions and mails them the invitation; 409 when they are a member.',
  status: 204,
  params: oneClient,
  body: NewManager,
})

export const joinTenant = route({
  ...calls.joinTenant,
  summary:
    "Makes who calls a member of a client, with the role that they have among the vendor's staff; its audit and its list of users say so.",
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
  summary: 'Says how many licences were bought together; 409 for fewer than homes have of them.',
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
  summary: 'Closes a client to its people, who are told the reason; its devices go on reporting.',
  status: 204,
  params: oneClient,
  body: SuspensionReason,
})

export const resumeTenant = route({
  ...calls.resumeTenant,
  recentSignIn: true,
  summary: 'Opens a suspended client to its people again.',
  status: 204,
  params: oneClient,
})
