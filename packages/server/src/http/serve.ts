import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { $ZodType } from 'zod/v4/core'
import { safeParse } from 'zod/v4/core'
import type { FieldError } from '@caretaker/contract/refusal.ts'
import { Refusal, refuse, refuseOldSignIn } from '@caretaker/contract/refusal.ts'
import type { AnyRoute, May, Received, Replied, Route } from '@caretaker/contract/route.ts'
import { isReading, takesKeys } from '@caretaker/contract/route.ts'
import { TenantId } from '@caretaker/contract/scalars.ts'
import type { Action, VendorAction } from '@caretaker/rules/rights/can.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { rightsOf } from '@caretaker/rules/identity/actor.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { recentSignInMinutes } from '@caretaker/rules/identity/sign-in-policy.ts'
import { can, isVendorAction, vendorCan } from '@caretaker/rules/rights/can.ts'
import type { Context, TransactionContext } from '../context.ts'
import { isPassing } from '../postgres/passing.ts'
import type { Sight, TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { TokenCheck } from './access.ts'
import { holdsKey } from '@caretaker/rules/api-keys/api-keys.ts'
import { actorOf, authenticate, expectTenant, membersOf } from './access.ts'
import type { Person } from '../identity/person.ts'
import { tenantsOf } from '../identity/person.ts'
import { recordRefusal } from '../identity/access-record.ts'
import { callerOf } from './caller.ts'
import { Sending } from './sending.ts'
import { saveFiles } from './spooled-file.ts'
import type { Waiting } from './together.ts'
import { inOneGo, SharedAnswer } from './together.ts'

declare module 'fastify' {
  interface FastifyInstance {
    house: { context: Context; tokens: TokenCheck; spoolFolder: string }
  }
  interface FastifyContextConfig {
    route?: AnyRoute
  }
}

interface CallOf<C> {
  context: C
  request: FastifyRequest
  reply: FastifyReply
}
/** What a handler is given: the parsed parts of the call, and around them the request itself. */
export type PublicCall<T> = Received<T> & CallOf<PublicContext>
export type PersonCall<T> = Received<T> & CallOf<Context> & { person: Person }
/** Within a transaction no other connection can be reached. */
export type TenantCall<T> = Received<T> & CallOf<TransactionContext> & { person: Person; actor: Actor; tx: TenantTx }
/** `staffRole` is the highest role that the person of the vendor's staff has with any client. */
export type VendorCall<T> = Omit<TenantCall<T>, 'actor'> & { staffRole: Role }
export type ResidentAppCall<T> = Received<T> & CallOf<TransactionContext> & { tx: TenantTx }
/** `inTx` runs one step in a transaction of the tenant's, as `serveTenant` would; between the steps no connection is held. */
export type StepsCall<T> = PersonCall<T> & {
  tenant: string
  inTx<A>(work: (call: TenantCall<T>) => Promise<A>): Promise<A>
  /** A step that only refuses: before something outside the database is asked. */
  authorise(): Promise<void>
}
/** Anyone's call reaches the few connections that are set apart for such calls. */
export type PublicContext = Omit<Context, 'anonymousDb' | 'owner'>
/** A route without a declared answer needs none. */
type Answered<T> = Promise<Replied<T> | Sending | (undefined extends Replied<T> ? void : never)>

/** Serves a call that needs no token. */
export function servePublic<T extends Route>(
  app: FastifyInstance,
  route: T,
  handle: (call: PublicCall<T>) => Answered<T>,
) {
  expectMay(route, (may) => may === 'anyone')
  mount(app, route, async (call) => {
    const context = { ...call.context, db: call.context.anonymousDb }
    return handle({ ...call, context } as unknown as PublicCall<T>)
  })
}

/** Serves a call of somebody signed in, in no particular tenant. */
export function servePerson<T extends Route>(
  app: FastifyInstance,
  route: T,
  handle: (call: PersonCall<T>) => Answered<T>,
) {
  expectMay(route, (may) => may === 'signed in')
  mount(app, route, async (call, person) => handle({ ...call, person: person! } as PersonCall<T>))
}

/**
 * Serves a call of a member of the tenant that the call names, in one transaction behind that tenant's wall. Refuses
 * with 404 who is no member and with 403 whom `can` denies the route's action; what the action means for one device is
 * the handler's to ask.
 */
export function serveTenant<T extends Route>(
  app: FastifyInstance,
  route: T,
  handle: (call: TenantCall<T>) => Answered<T>,
  sight?: Sight,
) {
  expectMay(route, isOfTenant)
  mount(app, route, (call, person) => asMember(route, call, person!, handle, sight))
}

/**
 * Serves a call of a member of the tenant that the call names in several steps: what takes long, or needs a connection of its own,
 * is done between them. Each step asks anew who the person is, and refuses as `serveTenant` does.
 */
export function serveTenantInSteps<T extends Route>(
  app: FastifyInstance,
  route: T,
  handle: (call: StepsCall<T>) => Answered<T>,
) {
  expectMay(route, isOfTenant)
  mount(app, route, (call, person) => {
    const inTx = <A>(work: (call: TenantCall<T>) => Promise<A>) => asMember(route, call, person!, work)
    const authorise = () => inTx(async () => {})
    return handle({ ...call, person: person!, tenant: tenantOf(call), inTx, authorise } as unknown as StepsCall<T>)
  })
}

function asMember<T extends Route, A>(
  route: T,
  call: AnyCall,
  person: Person,
  work: (call: TenantCall<T>) => Promise<A>,
  sight?: Sight,
): Promise<A> {
  const asked = async (tx: TenantTx) => {
    const actor = await actorOf(tx, person)
    if (!can(actor, route.may as Action)) throw refuse('forbidden')
    return work({ ...call, person, actor, tx } as unknown as TenantCall<T>)
  }
  return inTenant(call.context.db, tenantOf(call), asked, sight)
}

/** What is asked by several at once: the parsed body is the same of all of them. */
export type CommonCall<T> = Pick<TenantCall<T>, 'tx' | 'actor' | keyof Received<T>>

/**
 * Serves a call of members of a tenant of which the answer depends on what they may, and not on who they are: people of the same rights
 * who ask the same while it is being worked out are answered in one go. `isPersonal` names calls of which it is each person's own.
 */
export function serveTogether<T extends Route>(
  app: FastifyInstance,
  route: T,
  handle: (call: CommonCall<T>) => Promise<Replied<T>>,
  isPersonal: (call: Received<T>) => boolean = () => false,
) {
  expectMay(route, isOfTenant)
  const answer = async (asking: readonly Waiting<Asker, SharedAnswer>[]): Promise<void> => {
    const { call } = asking[0]!.asker
    // People of other rights neither wait nor fail for those that come first.
    let others: Alike[] = []
    try {
      await inTenant(call.context.db, tenantOf(call), async (tx) => {
        const [first, ...rest] = await alike(tx, route, asking)
        others = rest
        if (!first) return
        await told(first.asking, async () => {
          const answer = await handle({ ...call, actor: first.actor, tx } as unknown as CommonCall<T>)
          return new SharedAnswer(() => JSON.stringify(encoded(route.reply as $ZodType, answer)), first.asking.length)
        })
      })
    } catch (error) {
      const later = new Set(others.flatMap((group) => group.asking))
      for (const one of asking) if (!later.has(one)) one.settle({ refused: error })
    }
    await Promise.all(others.map((group) => answer(group.asking)))
  }
  const ask = inOneGo(answer)
  mount(app, route, async (call, person) => {
    const who = isPersonal(call as unknown as Received<T>) ? person!.id : undefined
    return ask(JSON.stringify([tenantOf(call), call.params, call.query, call.body, who]), { call, person: person! })
  })
}

interface Asker {
  call: AnyCall
  person: Person
}
/** Who asks with the same rights, and one of them. */
interface Alike {
  actor: Actor
  asking: Waiting<Asker, SharedAnswer>[]
}

/** Those who ask by their rights, read anew; who may not is told so. */
async function alike(tx: TenantTx, route: AnyRoute, asking: readonly Waiting<Asker, SharedAnswer>[]): Promise<Alike[]> {
  const memberOf = await membersOf(tx, [...new Set(asking.map(({ asker }) => asker.person.id))])
  const groups = new Map<string, Alike>()
  for (const one of asking)
    await told([one], async () => {
      const actor = memberOf(one.asker.person.id)
      if (!can(actor, route.may as Action)) throw refuse('forbidden')
      const rights = rightsOf(actor)
      const group = groups.get(rights) ?? { actor, asking: [] }
      groups.set(rights, group)
      group.asking.push(one)
      return undefined
    })
  return [...groups.values()]
}

/** Tells these what comes of something, if anything does, or that it is refused; what else goes wrong is thrown. */
async function told<Q, A>(these: readonly Waiting<Q, A>[], work: () => Promise<A | undefined>): Promise<void> {
  try {
    const value = await work()
    if (value !== undefined) for (const { settle } of these) settle({ value })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    for (const { settle } of these) settle({ refused: error })
  }
}

/**
 * Serves a call of the vendor's staff about the tenant that it names, members of it or not, in one transaction behind that
 * tenant's wall. Refuses with 403 whom `vendorCan` denies the route's action, whatever the tenant, and with 404 who names
 * none that there is.
 */
export function serveVendor<T extends Route>(
  app: FastifyInstance,
  route: T,
  handle: (call: VendorCall<T>) => Answered<T>,
) {
  expectMay(route, isVendorAction)
  mount(app, route, async (call, person) => {
    const roles = await expectVendor(call, person!, route)
    const staffRole = roles.includes('Developer') ? 'Developer' : 'Admin'
    return inTenant(call.context.db, tenantOf(call), async (tx) => {
      await expectTenant(tx)
      return handle({ ...call, person: person!, tx, staffRole } as unknown as VendorCall<T>)
    })
  })
}

/**
 * Serves a call of a tenant's resident app, in one transaction of that tenant's. The key is checked before it: refuses with 401
 * who has no key of that tenant, which looks the same for a tenant that does not exist.
 */
export function serveResidentApp<T extends Route>(
  app: FastifyInstance,
  route: T,
  expectKey: (context: Context, tenant: string, request: FastifyRequest) => Promise<void>,
  handle: (call: ResidentAppCall<T>) => Answered<T>,
) {
  expectMay(route, (may) => may === 'resident app')
  mount(
    app,
    route,
    (call) =>
      inTenant(call.context.db, tenantOf(call), (tx) => handle({ ...call, tx } as unknown as ResidentAppCall<T>)),
    async (context, request) => {
      const { tenant } = request.params as { tenant: string }
      const named = TenantId.safeParse(tenant)
      if (!named.success) throw refuse('unauthorized')
      await expectKey(context, named.data, request)
    },
  )
}

/** The same of a call about no single tenant, or about one that is not there yet. */
export function serveVendorWide<T extends Route>(
  app: FastifyInstance,
  route: T,
  handle: (call: PersonCall<T>) => Answered<T>,
) {
  expectMay(route, isVendorAction)
  mount(app, route, async (call, person) => {
    await expectVendor(call, person!, route)
    return handle({ ...call, person: person! } as PersonCall<T>)
  })
}

async function expectVendor({ context }: AnyCall, person: Person, route: AnyRoute): Promise<Role[]> {
  const roles = (await tenantsOf(context.db, person.id)).map((membership) => membership.role)
  if (!vendorCan(roles, route.may as VendorAction)) throw refuse('forbidden')
  return roles
}

interface AnyCall {
  params: unknown
  query: unknown
  body: unknown
  form: unknown
  context: Context
  request: FastifyRequest
  reply: FastifyReply
}

const noKeys = 'An API key cannot do this: it is for somebody who is signed in.'
const keyInAddress =
  'An API key belongs into the Authorization header, never into an address, where others read it. Revoke this key and make another one.'

function mount(
  app: FastifyInstance,
  route: AnyRoute,
  answer: (call: AnyCall, person?: Person) => Promise<unknown>,
  /** Refuses a caller before the call is parsed: one who may not make it is not told what it takes. */
  admit?: (context: Context, request: FastifyRequest) => Promise<void>,
): void {
  app.route({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    bodyLimit: route.limit,
    config: { route },
    handler: async (request, reply) => {
      // Answers are somebody's own, refusals too: no cache keeps them for the next who sits there.
      void reply.header('cache-control', 'no-store')
      const { context, tokens } = app.house
      if (holdsKey(request.url)) throw refuse('invalid', keyInAddress)
      const person =
        route.may === 'anyone' || route.may === 'resident app'
          ? undefined
          : await authenticate(context, tokens, request)
      const result = await recordingRefusal({ context, route, request, person }, async (named) => {
        if (person?.keyOf && !takesKeys(route)) throw refuse('forbidden', noKeys)
        if (route.recentSignIn) expectRecentSignIn(person)
        await admit?.(context, request)
        const call = { ...(await received(route, request)), context, request, reply }
        named(call)
        return isReading(route) ? insisting(reply, () => answer(call, person)) : answer(call, person)
      })
      if (result instanceof Sending) {
        await result.send(reply)
        return reply
      }
      if (result instanceof SharedAnswer) {
        void reply.status(route.status)
        return result.for(request, reply)
      }
      // A stream answers by itself.
      if (reply.sent) return reply
      void reply.status(route.status)
      return route.reply ? encoded(route.reply as $ZodType, result) : reply.send()
    },
  })
}

/** Refuses a person whose sign-in is too long ago for what the call does. Of other providers it is not known when that was. */
function expectRecentSignIn(person: Person | undefined): void {
  const { session } = person ?? {}
  if (!session) return
  const age = Date.now() - (session.authenticatedAt?.getTime() ?? 0)
  if (age > recentSignInMinutes * 60_000) throw refuseOldSignIn(recentSignInMinutes)
}

interface Answering {
  context: Context
  route: AnyRoute
  request: FastifyRequest
  person: Person | undefined
}

/** Records that a person has no right to a call, after its transaction has ended; `work` says what the call names once it knows. */
async function recordingRefusal<T>(
  { context, route, request, person }: Answering,
  work: (named: (call: AnyCall) => void) => Promise<T>,
): Promise<T> {
  let tenant = person?.keyOf
  try {
    return await work((call) => {
      tenant ??= namedTenant(call)
    })
  } catch (error) {
    if (person && error instanceof Refusal && error.code === 'forbidden') {
      const call = `${route.method} ${route.path}`
      await recordRefusal(context, { person, tenant, call, caller: callerOf(request.ip), reason: error.message })
    }
    throw error
  }
}

/** Milliseconds until the second try, the third and the last: piece by piece, a client that is brought elsewhere is in the way again. */
const pauses = [0, 100, 400]

/** Does what only reads again where the database refused for what is over by now, unless some of it has gone out. */
async function insisting<T>(reply: FastifyReply, read: () => Promise<T>): Promise<T> {
  for (const pause of pauses)
    try {
      return await read()
    } catch (error) {
      if (!isPassing(error) || reply.sent || reply.raw.headersSent) throw error
      await sleep(pause)
    }
  return read()
}

/** Parses every part of the call; a refusal names each wrong field of all parts. */
async function received(route: AnyRoute, request: FastifyRequest) {
  if (route.body && request.headers['content-type']?.startsWith('multipart/')) throw refuse('unsupported')
  const errors: FieldError[] = []
  const part = (name: string, schema: unknown, value: unknown) => {
    if (!schema) return undefined
    const result = safeParse(schema as $ZodType, value)
    if (result.success) return result.data
    for (const issue of result.error.issues)
      errors.push({
        field: [...(name === 'body' || name === 'form' ? [] : [name]), ...issue.path].join('.'),
        message: issue.message,
      })
    return undefined
  }
  const form = route.form ? await spooled(route, request) : undefined
  const call = {
    params: part('params', route.params, request.params),
    query: part('query', route.query, request.query),
    body: part('body', route.body, request.body ?? {}),
    form: part('form', route.form, form),
  }
  if (errors.length) throw refuse('invalid', undefined, errors)
  return call
}

/** Files of a form go to disk, never to memory; the route's limit holds for each. */
async function spooled(route: AnyRoute, request: FastifyRequest): Promise<Record<string, unknown>> {
  if (!request.isMultipart()) throw refuse('unsupported')
  const { spoolFolder } = request.server.house
  const { files, fields } = await saveFiles(request, spoolFolder, route.limit)
  const values = Object.entries(fields).map(([name, given]) => {
    const one = Array.isArray(given) ? undefined : given
    return [name, one?.type === 'field' ? one.value : given]
  })
  return Object.fromEntries([...values, ...files]) as Record<string, unknown>
}

/** An answer goes out only in its declared shape: what is not declared, personal data included, is left behind. */
function encoded(schema: $ZodType, value: unknown): unknown {
  const result = safeParse(schema, value)
  if (!result.success)
    throw new Error(`The answer does not have its declared shape: ${JSON.stringify(result.error.issues.slice(0, 3))}`)
  return result.data
}

function tenantOf(call: AnyCall): string {
  const tenant = namedTenant(call)
  if (tenant === undefined) throw new Error('A route of a tenant must take a tenant')
  return tenant
}

function namedTenant(call: AnyCall): string | undefined {
  for (const part of [call.params, call.body, call.form, call.query])
    if (typeof part === 'object' && part !== null && 'tenant' in part && typeof part.tenant === 'string')
      return part.tenant
  return undefined
}

const isOfTenant = (may: May) =>
  may !== 'anyone' && may !== 'signed in' && may !== 'resident app' && !isVendorAction(may)

function expectMay(route: AnyRoute, fits: (may: May) => boolean): void {
  if (!fits(route.may)) throw new Error(`${route.method} ${route.path} is served in another way than its 'may' says`)
}
