import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import { errors } from 'oidc-provider'
import { recentSignInMinutes } from '@caretaker/rules/identity/sign-in-policy.ts'

/** The session of a client's provider that a sign-in belongs to. */
export interface SsoSession {
  tenant: string
  connectionId: string
  /** The provider's id of the session, if it has one. */
  providerSession: string | null
  /** When the person signed in at the provider, in seconds since the epoch. */
  signedInAt: number
}

/** The progress of a sign-in after the right password, or after the client's provider. Stored with the interaction in the database. */
export interface Step {
  kind: 'second factor' | 'enrolment' | 'recovery codes'
  accountId: string
  /** Milliseconds since the epoch. */
  since: number
  sso?: SsoSession | undefined
}

/** Milliseconds in which a sign-in has to be finished after the right password. */
const longestStep = 15 * 60_000

export interface Interaction {
  uid: string
  /** The e-mail of the expected person, if the portal requests a new sign-in. */
  hint: string
  /** The client at whose address the sign-in began. */
  client: string
  /** The account that is signed in to the browser, if any. */
  signedIn: string | undefined
  /** Whether a person who is signed in has to prove again who they are. */
  isAgain: boolean
  step: Step | undefined
}

const clientsFactor = 'mfa of '

/**
 * How a person authenticated (RFC 8176; `fed` at a client's provider). The provider requires `mfa` where a second factor is required;
 * one that a client's provider has checked is enough for this client alone.
 */
export type Methods = readonly ('pwd' | 'fed' | 'otp' | 'hwk' | 'mfa' | `${typeof clientsFactor}${string}`)[]

export const factorOfClient = (tenant: string) => `${clientsFactor}${tenant}` as const

/** The client whose provider has checked a second factor. */
export const clientOfFactor = (amr: readonly string[] | undefined): string | undefined =>
  amr?.find((method) => method.startsWith(clientsFactor))?.slice(clientsFactor.length)

const isShort = (maxAge: unknown) => maxAge !== undefined && Number(maxAge) <= recentSignInMinutes * 60

/** The sign-in that the cookie and the address belong to; undefined if it has expired or belongs to another browser. */
export async function interaction(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Interaction | undefined> {
  try {
    const { uid, result, params, session } = await provider.interactionDetails(request, response)
    if (!new RegExp(`^/login/${uid}(?:[/?]|$)`).test(request.url ?? '')) return undefined
    const step = (result as { step?: Step } | undefined)?.step
    const given = (name: string) => {
      const value = params[name]
      return typeof value === 'string' ? value.slice(0, 320) : ''
    }
    return {
      ...{ uid, hint: given('login_hint'), client: given('client') },
      signedIn: session?.accountId,
      isAgain: given('prompt').split(' ').includes('login') || isShort(params['max_age']),
      step: step && Date.now() - step.since < longestStep ? step : undefined,
    }
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined
    throw error
  }
}
