import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { exportJWK, generateKeyPair, createLocalJWKSet, SignJWT } from 'jose'
import pino from 'pino'
import { Registry } from 'prom-client'
import { refusals } from '@caretaker/contract/refusal.ts'
import { refusalsOf } from '@caretaker/contract/route-refusals.ts'
import type { AnyRoute, Answer, Route, Sent } from '@caretaker/contract/route.ts'
import type { Capability, Feature } from '@caretaker/rules/identity/features.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { buildApp } from '../app.ts'
import { readConfig } from '../config.ts'
import type { Context } from '../context.ts'
import { openStore } from '../files/store.ts'
import { postcodeService } from '../postcodes/service.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { TestDatabase } from './database.ts'
import { testDatabase } from './database.ts'

export const issuer = 'https://issuer.test'
const audience = 'https://caretaker.test/api'

/** The issuer's key, which takes a quarter of a second to create, is shared by the files of a worker. */
let signing: ReturnType<typeof makeSigningKey> | undefined

async function makeSigningKey() {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
  const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid: 'test', alg: 'RS256' }] })
  return { privateKey, keys }
}

/** The real app on a new or given database; people sign in with tokens of an issuer whose key the test holds. */
export interface TestApp {
  app: FastifyInstance
  context: Context
  /** Log lines from level warning on, unless CARETAKER_TEST_LOG sets another level. */
  logged: readonly string[]
  database: TestDatabase
  /** A bearer token of a person; `bend` changes claims, to try forged ones. A `sub` of null is left out. */
  token(email: string, bend?: Record<string, unknown>): Promise<string>
  /**
   * Makes a contract call as a person (by e-mail) and returns the raw status and body; `bend` changes token claims
   * and adds headers.
   */
  send<T extends Route>(
    route: T,
    sent: Sent<T>,
    email?: string,
    bend?: Bend,
  ): Promise<{ status: number; body: Wire<T> }>
  addTenant(id: string, flags?: { features?: Feature[]; capabilities?: Capability[] }): Promise<void>
  /** Adds a member; the person is bound at their first call by their verified e-mail. */
  addMember(tenant: string, email: string, role: Role, tagIds?: string[]): Promise<string>
  close(): Promise<void>
}
interface Bend {
  claims?: Record<string, unknown>
  headers?: Record<string, string>
}
// oxlint-disable-next-line typescript/no-explicit-any -- an answer may be a refusal; tests look into both
type Wire<T> = Answer<T> & Record<string, any>

export async function testApp(env: Record<string, string> = {}, given?: TestDatabase): Promise<TestApp> {
  const database = given ?? (await testDatabase())
  const { privateKey, keys } = await (signing ??= makeSigningKey())
  const config = readConfig({ CARETAKER_DATA: '/nonexistent', CARETAKER_RATE_LIMIT: '1000000', ...env })
  const logged: string[] = []
  const write = (line: string) => {
    logged.push(line)
    if (process.env.CARETAKER_TEST_LOG) process.stdout.write(line)
  }
  const log = pino({ level: process.env.CARETAKER_TEST_LOG ?? 'warn' }, { write })
  const context: Context = {
    config,
    ...database.product,
    files: openStore(config),
    postcodes: postcodeService(config.postcodes, log),
    resolveTxt: async () => [],
    log,
    metrics: new Registry(),
  }
  const app = await buildApp(context, { tokens: { keys, issuer, audience, directory: context.config.oidc.directory } })
  database.users.push(() => app.close())
  app.addHook('onSend', async (_request, reply) => {
    const needed = ({ 401: 'www-authenticate', 405: 'allow', 429: 'retry-after' } as const)[reply.statusCode]
    if (needed && !reply.hasHeader(needed)) throw new Error(`An answer with status ${reply.statusCode} needs ${needed}`)
  })

  const token = (email: string, bend: Record<string, unknown> = {}) => {
    const { header, sub = `subject of ${email}`, ...claims } = { header: {}, ...bend } as Record<string, unknown>
    const subject = sub === null ? {} : { sub: sub as string }
    return new SignJWT({ email, email_verified: true, name: email.split('@')[0]!, ...claims, ...subject })
      .setProtectedHeader({ alg: 'RS256', kid: 'test', typ: 'at+jwt', ...(header as object) })
      .setIssuer((claims as { iss?: string }).iss ?? issuer)
      .setAudience((claims as { aud?: string }).aud ?? audience)
      .setExpirationTime((claims as { exp?: number }).exp ?? '10m')
      .sign(privateKey)
  }

  // Tokens are reused for some minutes, as a browser does.
  const kept = new Map<string, { token: Promise<string>; until: number }>()
  const tokenOf = (email: string) => {
    const known = kept.get(email)
    if (known && known.until > Date.now()) return known.token
    const made = { token: token(email), until: Date.now() + 300_000 }
    kept.set(email, made)
    return made.token
  }

  return {
    app,
    context,
    logged,
    database,
    token,
    send: async (route, sent, email, bend = {}) => {
      const { params = {}, query, body } = sent as Record<string, Record<string, string> | undefined>
      const { form } = sent as { form?: Record<string, string | File> }
      const url = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!))
      const headers: Record<string, string> = email
        ? { authorization: `Bearer ${await (bend.claims ? token(email, bend.claims) : tokenOf(email))}` }
        : {}
      const multipart = form && (await asForm(form))
      const response = await app.inject({
        method: route.method,
        url,
        query,
        headers: { ...headers, ...bend.headers, ...(multipart && { 'content-type': multipart.type }) },
        payload: multipart ? multipart.body : body,
        payloadAsStream: route.stream === true,
      })
      expectDeclared(route, response.statusCode)
      if (route.stream && response.statusCode === 200) return { status: 200, body: await firstEvent(response.stream()) }
      const text = route.stream ? await textOf(response.stream()) : response.body
      const json = response.headers['content-type']?.includes('json') && text
      return { status: response.statusCode, body: (json ? JSON.parse(text) : text) as Wire<typeof route> }
    },
    addTenant: async (id, { features = [], capabilities = [] } = {}) => {
      await database.owner.query('insert into tenant (id, display_name) values ($1, $2)', [id, `${id} homes`])
      for (const feature of features)
        await database.owner.query('insert into tenant_feature (tenant_id, feature) values ($1, $2)', [id, feature])
      for (const capability of capabilities)
        await database.owner.query('insert into tenant_capability (tenant_id, capability) values ($1, $2)', [
          id,
          capability,
        ])
    },
    addMember: async (tenant, email, role, tagIds = []) => {
      const id = crypto.randomUUID()
      const person = await database.owner.query<{ id: string }>('select id from person where email = $1', [email])
      await inTenant(database.db, tenant, async (tx) => {
        await tx
          .insertInto('membership')
          .values({
            tenant_id: tenant,
            id,
            email,
            name: email.split('@')[0]!,
            role,
            tag_ids: tagIds,
            person_id: person.rows[0]?.id ?? null,
          })
          .execute()
        if (!person.rowCount)
          await tx.insertInto('invitation').values({ tenant_id: tenant, membership_id: id, email }).execute()
      })
      return id
    },
    close: async () => {
      await app.close()
      await database.drop()
    },
  }
}

/** A refusal must be listed for the call in the API document, because readers rely on it. */
function expectDeclared(route: AnyRoute, status: number): void {
  const declared = refusalsOf(route).map((code): number => refusals[code].status)
  if (status < 400 || status >= 500 || declared.includes(status)) return
  throw new Error(`${route.method} ${route.path} answers ${status}, which refusalsOf does not name`)
}

const textOf = async (stream: Readable) => Buffer.concat(await stream.toArray()).toString()

/** The data of the first event of a stream, which is then closed. */
async function firstEvent(stream: Readable) {
  let text = ''
  for await (const chunk of stream) {
    text += String(chunk)
    const [, data] = /^data: (.*)$/m.exec(text) ?? []
    if (data && text.endsWith('\n\n')) return JSON.parse(data)
  }
  throw new Error(`The stream ended before its first event: ${text}`)
}

/** Encodes texts and files as multipart. */
async function asForm(fields: Record<string, string | File>): Promise<{ type: string; body: Buffer }> {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  const encoded = new Response(data)
  return { type: encoded.headers.get('content-type')!, body: Buffer.from(await encoded.arrayBuffer()) }
}
