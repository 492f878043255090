import { z } from 'zod'
import { Id, TenantId, Timestamp, email, line, text } from './scalars.ts'
import { route } from './route.ts'
import * as calls from './calls/residents.ts'

const inPath = z.object({ tenant: TenantId })

/** Whom residents turn to, as their app shows it; empty where nobody has said yet. */
export const ResidentAppSettings = z
  .object({ residentAppContactEmail: z.string(), residentAppContactPhoneNumber: z.string() })
  .meta({ id: 'ResidentAppSettings' })
export type ResidentAppSettings = z.infer<typeof ResidentAppSettings>

export const getResidentAppSettings = route({
  ...calls.getResidentAppSettings,
  summary: 'The support contacts that the resident app shows.',
  params: inPath,
  reply: ResidentAppSettings,
})

export const SupportEmail = text(320)
  .pipe(z.string().trim().min(1, 'Email is required'))
  .pipe(email('Email is not valid'))

export const setResidentAppSettings = route({
  ...calls.setResidentAppSettings,
  summary: 'Stores the support contacts that the resident app shows; the number with its dial code, +441134960142.',
  params: inPath,
  body: z.strictObject({
    residentAppContactEmail: SupportEmail,
    residentAppContactPhoneNumber: text(20).pipe(z.string().min(1, 'Phone number is required')),
  }),
  reply: ResidentAppSettings,
})

/** A key by which the resident app calls in the client's name; never the key itself. */
export const ResidentAppKey = z
  .object({
    id: z.string(),
    createdAt: Timestamp,
    /** To within five minutes; null for one that was never used. */
    lastUsedAt: Timestamp.nullable(),
  })
  .meta({ id: 'ResidentAppKey' })
export type ResidentAppKey = z.infer<typeof ResidentAppKey>

export const getResidentAppKeys = route({
  ...calls.getResidentAppKeys,
  internal: true,
  summary: 'The keys of the resident app that hold, the newest first.',
  params: inPath,
  reply: z.object({ results: z.array(ResidentAppKey) }),
})

export const createResidentAppKey = route({
  ...calls.createResidentAppKey,
  recentSignIn: true,
  internal: true,
  summary:
    'Makes a key of the resident app, if asked in place of those before it; it is in this answer and never again, for only its hash is kept.',
  status: 201,
  params: inPath,
  body: z.strictObject({ instead: z.boolean() }),
  reply: z.object({ key: z.string() }),
})

export const revokeResidentAppKey = route({
  ...calls.revokeResidentAppKey,
  recentSignIn: true,
  internal: true,
  summary: 'Revokes a key of the resident app: it is refused from now on.',
  status: 204,
  params: inPath.extend({ keyId: Id }),
})

/** One residence that a resident asked to see in the app. */
export const Residence = z.object({
  /** The id of the property. */
  residenceId: z.string(),
  propertyReference: z.string(),
  /** Null for tenants that hide personal data. */
  address: z.string().nullable(),
  approved: z.boolean(),
  /** Since when it is approved, or waits. */
  since: Timestamp,
})

/** Somebody who lives in one or more homes of the tenant, as the resident app knows them. */
export const Resident = z
  .object({
    auth0UserId: z.string(),
    /** Null, both, for tenants that hide personal data. */
    email: z.string().nullable(),
    name: z.string().nullable(),
    residences: z.array(Residence),
    /** When savings and tips were last written for them; null without, and for who may not see them. */
    savingsAndTipsAt: Timestamp.nullable(),
  })
  .meta({ id: 'Resident' })
export type Resident = z.infer<typeof Resident>

export const getResidents = route({
  ...calls.getResidents,
  summary:
    'The residents of the client with their residences, and whether each is approved; of one home those who asked for it.',
  params: inPath,
  query: z.object({ propertyId: Id.optional() }),
  reply: z.object({ results: z.array(Resident) }),
})

/** How the resident app's identity provider names somebody, such as 'auth0|6f2b'. */
export const AppUserId = text(200).pipe(
  z.string().regex(/^[\w|.@:+-]+$/, 'must be the id of a user of the resident app'),
)
const Access = z.strictObject({ auth0UserId: AppUserId, residenceId: Id })

export const approveResidence = route({
  ...calls.approveResidence,
  summary: 'Lets a resident see a home in the resident app; what is approved already stays so.',
  status: 204,
  query: z.object({ tenant: TenantId }),
  body: Access,
})

export const revokeResidence = route({
  ...calls.revokeResidence,
  summary: 'Takes the approval back: the resident waits for approval again.',
  status: 204,
  query: z.object({ tenant: TenantId }),
  body: Access,
})

const appUser = z.object({ tenant: TenantId, userId: AppUserId })

/** What the resident app shows somebody of the homes that they asked for. */
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
    /** Markdown; null without any, and until an access is approved. */
    savingsAndTips: z.string().nullable(),
  })
  .meta({ id: 'AppResident' })

export const requestResidence = route({
  ...calls.requestResidence,
  summary:
    "A user of the resident app asks to see a home, which is found by its reference and postcode together; 404 without one. It then waits for the client's approval. Asked again it stays what it is.",
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
  summary: 'What the resident app shows a user: residences, support contacts, savings and tips.',
  params: appUser,
  reply: AppResident,
})
