import { z } from 'zod'
import { Id, TenantId, Timestamp, Version, email, line, text } from './scalars.ts'
import { route } from './route.ts'
import * as calls from './calls/residents.ts'

const inPath = z.object({ tenant: TenantId })

/** The support contacts of residents, as their app shows them; empty until set. */
export const ResidentAppSettings = z
  .object({ residentAppContactEmail: z.string(), residentAppContactPhoneNumber: z.string() })
  .meta({ id: 'ResidentAppSettings' })
export type ResidentAppSettings = z.infer<typeof ResidentAppSettings>

export const getResidentAppSettings = route({
  ...calls.getResidentAppSettings,
  hasVersion: true,
  summary: 'The support contacts that the resident app shows.',
  params: inPath,
  reply: ResidentAppSettings.extend({ version: z.number().int() }),
})

export const SupportEmail = text(320)
  .pipe(z.string().trim().min(1, 'Email is required'))
  .pipe(email('Email is not valid'))

export const setResidentAppSettings = route({
  ...calls.setResidentAppSettings,
  hasVersion: true,
  recentSignIn: true,
  summary:
    'Sets the support contacts that the resident app shows. The phone number includes its country code, such as +441134960142.',
  params: inPath,
  body: z.strictObject({
    residentAppContactEmail: SupportEmail,
    residentAppContactPhoneNumber: text(20).pipe(z.string().min(1, 'Phone number is required')),
    version: Version.optional(),
  }),
  reply: ResidentAppSettings.extend({ version: z.number().int() }),
})

/** A key with which the resident app makes calls for a client, without the secret. */
export const ResidentAppKey = z
  .object({
    id: z.string(),
    createdAt: Timestamp,
    /** Accurate to five minutes; null for a key that was never used. */
    lastUsedAt: Timestamp.nullable(),
  })
  .meta({ id: 'ResidentAppKey' })
export type ResidentAppKey = z.infer<typeof ResidentAppKey>

export const getResidentAppKeys = route({
  ...calls.getResidentAppKeys,
  internal: true,
  summary: 'The active keys of the resident app, newest first.',
  params: inPath,
  reply: z.object({ results: z.array(ResidentAppKey) }),
})

export const createResidentAppKey = route({
  ...calls.createResidentAppKey,
  returnsSecret: true,
  recentSignIn: true,
  internal: true,
  summary:
    'Creates a key for the resident app and returns it; it is shown only once, because only its hash is stored. With `instead`, it replaces the existing keys.',
  status: 201,
  params: inPath,
  body: z.strictObject({ instead: z.boolean() }),
  reply: z.object({ key: z.string() }),
})

export const revokeResidentAppKey = route({
  ...calls.revokeResidentAppKey,
  recentSignIn: true,
  internal: true,
  summary: 'Revokes a key of the resident app: calls with it are rejected from now on.',
  status: 204,
  params: inPath.extend({ keyId: Id }),
})

/** One property that a resident asked to see in the app. */
export const Residence = z.object({
  /** The id of the property. */
  residenceId: z.string(),
  propertyReference: z.string(),
  /** Null for tenants that hide personal data. */
  address: z.string().nullable(),
  approved: z.boolean(),
  /** When it was approved, or requested. */
  since: Timestamp,
})

/** A resident of one or more properties of the tenant, as the resident app identifies them. */
export const Resident = z
  .object({
    auth0UserId: z.string(),
    /** Both null for tenants that hide personal data. */
    email: z.string().nullable(),
    name: z.string().nullable(),
    residences: z.array(Residence),
    /** When savings and tips were last written for the resident; null when there are none or the caller may not see them. */
    savingsAndTipsAt: Timestamp.nullable(),
  })
  .meta({ id: 'Resident' })
export type Resident = z.infer<typeof Resident>

export const getResidents = route({
  ...calls.getResidents,
  looksAt: { of: 'resident', as: 'list', name: 'Residents' },
  summary:
    'The residents of the client with their residences and approvals; for one property, the residents who requested access to it.',
  params: inPath,
  query: z.object({ propertyId: Id.optional() }),
  reply: z.object({ results: z.array(Resident) }),
})

/** A user id of the resident app's identity provider, such as 'auth0|6f2b'. */
export const AppUserId = text(200).pipe(z.string().regex(/^[\w|.@:+-]+$/, 'must be a user id of the resident app'))
const Access = z.strictObject({ auth0UserId: AppUserId, residenceId: Id })

export const approveResidence = route({
  ...calls.approveResidence,
  summary: "Approves a resident's access to a property in the resident app. Approving it again changes nothing.",
  status: 204,
  query: z.object({ tenant: TenantId }),
  body: Access,
})

export const revokeResidence = route({
  ...calls.revokeResidence,
  summary: "Withdraws the approval: the resident's access is pending again.",
  status: 204,
  query: z.object({ tenant: TenantId }),
  body: Access,
})

const appUser = z.object({ tenant: TenantId, userId: AppUserId })

/** The residences of a user, as the resident app shows them. */
const AppResident = z
  .object({
    residences: z.array(
      z.object({
        residenceId: z.string(),
        approved: z.boolean(),
        /** Null until the access is approved. */
        address: z.string().nullable(),
      }),
    ),
    support: ResidentAppSettings,
    /** Markdown; null if there is none, and until an access is approved. */
    savingsAndTips: z.string().nullable(),
  })
  .meta({ id: 'AppResident' })

export const requestResidence = route({
  ...calls.requestResidence,
  summary:
    "Requests a user's access to a property in the resident app. The property is found by reference and postcode together; 404 if there is none. The client then has to approve the access. Repeating the request changes nothing.",
  status: 202,
  params: appUser,
  body: z.strictObject({
    email: email(),
    name: line(100).pipe(z.string().min(1)),
    propertyReference: line(30).pipe(z.string().min(1)),
    postcode: line(12).pipe(z.string().min(1)),
  }),
  reply: AppResident,
})

export const getAppResident = route({
  ...calls.getAppResident,
  summary: 'The data that the resident app shows a user: residences, support contacts, savings and tips.',
  params: appUser,
  reply: AppResident,
})
