import { z } from 'zod'
import * as calls from './calls/account.ts'
import { route } from './route.ts'
import { Timestamp, line } from './scalars.ts'

// The calls by which people manage their own sign-in with the embedded identity provider. The calls are refused where
// another provider signs people in.

const ofPerson = { peopleOnly: true, internal: true } as const
const ofSignIn = { ...ofPerson, recentSignIn: true } as const

/** The data that a browser passes to an authenticator, or receives from it (Web Authentication, section 5). */
const PublicKeyJson = z.record(z.string(), z.unknown())

const Passkey = z.object({ id: z.string(), name: z.string(), createdAt: Timestamp, lastUsedAt: Timestamp.nullable() })
export type Passkey = z.infer<typeof Passkey>

export const AccountSecurity = z.object({
  /** False where another identity provider signs people in. */
  isAvailable: z.boolean(),
  /** Whether a client of the person requires a second factor with their role. */
  isRequired: z.boolean(),
  passkeys: z.array(Passkey),
  authenticatorAppAddedAt: Timestamp.nullable(),
  recoveryCodesLeft: z.number().int(),
})
export type AccountSecurity = z.infer<typeof AccountSecurity>

export const getAccountSecurity = route({
  ...calls.getAccountSecurity,
  ...ofPerson,
  summary: 'The second factors of the caller.',
  reply: AccountSecurity,
})

/** The recovery codes of a person who had none; null if earlier ones still work. */
const NewCodes = z.object({ recoveryCodes: z.array(z.string()).nullable() })

export const beginPasskey = route({
  ...calls.beginPasskey,
  ...ofSignIn,
  summary: 'The options with which the browser creates a passkey.',
  reply: PublicKeyJson,
})

export const PasskeyName = line(60).pipe(z.string().min(1, 'Name is required!'))

export const addPasskey = route({
  ...calls.addPasskey,
  ...ofSignIn,
  summary: 'Adds a passkey that the browser has created.',
  body: z.strictObject({ name: PasskeyName, response: PublicKeyJson }),
  reply: NewCodes,
})

export const removePasskey = route({
  ...calls.removePasskey,
  ...ofSignIn,
  summary: 'Removes a passkey.',
  status: 204,
  params: z.object({ passkeyId: z.string().max(1400) }),
})

export const beginAuthenticatorApp = route({
  ...calls.beginAuthenticatorApp,
  ...ofSignIn,
  summary: 'A key for an authenticator app, as text and as the address in its QR code.',
  reply: z.object({ key: z.string(), address: z.string() }),
})

export const AppCode = line(10).pipe(
  z.string().regex(/^\s*\d{3}\s?\d{3}\s*$/, 'Enter the six digits that the app shows.'),
)

export const addAuthenticatorApp = route({
  ...calls.addAuthenticatorApp,
  ...ofSignIn,
  summary: 'Adds the authenticator app that shows this code; it replaces the previous one.',
  body: z.strictObject({ code: AppCode }),
  reply: NewCodes,
})

export const removeAuthenticatorApp = route({
  ...calls.removeAuthenticatorApp,
  ...ofSignIn,
  summary: 'Removes the authenticator app.',
  status: 204,
})

export const renewRecoveryCodes = route({
  ...calls.renewRecoveryCodes,
  ...ofSignIn,
  summary: 'Creates ten new recovery codes, which replace all earlier ones.',
  reply: z.object({ recoveryCodes: z.array(z.string()) }),
})

const BrowserSession = z.object({
  id: z.string(),
  /** The name of the browser and of the system, as far as the browser reports them. */
  browser: z.string(),
  /** The network that the sign-in came from; it indicates the place only roughly. */
  network: z.string(),
  signedInAt: Timestamp,
  /** Accurate to ten minutes. */
  lastUsedAt: Timestamp,
  isCurrent: z.boolean(),
})
export type BrowserSession = z.infer<typeof BrowserSession>

export const getBrowserSessions = route({
  ...calls.getBrowserSessions,
  ...ofPerson,
  summary: 'The browsers in which the caller is signed in.',
  reply: z.object({ results: z.array(BrowserSession) }),
})

export const endBrowserSession = route({
  ...calls.endBrowserSession,
  ...ofSignIn,
  summary: 'Signs the caller out of one browser.',
  status: 204,
  params: z.object({ sessionId: line(100) }),
})

export const endOtherBrowserSessions = route({
  ...calls.endOtherBrowserSessions,
  ...ofSignIn,
  summary: 'Signs the caller out of all browsers except this one.',
  reply: z.object({ ended: z.number().int() }),
})
