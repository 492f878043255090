import { setTimeout as sleep } from 'node:timers/promises'
import type { Call } from '@caretaker/contract/call.ts'
import { CallError, parseCallFailure, version1Text } from '@caretaker/contract/error-texts.ts'
import type { Answer, Sent } from '@caretaker/contract/route.ts'
import { isReading, isVersion1, takesIdempotencyKeys } from '@caretaker/contract/route.ts'
import type { RouteOf } from '@caretaker/contract/routes.ts'
import { idempotencyHeader } from '@caretaker/rules/api-keys/idempotency.ts'
import type { Attempt } from './retries.ts'
import { delayBefore } from './retries.ts'

export interface ClientSettings {
  /** The address of the portal: `https://caretaker.example.org`. */
  origin: string
  /** An API key of the client. */
  key: string
  /** The maximum number of attempts per call; 10 by default. */
  attempts?: number
  /** The longest delay before an attempt, in ms; 60 seconds by default. A longer Retry-After ends the call. */
  longestDelay?: number
}

export interface CallSettings {
  signal?: AbortSignal
  /** Your own key, to repeat the call after your program has restarted; a new one by default. */
  idempotencyKey?: string
  /** The ETag of the version that the change is based on. */
  ifMatch?: string
}

/** The data of a version 1 envelope; other responses as they are. */
export type Data<C extends Call> =
  Answer<RouteOf<C>> extends { isSuccessful: boolean; data: infer D } ? NonNullable<D> : Answer<RouteOf<C>>

/** An element of a list that is returned page by page. */
export type Item<D> = D extends { rows: (infer R)[] } ? R : D extends { results: (infer R)[] } ? R : never

type Form = Record<string, string | number | boolean | Blob | null | undefined>

interface Parts {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: Record<string, unknown>
  form?: Form
}

interface Reply extends Attempt {
  body: unknown
}

/** An API client: it repeats calls that fail for a temporary reason, and makes each change only once. */
export function openClient({ origin, key, attempts = 10, longestDelay = 60_000 }: ClientSettings) {
  const send = async (route: Call, parts: Parts, settings: CallSettings): Promise<Reply> => {
    try {
      const response = await fetch(new URL(addressOf(route, parts), origin), requestOf(route, parts, key, settings))
      const body = await bodyOf(route, response)
      if (body === foreign) return { status: 502, retryAfter: undefined, body: { message: foreignText } }
      const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
      return {
        status: response.status,
        retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
        body,
      }
    } catch (error) {
      if (settings.signal?.aborted) throw error
      return { status: 0, retryAfter: undefined, body: { message: 'The server cannot be reached.' } }
    }
  }

  /** Makes one call of the contract and returns its data; throws a `CallError` if the call is rejected. */
  const call = async <C extends Call>(
    route: C,
    sent: Sent<RouteOf<C>>,
    settings: CallSettings = {},
  ): Promise<Data<C>> => {
    const isKeyed = takesIdempotencyKeys(route)
    const repeated = isKeyed ? { idempotencyKey: crypto.randomUUID(), ...settings } : settings
    const isRepeatable = isKeyed || isReading(route)
    for (let attempt = 1; ; attempt++) {
      const reply = await send(route, sent as Parts, repeated)
      const delay = delayBefore(attempt, reply, { isRepeatable, chance: Math.random() })
      if (delay === undefined || delay > longestDelay || attempt >= attempts) return dataOf(route, reply)
      await sleep(delay, undefined, settings.signal && { signal: settings.signal })
    }
  }

  /** All elements of a list, page by page: each page is requested when the one before has been read. */
  async function* all<C extends Call>(
    route: C,
    sent: Sent<RouteOf<C>>,
    settings: CallSettings = {},
  ): AsyncGenerator<Item<Data<C>>, void> {
    const parts = sent as Parts
    for (let after: string | undefined; ;) {
      const place = route.method === 'GET' ? 'query' : 'body'
      const page = { ...parts, [place]: { ...parts[place], ...(after !== undefined && { after }) } }
      const { rows, results, next } = (await call(route, page as Sent<RouteOf<C>>, settings)) as {
        rows?: Item<Data<C>>[]
        results?: Item<Data<C>>[]
        next?: string | null
      }
      const items = rows ?? results ?? []
      yield* items
      if (!items.length || next === null || next === undefined) return
      after = next
    }
  }

  return { call, all }
}
export type Client = ReturnType<typeof openClient>

function addressOf(route: Call, { params = {}, query = {} }: Parts): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const search = new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)]))).toString()
  return search ? `${path}?${search}` : path
}

function requestOf(route: Call, { body, form }: Parts, key: string, settings: CallSettings): RequestInit {
  const { idempotencyKey, ifMatch, signal } = settings
  const headers: Record<string, string> = { authorization: `Bearer ${key}` }
  if (idempotencyKey !== undefined) headers[idempotencyHeader] = idempotencyKey
  if (ifMatch !== undefined) headers['if-match'] = ifMatch
  if (body) headers['content-type'] = 'application/json'
  const content = form ? formOf(form) : body && JSON.stringify(body)
  // The key is never sent to another address, and a changing call is never sent as a GET.
  const redirect = 'manual'
  return { method: route.method, headers, redirect, ...(content && { body: content }), ...(signal && { signal }) }
}

function formOf(form: Form): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(form))
    if (value !== undefined && value !== null) data.append(name, value instanceof Blob ? value : String(value))
  return data
}

/** A success that a proxy returned instead of the server: the call may not have been made. */
const foreign = Symbol('foreign')
const foreignText = 'The response does not come from Caretaker. Check the address and the proxies in between.'

async function bodyOf(route: Call, response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? ''
  const isJson = type.startsWith('application/json')
  if (response.ok && route.file && !isJson && !type.startsWith('text/html')) {
    const [, name] = /filename="?([^";]+)/.exec(response.headers.get('content-disposition') ?? '') ?? []
    const content = await response.blob()
    return new File([content], name ?? 'download', { type: content.type })
  }
  const text = await response.text()
  try {
    if (isJson && text) return JSON.parse(text) as unknown
  } catch {
    return response.ok ? foreign : undefined
  }
  return response.ok && text ? foreign : undefined
}

function dataOf<C extends Call>(route: C, { status, body }: Reply): Data<C> {
  if (status < 200 || status > 299) throw new CallError(parseCallFailure(status, body))
  if (!isVersion1(route) || !isEnvelope(body)) return body as Data<C>
  if (body.isSuccessful) return body.data as Data<C>
  throw new CallError({ ...parseCallFailure(status, body), message: version1Text(body) })
}

interface Envelope {
  isSuccessful: boolean
  data: unknown
  reason: string | null
  message: string | null
}
const isEnvelope = (body: unknown): body is Envelope =>
  typeof body === 'object' && body !== null && 'isSuccessful' in body
