import { FetchInterceptor } from '@mswjs/interceptors/fetch/web'
import { XMLHttpRequestInterceptor } from '@mswjs/interceptors/XMLHttpRequest/web'
import { z } from 'zod'
import type { Answer, AnyRoute, Received, Route } from '@caretaker/contract/route.ts'
import { isVersion1 } from '@caretaker/contract/route.ts'
import type { RefusalCode } from '@caretaker/contract/refusal.ts'
import { refusals, success } from '@caretaker/contract/refusal.ts'
import { routes } from '@caretaker/contract/routes.ts'
import { sampleOf } from '@caretaker/contract/sample.ts'
import type { Unwrapped } from '../api/call.ts'

/** One call of the portal, parsed by the route's shapes. */
export type Sent<T> = Received<T>

type Reply<T> =
  | Unwrapped<Answer<T>>
  | ((sent: Sent<T>) => Unwrapped<Answer<T>> | Promise<Unwrapped<Answer<T>>> | Nothing<T>)
/** A call without a body in its response returns nothing. */
type Nothing<T> =
  T extends Route<unknown, unknown, unknown, unknown, infer R> ? (R extends undefined ? void : never) : never

/** The answer of the server to one route. */
export interface ServerAnswer {
  route: AnyRoute
  respond(sent: Sent<AnyRoute>): Promise<Response> | Response
}

/**
 * Answers a route with data, without the version 1 envelope. A reply that violates the route's shape fails the test.
 */
export function answer<T extends Route>(route: T, reply: NoInfer<Reply<T>>): ServerAnswer {
  return {
    route,
    respond: async (sent) => {
      const data = typeof reply === 'function' ? await (reply as (sent: unknown) => unknown)(sent) : reply
      return responseOf(route, data)
    },
  }
}

/** Refuses a route with one of the contract's refusals. */
export function refuse(
  route: AnyRoute,
  code: RefusalCode,
  { message = refusals[code].text, fields = {} }: { message?: string; fields?: Record<string, string> } = {},
): ServerAnswer {
  const validationErrors = Object.entries(fields).map(([field, text]) => ({ field, message: text }))
  const body = { message, domainErrors: [], validationErrors }
  // In version 1 a refusal by a business rule has HTTP status 200.
  const isRule = code === 'refused' && isVersion1(route)
  return {
    route,
    respond: () =>
      Response.json(isVersion1(route) ? { ...body, isSuccessful: false, data: null, reason: null } : body, {
        status: isRule ? 200 : refusals[code].status,
      }),
  }
}

/** Answers a route with only a status, like a broken server or a proxy. */
export function answerStatus(route: AnyRoute, status: number, body = ''): ServerAnswer {
  return { route, respond: () => new Response(body, { status }) }
}

/** Cuts the connection instead of answering a route. */
export function cut(route: AnyRoute): ServerAnswer {
  return { route, respond: () => Response.error() }
}

/** Answers a route only once `release` is called, with `then` or the contract's example. */
export function hold(route: AnyRoute, then?: ServerAnswer): ServerAnswer & { release(): void } {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  return {
    route,
    release: () => release(),
    respond: async (sent) => {
      await held
      return (then ?? exampleAnswer(route)).respond(sent)
    },
  }
}

function responseOf(route: AnyRoute, data: unknown): Response {
  if (data instanceof File)
    return new Response(data, {
      headers: { 'content-type': data.type, 'content-disposition': `attachment; filename="${data.name}"` },
    })
  if (!route.reply) return new Response(route.status === 204 ? null : '', { status: route.status })
  const body = isVersion1(route) && isEnvelope(route) ? success(data) : data
  const parsed = (route.reply as z.ZodType).safeParse(body)
  if (!parsed.success) throw new Error(`${nameOf(route)}: violates the contract: ${z.prettifyError(parsed.error)}`)
  return Response.json(body, { status: route.status })
}

const isEnvelope = ({ reply }: AnyRoute) => reply instanceof z.ZodObject && 'isSuccessful' in reply.shape

/** The smallest answer of the route that the contract allows. */
export function exampleOf<T extends Route>(route: T): Unwrapped<Answer<T>> {
  const known = examples.get(route)
  if (known !== undefined) return structuredClone(known) as Unwrapped<Answer<T>>
  const { $defs = {}, ...schema } = z.toJSONSchema(route.reply as z.ZodType, { io: 'input', unrepresentable: 'any' })
  const sample = sampleOf(schema, $defs)
  const data = isVersion1(route) && isEnvelope(route) ? (sample as { data: unknown }).data : sample
  examples.set(route, data)
  return structuredClone(data) as Unwrapped<Answer<T>>
}
const examples = new Map<AnyRoute, unknown>()

const exampleAnswer = (route: AnyRoute): ServerAnswer => ({
  route,
  respond: () => {
    if (route.stream) return silentStream()
    if (route.file && !route.reply)
      return responseOf(route, new File(['a file'], 'file', { type: route.file.split(';')[0]! }))
    return responseOf(route, route.reply ? exampleOf(route) : undefined)
  },
})

/** An event stream without events. */
const silentStream = () =>
  new Response(new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode(': beat\n\n')) }), {
    headers: { 'content-type': 'text/event-stream' },
  })

interface Call {
  route: AnyRoute
  sent: Sent<AnyRoute>
}

/** The server of one test: its answers, and the calls it received. */
export interface TestServer {
  /** Replaces the answers of the same routes from now on. */
  use(...answers: ServerAnswer[]): void
  /** The calls of a route so far, oldest first. */
  sentTo<T extends Route>(route: T): Sent<T>[]
  /** Cuts or restores the connection: no call is answered in between. */
  setReachable(isReachable: boolean): void
}

interface Running {
  answers: ServerAnswer[]
  calls: Call[]
  isReachable: boolean
  errors: string[]
}
let current: Running | undefined

/** Starts a server without calls; the previous one no longer answers. */
export function startServer(answers: readonly ServerAnswer[]): TestServer {
  const server: Running = { answers: [...answers], calls: [], isReachable: true, errors: [] }
  current = server
  return {
    use: (...more) => void server.answers.push(...more),
    sentTo: (route) =>
      server.calls
        .filter(({ route: { method, path } }) => method === route.method && path === route.path)
        .map(({ sent }) => sent) as never,
    setReachable: (isReachable) => {
      server.isReachable = isReachable
    },
  }
}

/** Stops the server and returns its errors. */
export function stopServer(): string[] {
  const { errors = [] } = current ?? {}
  current = undefined
  return errors
}

interface Addressed {
  route: AnyRoute
  pattern: RegExp
  names: string[]
}

/** Routes with fewer parameters come first: `/views/mine` is not the view named 'mine'. */
const addressed: Addressed[] = Object.values(routes as Record<string, AnyRoute>)
  .map((route) => {
    const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
    const source = route.path.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, '([^/]+)')
    return { route, names, pattern: new RegExp(`^${source}$`) }
  })
  .toSorted((a, b) => a.names.length - b.names.length)

const nameOf = ({ method, path }: AnyRoute) => `${method} ${path}`

async function respond(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  const server = current
  if (!server?.isReachable) return Response.error()
  if (pathname === '/readyz') return Response.json({ status: 'ready', api: true, writable: true })
  if (pathname === '/build.json') return Response.json({ number: '1', commit: 'abc', branch: 'main' })
  const found = addressed.find(({ route, pattern }) => route.method === request.method && pattern.test(pathname))
  if (!found) return Response.json({ message: 'Not found.', domainErrors: [], validationErrors: [] }, { status: 404 })
  const { route, pattern, names } = found
  const values = pattern.exec(pathname)!.slice(1).map(decodeURIComponent)
  const raw = {
    params: Object.fromEntries(names.map((name, at) => [name, values[at]!])),
    query: Object.fromEntries(searchParams),
    ...(await bodyOf(request)),
  }
  const sent = readBy(route, raw)
  server.calls.push({ route, sent })
  const given = server.answers.findLast(({ route: { method, path } }) => method === route.method && path === route.path)
  try {
    return await (given ?? exampleAnswer(route)).respond(sent)
  } catch (error) {
    server.errors.push(error instanceof Error ? error.message : String(error))
    return new Response('', { status: 500 })
  }
}

async function bodyOf(request: Request): Promise<{ body?: unknown; form?: unknown }> {
  const type = request.headers.get('content-type') ?? ''
  if (type.startsWith('multipart/')) return { form: Object.fromEntries(await request.formData()) }
  const text = await request.text()
  return text ? { body: JSON.parse(text) } : {}
}

/** The parts of a call parsed by the server's shapes; an invalid call is left as sent. */
function readBy(route: AnyRoute, raw: Record<string, unknown>): Sent<AnyRoute> {
  const read = Object.entries(raw).map(([part, value]) => {
    const shape = route[part as 'params' | 'query' | 'body' | 'form'] as z.ZodType | undefined
    const parsed = shape?.safeParse(value)
    return [part, parsed?.success ? parsed.data : value]
  })
  return Object.fromEntries(read) as Sent<AnyRoute>
}

const isOfProduct = (url: string) => /^\/(api|oidc)\/|^\/(readyz|build\.json)$/.test(new URL(url).pathname)

/** Intercepts requests to the product's server; others, such as modules, pass. */
export function interceptNetwork(): void {
  for (const interceptor of [new FetchInterceptor(), new XMLHttpRequestInterceptor()]) {
    interceptor.apply()
    interceptor.on('request', ({ request, controller }) => {
      if (!isOfProduct(request.url)) return undefined
      return respond(request.clone()).then((response) => controller.respondWith(response))
    })
  }
}
