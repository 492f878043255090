import type { $ZodType, input, output } from 'zod/v4/core'
import { isVendorAction } from '@caretaker/rules/rights/can.ts'
import type { Call, Method } from './call.ts'
import type { RefusalCode } from './refusal.ts'

export type { May } from './call.ts'

type Input<S> = S extends $ZodType ? input<S> : undefined
type Output<S> = S extends $ZodType ? output<S> : undefined
type Given<K extends string, S> = S extends $ZodType ? { [P in K]: input<S> } : unknown

/** Personal data of a property that a call returns, for the log of personal data views. */
export interface LooksAt {
  of: 'home' | 'resident'
  as: 'page' | 'list' | 'file'
  /** The page, list or file, as the log names it. */
  name: string
  /** Fields with personal data in this response, in addition to `personalFields`. */
  fields?: readonly string[]
}

/** One endpoint as data: its call, and P params, Q query, B JSON body, F multipart form, R JSON reply (or a file). */
export interface Route<
  P = unknown,
  Q = unknown,
  B = unknown,
  F = unknown,
  R = unknown,
  M extends Method = Method,
  A extends string = string,
> extends Call<M, A> {
  /** Whether only signed-in users may call it, not API keys. */
  peopleOnly: boolean
  /**
   * Whether a person must have signed in recently (`recentSignInMinutes`); not required of API keys or with other
   * providers.
   */
  recentSignIn: boolean
  /**
   * Whether the response contains a new secret, such as a key. It is returned once: repeating the call does not return
   * it again.
   */
  returnsSecret: boolean
  /** Which personal data it returns. A test derives from the response shapes which calls have to declare it. */
  looksAt?: LooksAt
  /** Its purpose, in one sentence for the API page. */
  summary: string
  /** Whether only the portal's pages use it. An internal call is not documented and can change with every version. */
  internal: boolean
  /** Error codes in addition to those of refusalsOf. */
  refuses: readonly RefusalCode[]
  /** The status of a success; 200 by default. */
  status: 200 | 201 | 202 | 204
  params: P
  query: Q
  body: B
  form: F
  reply: R
  /** Whether the response is a stream of server-sent events; `reply` is then the shape of each event's data. */
  stream?: boolean
  /** The largest accepted body, in bytes; 256 kB by default. */
  limit: number
  /**
   * Whether the item has a version: a response with a body has it as its ETag, and a call that changes the item accepts
   * it in If-Match. Its body then has a field `version`.
   */
  hasVersion: boolean
  /** Set on a call that will be removed: responses announce it with the headers Deprecation and Sunset. */
  deprecated?: Deprecated
}

export interface Deprecated {
  /** The days of the deprecation and of the removal: YYYY-MM-DD. */
  since: string
  removedOn: string
  /** The call to use instead, as the API page names it. */
  instead: string
}

/** The headers of a deprecated call (RFC 9745 and RFC 8594). */
export function deprecationHeaders({ since, removedOn }: Deprecated): Record<'deprecation' | 'sunset', string> {
  return { deprecation: `@${Date.parse(since) / 1000}`, sunset: new Date(removedOn).toUTCString() }
}

export type AnyRoute = Route

/** Any route with the shapes of this one, whatever its method and path. */
export type SameShapes<T extends Route> = Route<T['params'], T['query'], T['body'], T['form'], T['reply']>

export type Received<T> =
  T extends Route<infer P, infer Q, infer B, infer F>
    ? { params: Output<P>; query: Output<Q>; body: Output<B>; form: Output<F> }
    : never
export type Replied<T> = T extends Route<unknown, unknown, unknown, unknown, infer R> ? Input<R> : never
export type Sent<T> =
  T extends Route<infer P, infer Q, infer B, infer F>
    ? Given<'params', P> & Given<'query', Q> & Given<'body', B> & Given<'form', F>
    : never
export type Answer<T> =
  T extends Route<unknown, unknown, unknown, unknown, infer R> ? (R extends $ZodType ? output<R> : File) : never

interface Spec<P, Q, B, F, R, M extends Method, A extends string> extends Call<M, A> {
  peopleOnly?: boolean
  recentSignIn?: boolean
  returnsSecret?: boolean
  looksAt?: LooksAt
  summary: string
  internal?: boolean
  refuses?: readonly RefusalCode[]
  status?: 200 | 201 | 202 | 204
  params?: P
  query?: Q
  body?: B
  form?: F
  reply?: R
  stream?: boolean
  limit?: number
  hasVersion?: boolean
  deprecated?: Deprecated
}

/** Declares one endpoint: its call from `calls`, and its shapes. A route without `may` does not compile. */
export function route<
  P extends $ZodType | undefined = undefined,
  Q extends $ZodType | undefined = undefined,
  B extends $ZodType | undefined = undefined,
  F extends $ZodType | undefined = undefined,
  R extends $ZodType | undefined = undefined,
  M extends Method = Method,
  A extends string = string,
>(spec: Spec<P, Q, B, F, R, M, A>): Route<P, Q, B, F, R, M, A> {
  const internal = spec.path.startsWith('/api/internal/')
  return {
    status: 200,
    limit: 262_144,
    internal,
    peopleOnly: false,
    recentSignIn: false,
    returnsSecret: false,
    hasVersion: false,
    refuses: [],
    ...spec,
  } as Route<P, Q, B, F, R, M, A>
}

/** Version 1 calls are `POST /api/{Action}`. They respond in the envelope `Envelope`, all other calls without one. */
export function isVersion1(route: Pick<Route, 'method' | 'path'>): boolean {
  return route.method === 'POST' && /^\/api\/[A-Za-z]+[A-Za-z0-9]*$/.test(route.path)
}

/** Whether a call only reads: a GET, or a POST whose last path part begins with a verb of reading. */
export function isReading({ method, path }: Pick<Route, 'method' | 'path'>): boolean {
  return (
    method === 'GET' ||
    (method === 'POST' && /\/(get|fetch|search|count|preview|shouldUpdate|export(?!s$))[^/]*$/i.test(path))
  )
}

/** Whether a call accepts an Idempotency-Key: calls by members that change data do. */
export function takesIdempotencyKeys({
  may,
  method,
  path,
  file,
  stream,
}: Pick<Route, 'may' | 'method' | 'path' | 'file' | 'stream'>): boolean {
  const isOfMembers = may !== 'anyone' && may !== 'signed in' && may !== 'resident app' && !isVendorAction(may)
  return isOfMembers && !file && !stream && !isReading({ method, path })
}

/**
 * Whether an API key of the client can call the route. `without-keys.ts` gives the reasons for documented calls that
 * reject keys.
 */
export function takesKeys({ may, internal, peopleOnly }: Pick<Route, 'may' | 'internal' | 'peopleOnly'>): boolean {
  return may !== 'anyone' && may !== 'resident app' && !isVendorAction(may) && !internal && !peopleOnly
}
