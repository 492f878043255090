import { CallError, parseCallFailure, version1Text } from '@caretaker/contract/error-texts.ts'
import { oldSignInError } from '@caretaker/contract/calls/account.ts'
import { endViewing, viewingEndedText, viewingHeader } from '@caretaker/contract/calls/people.ts'
import { isVersion1 } from '@caretaker/contract/route.ts'
import type { Call } from '@caretaker/contract/call.ts'
import type { Answer, Sent } from '@caretaker/contract/route.ts'
import type { RouteOf } from '@caretaker/contract/routes.ts'
import { reach } from './reach.ts'
import { currentViewing, setViewing } from './viewing-store.ts'

/** Provides bearer tokens. Without a token, the call is made anyway and the server answers 401. */
export interface TokenSource {
  /** With a subject, only the token of that user: undefined if another user has signed in. */
  current(subject?: string): Promise<string | undefined>
  /** A token other than the rejected one, or undefined if the session has ended. */
  instead(refused: string, subject?: string): Promise<string | undefined>
  /**
   * Asks the person to sign in again, because some calls require a recent sign-in; true once they have. If absent, such
   * a call is refused.
   */
  confirm?(): Promise<boolean>
  /** The server rejected even a fresh token: the session is over. */
  refused(reason?: string): void
}

let tokens: TokenSource | undefined

/** Sets the token source, once at startup. */
export function provideTokens(source: TokenSource): void {
  tokens = source
}

export interface CallOptions {
  /** The subject of the user: the call is made with this user's token or not at all. */
  subject?: string | undefined
  signal?: AbortSignal
  /** Called while a form is sent, with the fraction sent so far, 0 to 1. */
  onProgress?: (part: number) => void
  /** Called while a file is received, with the bytes so far; the total is unknown. */
  onBytes?: (bytes: number) => void
}

/** The data of a version 1 envelope. */
export type Unwrapped<A> = A extends { isSuccessful: boolean; data: infer D } ? NonNullable<D> : A

interface Parts {
  params?: Record<string, string>
  query?: Record<string, string | number | boolean | null | undefined>
  body?: unknown
  form?: Record<string, string | number | boolean | Blob | null | undefined>
}

interface Reply {
  status: number
  /** The server refused only because the sign-in is too long ago. */
  needsSignIn?: boolean
  body: unknown
}

/**
 * Makes one call of the API contract; the only way to the server. Version 1 envelopes are unwrapped, so that both
 * versions return data or throw a CallError. A rejected token is renewed once, silently.
 */
export async function call<C extends Call>(
  route: C,
  sent: Sent<RouteOf<C>>,
  options: CallOptions = {},
): Promise<Unwrapped<Answer<RouteOf<C>>>> {
  const parts = sent as Parts
  const token = route.may === 'anyone' ? undefined : await tokens?.current(options.subject).catch(throwUnanswered)
  if (options.subject !== undefined && token === undefined) throw new CallError(parseCallFailure(401, undefined))
  let reply = await send(route, parts, token, options)
  if (reply.status === 401 && !reply.needsSignIn && token !== undefined)
    reply = await sendAgain(route, parts, token, options, parseCallFailure(401, reply.body).message)
  if (reply.needsSignIn) {
    if (!(await tokens?.confirm?.())) throw new CallError(parseCallFailure(reply.status, reply.body))
    reply = await send(route, parts, await tokens?.current(options.subject).catch(throwUnanswered), options)
  }
  return answerOf(route, reply)
}

function answerOf<C extends Call>(route: C, reply: Reply): Unwrapped<Answer<RouteOf<C>>> {
  if (reply.status < 200 || reply.status > 299) throw failureOf(reply.status, reply.body)
  return (isVersion1(route) && isEnvelope(reply.body) ? unwrap(reply) : reply.body) as Unwrapped<Answer<RouteOf<C>>>
}

/** The error of a failed call. Any response can state that the portal is no longer shown as another user. */
function failureOf(status: number, body: unknown): CallError {
  const failure = parseCallFailure(status, body)
  if (status === 403 && failure.message === viewingEndedText) setViewing(undefined)
  return new CallError(failure)
}

/** Names the user whose view of the portal is shown; the call that ends the view is made as the manager. */
function viewingHeaders(route: Pick<Call, 'path'>): Record<string, string> {
  const viewing = route.path === endViewing.path ? undefined : currentViewing()
  return viewing ? { [viewingHeader]: `${viewing.tenant}/${viewing.viewingId}` } : {}
}

/**
 * Makes a call at an address given by a setting. The answer of that service is unrelated to this server or the
 * session, and may be incomplete.
 */
export async function callAt<C extends Call>(
  address: string,
  route: C,
  sent: Sent<RouteOf<C>>,
): Promise<Partial<Unwrapped<Answer<RouteOf<C>>>> | null | undefined> {
  if (address === route.path) return call(route, sent)
  const token = await tokens?.current().catch(throwUnanswered)
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  const body = JSON.stringify((sent as Parts).body)
  const response = await fetch(address, { method: route.method, headers, body, credentials: 'omit' }).catch(() => {
    throw new CallError(parseCallFailure(0, undefined))
  })
  const answered = parsed(await response.text())
  // The service may explain a failure only in a text.
  return answerOf(route, {
    status: response.status,
    body: typeof answered === 'string' ? { message: answered } : answered,
  })
}

async function sendAgain(
  route: Call,
  parts: Parts,
  refused: string,
  options: CallOptions,
  reason: string,
): Promise<Reply> {
  const token = await tokens?.instead(refused, options.subject).catch(throwUnanswered)
  if (token === undefined) {
    if (options.subject === undefined) tokens?.refused(reason)
    return { status: 401, body: undefined }
  }
  const reply = await send(route, parts, token, options)
  if (reply.status === 401 && !reply.needsSignIn) tokens?.refused(parseCallFailure(401, reply.body).message)
  return reply
}

export interface StreamOptions {
  signal: AbortSignal
  /** The id of the last event received; the stream starts with the events after it. */
  lastEventId?: string | undefined
  onEvent(id: string, data: unknown): void
  /** Called on each server heartbeat, every few seconds. */
  onBeat?: () => void
}

/** Listens to an event stream and resolves when it has ended; rejects like `call` if there is none. */
export async function listen<C extends Call>(
  route: C,
  sent: Sent<RouteOf<C>>,
  { signal, lastEventId, onEvent, onBeat }: StreamOptions,
): Promise<void> {
  const open = async (token: string | undefined) => {
    const headers: Record<string, string> = { accept: 'text/event-stream', ...viewingHeaders(route) }
    if (token !== undefined) headers.authorization = `Bearer ${token}`
    if (lastEventId !== undefined) headers['last-event-id'] = lastEventId
    return fetch(addressOf(route, sent as Parts), { headers, signal, cache: 'no-store' }).catch((error: unknown) => {
      throw signal.aborted ? error : unanswered()
    })
  }
  const token = await tokens?.current().catch(throwUnanswered)
  let response = await open(token)
  if (response.status === 401 && token !== undefined) {
    const other = await tokens?.instead(token).catch(throwUnanswered)
    if (other !== undefined) response = await open(other)
    if (response.status === 401) tokens?.refused()
  }
  if (!response.ok || !response.body) throw failureOf(response.status, parsed(await response.text()))
  const { createParser } = await import('eventsource-parser')
  const parser = createParser({
    onEvent: ({ id = '', data }) => onEvent(id, parsed(data)),
    ...(onBeat ? { onComment: onBeat } : {}),
  })
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    reach.heard()
    parser.feed(value)
  }
}

interface Envelope {
  isSuccessful: boolean
  data: unknown
  reason: string | null
  message: string | null
}

function isEnvelope(body: unknown): body is Envelope {
  return typeof body === 'object' && body !== null && 'isSuccessful' in body
}

function unwrap(reply: Reply): unknown {
  const envelope = reply.body as Envelope
  if (envelope.isSuccessful) return envelope.data
  throw new CallError({ ...parseCallFailure(reply.status, envelope), message: version1Text(envelope) })
}

function send(route: Call, parts: Parts, token: string | undefined, options: CallOptions): Promise<Reply> {
  const address = addressOf(route, parts)
  const headers: Record<string, string> =
    token === undefined ? {} : { authorization: `Bearer ${token}`, ...viewingHeaders(route) }
  const sent = parts.form
    ? sendForm(route, address, headers, parts.form, options)
    : sendJson(route, address, headers, parts, options)
  return sent.then(({ status, ...reply }) => {
    // Returned by a proxy without a server, or by a server that cannot work.
    if ([502, 503, 504].includes(status)) reach.suspect()
    else reach.heard()
    return { status, ...reply }
  })
}

function addressOf(route: Call, { params = {}, query = {} }: Parts): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return search ? `${path}?${search}` : path
}

async function sendJson(
  route: Call,
  address: string,
  headers: Record<string, string>,
  { body }: Parts,
  { signal, onBytes }: CallOptions,
): Promise<Reply> {
  const typed = body === undefined ? headers : { ...headers, 'content-type': 'application/json' }
  const response = await fetch(address, {
    method: route.method,
    headers: typed,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    throw signal?.aborted ? error : unanswered()
  })
  const isFile = route.file && !isJson(response)
  if (response.ok && isFile) return { status: response.status, body: await fileOf(response, onBytes) }
  const needsSignIn = response.headers.get('www-authenticate')?.includes(oldSignInError) ?? false
  return { status: response.status, needsSignIn, body: parsed(await response.text()) }
}

/** A call that returns a file or data indicates which by its content type. */
const isJson = (response: Response) => response.headers.get('content-type')?.startsWith('application/json')

/** The response stream as a file with the name that the response gives; an interrupted stream is an error. */
async function fileOf(response: Response, onBytes: CallOptions['onBytes']): Promise<File> {
  const content = await contentOf(response, onBytes)
  const [, name] = /filename="?([^";]+)/.exec(response.headers.get('content-disposition') ?? '') ?? []
  return new File([content], name ?? 'download', { type: content.type })
}

async function contentOf(response: Response, onBytes: CallOptions['onBytes']): Promise<Blob> {
  if (!response.body || !onBytes) return response.blob()
  let bytes = 0
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      onBytes(bytes)
      controller.enqueue(chunk)
    },
  })
  return new Response(response.body.pipeThrough(counter), { headers: response.headers }).blob()
}

/** Sends a form by XMLHttpRequest, because `fetch` cannot report upload progress. */
function sendForm(
  route: Call,
  address: string,
  headers: Record<string, string>,
  form: NonNullable<Parts['form']>,
  { signal, onProgress }: CallOptions,
): Promise<Reply> {
  const data = new FormData()
  for (const [name, value] of Object.entries(form))
    if (value !== undefined && value !== null) data.append(name, value instanceof Blob ? value : String(value))
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(route.method, address)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.addEventListener('load', () => resolve({ status: request.status, body: parsed(request.responseText) }))
    request.addEventListener('error', () => reject(unanswered()))
    request.addEventListener('abort', () => reject(new DOMException('The call was cancelled.', 'AbortError')))
    if (onProgress)
      request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0))
    signal?.addEventListener('abort', () => request.abort(), { once: true })
    request.send(data)
  })
}

function unanswered(): CallError {
  reach.suspect()
  const message = 'The server cannot be reached. Check the connection and try again.'
  return new CallError({ status: 0, message, domainErrors: [], validationErrors: [] })
}

/** An unreachable identity provider does not end the session either. */
function throwUnanswered(): never {
  throw unanswered()
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
