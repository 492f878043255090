import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { $ZodType } from 'zod/v4/core'
import { safeParse } from 'zod/v4/core'
import type { FieldError } from '@caretaker/contract/refusal.ts'
import { Refusal, refuse, refuseOldSignIn } from '@caretaker/contract/refusal.ts'
import type { AnyRoute, LooksAt, May, Received, Replied, Route } from '@caretaker/contract/route.ts'
import { deprecationHeaders, isReading, takesKeys } from '@caretaker/contract/route.ts'
import { TenantId } from '@caretaker/contract/scalars.ts'
import type { Action, VendorAction } from '@caretaker/rules/rights/can.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { rightsOf } from '@caretaker/rules/identity/actor.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { recentSignInMinutes } from '@caretaker/rules/identity/sign-in-policy.ts'
import { can, isVendorAction, vendorCan } from '@caretaker/rules/rights/can.ts'
import type { PersonalDataRead, ReadLog } from '../audit/reads.ts'
import type { ShownData } from '../audit/shown-data.ts'
import { shownIn, shownInFile } from '../audit/shown-data.ts'
import type { Context, TransactionContext } from '../context.ts'
import { isPassing } from '../postgres/passing.ts'
import type { Isolation, TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { TokenCheck } from './access.ts'
import { holdsKey } from '@caretaker/rules/api-keys/api-keys.ts'
import { actorOf, authenticate, expectTenant, membersOf } from './access.ts'
import type { Person } from '../identity/person.ts'
import { tenantsOf } from '../identity/person.ts'
import { recordRefusal } from '../identity/access-record.ts'
import { callerOf } from './caller.ts'
import { encoded } from './encoding.ts'
import { expectNoKey, keyedCall, onceInSteps, onceInTx } from './idempotency.ts'
import { beforeSending, Sending } from './sending.ts'
import { saveFiles } from './spooled-file.ts'
import type { Waiting } from './together.ts'
import { inOneGo, SharedAnswer } from './together.ts'
import { addETag, expectedVersions, withAnyVersion } from './versions.ts'
import { beginViewed, refuseChange, refuseWrite, withViewing } from './viewing.ts'

declare module 'fastify' {
  interface FastifyInstance {
    services: { context: Context; tokens: TokenCheck; spoolFolder: string; reads: ReadLog }
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
/** The arguments of a handler: the parsed parts of the call, and the request itself. */
export type PublicCall<T> = Received<T> & CallOf<PublicContext>
export type PersonCall<T> = Received<T> & CallOf<Context> & { person: Person }
/** Within a transaction no other connection is available. */
export type TenantCall<T> = Received<T> & CallOf<TransactionContext> & { person: Person; actor: Actor; tx: TenantTx }
/** `staffRole` is the highest role of the vendor's staff member in any client. */
export type VendorCall<T> = Omit<TenantCall<T>, 'actor'> & { staffRole: Role }
export type ResidentAppCall<T> = Received<T> & CallOf<TransactionContext> & { tx: TenantTx }
/** `inTx` runs one step in a transaction of the tenant, like `serveTenant`; between the steps no connection is held. */
export type StepsCall<T> = PersonCall<T> & {
  tenant: string
  inTx<A>(work: (call: TenantCall<T>) => Promise<A>): Promise<A>
  /** A step that only checks access, before work outside the database. */
  authorise(): Promise<void>
}
/** Public calls use a few connections reserved for them. */
export type PublicContext = Omit<Context, 'anonymousDb' | 'owner'>
/** A route without a declared response needs none. */
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

/** Serves a call from a signed-in person, in no particular tenant. */
export function servePerson<T extends Route>(
  app: FastifyInstance,
  route: T,
  handle: (call: PersonCall<T>) => Answered<T>,
) {
  expectMay(route, (may) => may === 'signed in')
  mount(app, route, async (call, person) => handle({ ...call, person: person! } as PersonCall<T>))
}

/**
 * Serves a call from a member of the named tenant, in one transaction limited to it. Rejects a non-member with 404, and
 * with 403 if `can` denies the route's action; the handler checks access to single devices.
 */
export function serveTenant<T extends Route>(
  app: FastifyInstance,
  route: T,
  handle: (call: TenantCall<T>) => Answered<T>,
  isolation?: Isolation,
) {
  expectMay(route, isOfTenant)
  mount(app, route, async (call, person) => {
    const keyed = await keyedCall(route, call, { person: person!, tenant: tenantOf(call) })
    const once = { route, reply: call.reply, keyed }
    return asMember(route, call, person!, (asked) => onceInTx(once, asked.tx, () => handle(asked)), isolation)
  })
}

/**
 * Serves a call from a member of the named tenant in several steps, with slow work or work on other connections in
 * between. Each step authenticates again and rejects like `serveTenant`.
 */
export function serveTenantInSteps<T extends Route>(
  app: FastifyInstance,
  route: T,
  handle: (call: StepsCall<T>) => Answered<T>,
) {
  expectMay(route, isOfTenant)
  mount(app, route, async (call, person) => {
    const inTx = <A>(work: (call: TenantCall<T>) => Promise<A>) => asMember(route, call, person!, work)
    const authorise = () => inTx(async () => {})
    let hasChanged = false
    // Set before the commit, because its success can stay unknown.
    const step = <A>(work: (call: TenantCall<T>) => Promise<A>) =>
      inTx(async (asked) => {
        const result = await work(asked)
        hasChanged = true
        return result
      })
    const tenant = tenantOf(call)
    const steps = { ...call, person: person!, tenant, inTx: step, authorise } as unknown as StepsCall<T>
    const once = { route, reply: call.reply, keyed: await keyedCall(route, call, { person: person!, tenant }) }
    return onceInSteps(
      once,
      (work) => inTx(({ tx }) => work(tx)),
      () => handle(steps),
      () => hasChanged,
    )
  })
}

function asMember<T extends Route, A>(
  route: T,
  call: AnyCall,
  person: Person,
  work: (call: TenantCall<T>) => Promise<A>,
  isolation?: Isolation,
): Promise<A> {
  const asked = async (tx: TenantTx) => {
    const actor = person.viewing
      ? (await beginViewed(tx, person, call.context.config)).actor
      : await actorOf(tx, person)
    if (!can(actor, route.may as Action)) throw refuse('forbidden')
    return work({ ...call, person, actor, tx } as unknown as TenantCall<T>)
  }
  return inTenant(call.context.db, tenantOf(call), asked, isolation).catch((error: unknown) =>
    refuseWrite(error, person.viewing),
  )
}

/** A call made by several people at once, with the same parsed body. */
export type CommonCall<T> = Pick<TenantCall<T>, 'tx' | 'actor' | keyof Received<T>>

/**
 * Serves a member's call whose response depends on their rights, not on who they are: people with the same rights who
 * send the same call while it is being computed share one response. `isPersonal` names calls that are different for
 * each person.
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
    // People with other rights neither wait for the first ones nor fail with them.
    let others: Alike[] = []
    try {
      await inTenant(call.context.db, tenantOf(call), async (tx) => {
        const [first, ...rest] = await alike(tx, route, asking, call.context)
        others = rest
        if (!first) return
        await completeCalls(first.asking, async () => {
          const answer = await handle({ ...call, actor: first.actor, tx } as unknown as CommonCall<T>)
          return new SharedAnswer(
            answer,
            () => JSON.stringify(encoded(route.reply as $ZodType, answer)),
            first.asking.length,
          )
        })
      })
    } catch (error) {
      const later = new Set(others.flatMap((group) => group.asking))
      for (const one of asking) if (!later.has(one)) one.complete({ refused: error })
    }
    await Promise.all(others.map((group) => answer(group.asking)))
  }
  const ask = inOneGo(answer)
  mount(app, route, async (call, person) => {
    const { id, viewing } = person!
    const who = viewing || isPersonal(call as unknown as Received<T>) ? [id, viewing?.id] : undefined
    return ask(JSON.stringify([tenantOf(call), call.params, call.query, call.body, who]), { call, person: person! })
  })
}

interface Asker {
  call: AnyCall
  person: Person
}
/** The callers with the same rights, and one of their actors. */
interface Alike {
  actor: Actor
  asking: Waiting<Asker, SharedAnswer>[]
}

/** Groups the callers by their current rights; rejects those without access. */
async function alike(
  tx: TenantTx,
  route: AnyRoute,
  asking: readonly Waiting<Asker, SharedAnswer>[],
  { config }: Context,
): Promise<Alike[]> {
  const memberOf = await membersOf(tx, [...new Set(asking.map(({ asker }) => asker.person.id))])
  const groups = new Map<string, Alike>()
  for (const one of asking)
    await completeCalls([one], async () => {
      const { person } = one.asker
      const actor = person.viewing ? (await beginViewed(tx, person, config)).actor : memberOf(person.id)
      if (!can(actor, route.may as Action)) throw refuse('forbidden')
      const rights = rightsOf(actor)
      const group = groups.get(rights) ?? { actor, asking: [] }
      groups.set(rights, group)
      group.asking.push(one)
      return undefined
    })
  return [...groups.values()]
}

/** Passes a result, if there is one, or a refusal to these callers; other errors are thrown. */
async function completeCalls<Q, A>(these: readonly Waiting<Q, A>[], work: () => Promise<A | undefined>): Promise<void> {
  try {
    const value = await work()
    if (value !== undefined) for (const { complete } of these) complete({ value })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    for (const { complete } of these) complete({ refused: error })
  }
}

/**
 * Serves a call from the vendor's staff about the named tenant, whether or not they are members, in one transaction
 * limited to it. Rejects with 403 if `vendorCan` denies the route's action, and with 404 if the tenant does not exist.
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
 * Serves a call from a tenant's resident app, in one transaction of that tenant. Rejects with 401 if there is no valid
 * key of that tenant; a missing tenant gets the same response.
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

/** Like `serveVendor` for a call about no single tenant, or about one that does not exist yet. */
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
  if (person.viewing) throw refuse('forbidden')
  const roles = (await tenantsOf(context.db, person.id)).map((membership) => membership.role)
  if (!vendorCan(roles, route.may as VendorAction)) throw refuse('forbidden')
  return roles
}

interface AnyCall {
  params: unknown
  query: unknown
  body: unknown
  form: unknown
  sent?: unknown
  context: Context
  request: FastifyRequest
  reply: FastifyReply
}

const noKeys = 'An API key cannot make this call: it needs a signed-in user.'
const keyInAddress =
  'Send an API key in the Authorization header, never in an address, where others can read it. Revoke this key and create a new one.'

function mount(
  app: FastifyInstance,
  route: AnyRoute,
  answer: (call: AnyCall, person?: Person) => Promise<unknown>,
  /** Rejects a caller before the call is parsed, so that they do not learn its parameters. */
  admit?: (context: Context, request: FastifyRequest) => Promise<void>,
): void {
  app.route({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    bodyLimit: route.limit,
    config: { route },
    handler: async (request, reply) => {
      // Responses and refusals are personal: no cache may keep them for the next user of the machine.
      void reply.header('cache-control', 'no-store')
      if (route.deprecated) void reply.headers(deprecationHeaders(route.deprecated))
      const { context, tokens } = app.services
      if (holdsKey(request.url)) throw refuse('invalid', keyInAddress)
      const person =
        route.may === 'anyone' || route.may === 'resident app'
          ? undefined
          : withViewing(await authenticate(context, tokens, request), request)
      let made: AnyCall | undefined
      let isAdded = false
      const looked = (shown: (look: Look) => ShownData | undefined) => {
        if (!person || !made || !route.looksAt) return
        const read = readOf({ looksAt: route.looksAt, person, call: made }, shown)
        if (!read) return
        if (isAdded) app.services.reads.addRows(read)
        else app.services.reads.add(read)
        isAdded = true
      }
      // A file that is sent within the transaction is recorded before its first byte, and its number of rows after the
      // last.
      beforeSending(reply, () => looked(({ asked }) => shownInFile(asked, null)))
      const result = await recordingRefusal({ context, route, request, person }, async (named) => {
        if (person?.keyOf && !takesKeys(route)) throw refuse('forbidden', noKeys)
        if (person?.viewing && !isReading(route)) await refuseChange(context, person)
        if (route.recentSignIn) expectRecentSignIn(person)
        expectNoKey(route, request)
        await admit?.(context, request)
        const versions = expectedVersions(route, request)
        const call = { ...(await received(route, request)), context, request, reply }
        named(call)
        made = call
        if (isReading(route)) return insisting(reply, () => answer(call, person))
        if (versions === undefined) return answer(call, person)
        const sent = [call.body, request.headers['if-match']]
        return withAnyVersion(call.body, versions, (body) => answer({ ...call, body, sent }, person))
      })
      if (result instanceof Sending) {
        looked(({ asked }) => shownInFile(asked, result.rows, result.about))
        await result.send(reply)
        return reply
      }
      if (result instanceof SharedAnswer) {
        looked(({ looksAt, asked }) => shownIn(looksAt, result.value, asked))
        void reply.status(route.status)
        return result.for(request, reply)
      }
      // A stream has already responded.
      if (reply.sent) return reply
      void reply.status(route.status)
      addETag(route, reply, result)
      if (!route.reply) return reply.send()
      const answered = encoded(route.reply as $ZodType, result)
      looked(({ looksAt, asked }) => shownIn(looksAt, answered, asked))
      return answered
    },
  })
}

interface Look {
  looksAt: LooksAt
  /** The call's parameters, except the tenant. */
  asked: Record<string, unknown>
}

/** The personal data that a person or key was shown; undefined if none. It is written after the response. */
function readOf(
  { looksAt, person, call }: { looksAt: LooksAt; person: Person; call: AnyCall },
  shownTo: (look: Look) => ShownData | undefined,
): PersonalDataRead | undefined {
  const { tenant: _, ...asked } = Object.assign({}, call.params, call.query, call.body) as Record<string, unknown>
  const shown = shownTo({ looksAt, asked })
  if (!shown) return undefined
  const { id, name, keyOf, viewing } = person
  const [tenant, caller] = [tenantOf(call), callerOf(call.request.ip)]
  return {
    ...{ tenant, looksAt, shown, asked, caller, viewingAs: viewing?.name },
    person: { id, name, isKey: keyOf !== undefined },
  }
}

/** Refuses a person whose sign-in is too long ago for the call. For other providers, its time is not known. */
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

/** Records a denied call after its transaction has ended; `work` sets what the call names once it is known. */
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

/**
 * Delays in ms before the second, third and fourth attempts: a client that is being moved shard by shard can conflict
 * again.
 */
const pauses = [0, 100, 400]

/** Repeats a read that failed for a temporary reason, unless part of the response was sent. */
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

/** Parses every part of the call; a refusal names each invalid field of all parts. */
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

/** Files of a form are written to disk, not memory; the route's size limit applies to each. */
async function spooled(route: AnyRoute, request: FastifyRequest): Promise<Record<string, unknown>> {
  if (!request.isMultipart()) throw refuse('unsupported')
  const { spoolFolder } = request.server.services
  const { files, fields } = await saveFiles(request, spoolFolder, route.limit)
  const values = Object.entries(fields).map(([name, given]) => {
    const one = Array.isArray(given) ? undefined : given
    return [name, one?.type === 'field' ? one.value : given]
  })
  return Object.fromEntries([...values, ...files]) as Record<string, unknown>
}

function tenantOf(call: AnyCall): string {
  const tenant = namedTenant(call)
  if (tenant === undefined) throw new Error('A tenant route must have a tenant parameter')
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
  if (!fits(route.may)) throw new Error(`${route.method} ${route.path} is not served as its 'may' declares`)
}
