import { z } from 'zod'

/** All error codes of calls, with their HTTP status and default text. */
export const refusals = {
  invalid: { status: 400, text: 'Request failed.' },
  unauthorized: { status: 401, text: 'Unauthorized.' },
  forbidden: { status: 403, text: "You don't have permission." },
  'not found': { status: 404, text: 'Not found.' },
  'wrong method': { status: 405, text: 'This address does not support that method.' },
  conflict: { status: 409, text: 'Something went wrong!' },
  /** The header If-Match names a version other than the current one. */
  outdated: { status: 412, text: 'Someone else has changed this. Reload it and try again.' },
  /** The Idempotency-Key was used for another request; also in version 1. */
  'other request': { status: 422, text: 'This Idempotency-Key was used for another request.' },
  gone: { status: 410, text: 'Something went wrong!' },
  'too large': { status: 413, text: 'The request is too large.' },
  unsupported: { status: 415, text: 'The content type is not supported.' },
  'too many': { status: 429, text: 'Too many requests. Please try again in a moment.' },
  unavailable: { status: 503, text: 'The service is starting or stopping. Please try again in a moment.' },
  /** A business rule rejects the call: version 1 returns 200 with isSuccessful false, version 2 returns 422. */
  refused: { status: 422, text: 'Something went wrong!' },
} as const
export type RefusalCode = keyof typeof refusals

export interface FieldError {
  /** Dotted path of the field, e.g. `body.filters.0.value`; empty for the whole body. */
  field: string
  message: string
}

/** The only error that code throws deliberately. Any other error becomes a plain 500. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly code: RefusalCode
  readonly validationErrors: readonly FieldError[]
  readonly exceeded: Exceeded | undefined
  /** Minutes within which the person has to have signed in (RFC 9470). */
  readonly signedInWithin: number | undefined
  /** Whether the change is based on an old version of the item. */
  readonly isOutdated: boolean
  /** Seconds after which the same call will succeed or get another response. */
  readonly retryAfter: number | undefined
  constructor(
    code: RefusalCode,
    message?: string,
    {
      validationErrors = [],
      exceeded,
      signedInWithin,
      isOutdated = false,
      retryAfter,
    }: {
      validationErrors?: readonly FieldError[]
      exceeded?: Exceeded
      signedInWithin?: number
      isOutdated?: boolean
      retryAfter?: number
    } = {},
  ) {
    super(message ?? refusals[code].text)
    this.code = code
    this.validationErrors = validationErrors
    this.exceeded = exceeded
    this.signedInWithin = signedInWithin
    this.isOutdated = isOutdated
    this.retryAfter = retryAfter
  }
}

/** The exceeded limit: how many calls it allows, and in how many seconds to try again. */
export interface Exceeded {
  limit: number
  retryAfter: number
}

/** Creates an error for `throw refuse('not found')`, with its own text if the specification has one. */
export function refuse(
  code: Exclude<RefusalCode, 'too many'>,
  message?: string,
  validationErrors?: readonly FieldError[],
): Refusal {
  return new Refusal(code, message, validationErrors && { validationErrors })
}

/** A 429, which always states the exceeded limit and when to try again. */
export function refuseTooMany(exceeded: Exceeded, message?: string): Refusal {
  return new Refusal('too many', message, { exceeded })
}

/** A 409 for a change that is based on an old version; 412 if the caller sent the version in `If-Match`. */
export function refuseOutdated(message: string): Refusal {
  return new Refusal('conflict', message, { isOutdated: true })
}

/** A 409 for a call that is already in progress, with the time after which to repeat it. */
export function refuseInProgress(message: string): Refusal {
  return new Refusal('conflict', message, { retryAfter: 1 })
}

/** A 401 for calls that require a recent sign-in: the person signs in again and the call is repeated. */
export function refuseOldSignIn(minutes: number): Refusal {
  return new Refusal('unauthorized', 'Sign in again to confirm that it is you.', { signedInWithin: minutes })
}

/** The error body of version 2 calls (core gaps B18). */
export const ErrorBody = z
  .object({
    message: z.string(),
    domainErrors: z.array(z.string()),
    validationErrors: z.array(z.object({ field: z.string(), message: z.string() })),
    /** The id of the entry in the server log; only for an unexpected error. */
    errorId: z.string().optional(),
  })
  .meta({ id: 'Error' })
export type ErrorBody = z.infer<typeof ErrorBody>

/** The error body of version 1 calls: their envelope with the same fields. */
export const Version1ErrorBody = ErrorBody.extend({
  isSuccessful: z.literal(false),
  data: z.null(),
  reason: z.null(),
}).meta({ id: 'Version1Error' })

/** The envelope of version 1 calls: `{isSuccessful, data, reason, message}`. */
export function envelope<T extends z.ZodType>(data: T) {
  return z.object({
    isSuccessful: z.boolean(),
    data: data.nullable(),
    reason: z.string().nullable(),
    message: z.string().nullable(),
  })
}

/** A success in the version 1 envelope. */
export function success<T>(data: T, message: string | null = null) {
  return { isSuccessful: true, data, reason: null, message }
}
