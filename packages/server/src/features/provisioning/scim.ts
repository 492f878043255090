import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { Fault } from '@caretaker/rules/provisioning/fault.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { ByDirectory } from '../people/provisioned.ts'
import { LastManager, recordRefusal } from './access.ts'
import { parseScim, renderScimErrors, send, sendError } from './answers.ts'
import { allOf, resourceTypes, schemaResources, serviceProviderConfig } from './discovery.ts'
import * as groups from './groups.ts'
import { tenantOfCall } from './keys.ts'
import type { Query } from './query.ts'
import { queryOf } from './query.ts'
import { etagOf, scimPath } from './resources.ts'
import { invitesOf } from './settings.ts'
import { turnsOf } from './turns.ts'
import type { Answer } from './users.ts'
import * as users from './users.ts'
import { isKnown } from './versions.ts'

interface Call {
  request: FastifyRequest
  reply: FastifyReply
  /** The id in the address; a text that is not an id matches nothing. */
  id: string
  query: Query
  /** Runs `work` in a transaction of the client whose directory calls. */
  inTx<T>(work: (by: ByDirectory) => Promise<T>): Promise<T>
}

/** Whether an address belongs to SCIM, known or not: unknown ones reach the handler of the whole server. */
export const isScimAddress = (url: string): boolean => /^\/scim\/v2(\/|\?|$)/i.test(url)

export function refuseAddress(reply: FastifyReply): void {
  sendError(reply, { status: 404, detail: 'There is no such address.' })
}

/**
 * The calls of directories that provision users: SCIM 2.0 (RFC 7643 and 7644), with errors and content type of its own.
 */
export async function scimRoutes(app: FastifyInstance): Promise<void> {
  await app.register(
    async (scim) => {
      parseScim(scim)
      renderScimErrors(scim)
      scim.setNotFoundHandler({ preHandler: scim.rateLimit() }, (_, reply) => refuseAddress(reply))
      discoveryRoutes(scim)
      userRoutes(scim)
      groupRoutes(scim)
    },
    { prefix: scimPath },
  )
}

function discoveryRoutes(scim: FastifyInstance): void {
  const { origin } = scim.services.context.config
  const byId = (resources: readonly { id: string }[], id: string) => {
    const found = resources.find((one) => one.id.toLowerCase() === id)
    if (!found) throw new Fault(undefined, 'There is no such resource.', 404)
    return found
  }
  serve(scim, 'GET', '/ServiceProviderConfig', async ({ reply }) => send(reply, 200, serviceProviderConfig(origin)))
  serve(scim, 'GET', '/ResourceTypes', async ({ reply }) => send(reply, 200, allOf(resourceTypes(origin))))
  serve(scim, 'GET', '/ResourceTypes/:id', async ({ reply, id }) => send(reply, 200, byId(resourceTypes(origin), id)))
  serve(scim, 'GET', '/Schemas', async ({ reply }) => send(reply, 200, allOf(schemaResources(origin))))
  serve(scim, 'GET', '/Schemas/:id', async ({ reply, id }) => send(reply, 200, byId(schemaResources(origin), id)))
}

function userRoutes(scim: FastifyInstance): void {
  serve(scim, 'GET', '/Users', async ({ reply, query, inTx }) =>
    send(reply, 200, await inTx((by) => users.listUsers(by, query))),
  )
  serve(scim, 'POST', '/Users', async (call) =>
    sendResource(call, await call.inTx((by) => users.createUser(by, call.request.body, call.query.wanted)), 201),
  )
  serve(scim, 'GET', '/Users/:id', async (call) =>
    sendResource(call, await call.inTx((by) => users.readOne(by, expectId(call), call.query.wanted))),
  )
  serve(scim, 'PUT', '/Users/:id', async (call) =>
    sendResource(call, await call.inTx((by) => users.replaceUser(by, changeIn(call)))),
  )
  serve(scim, 'PATCH', '/Users/:id', async (call) =>
    sendResource(call, await call.inTx((by) => users.patchUser(by, changeIn(call)))),
  )
  serve(scim, 'DELETE', '/Users/:id', async (call) => {
    await call.inTx((by) => users.deleteUser(by, expectId(call), ifMatchOf(call)))
    return send(call.reply, 204)
  })
}

function groupRoutes(scim: FastifyInstance): void {
  serve(scim, 'GET', '/Groups', async ({ reply, query, inTx }) =>
    send(reply, 200, await inTx((by) => groups.listGroups(by, query))),
  )
  serve(scim, 'POST', '/Groups', async (call) =>
    sendResource(call, await call.inTx((by) => groups.createGroup(by, call.request.body, call.query.wanted)), 201),
  )
  serve(scim, 'GET', '/Groups/:id', async (call) =>
    sendResource(call, await call.inTx((by) => groups.readOne(by, expectId(call), call.query.wanted))),
  )
  serve(scim, 'PUT', '/Groups/:id', async (call) =>
    sendResource(call, await call.inTx((by) => groups.replaceGroup(by, changeIn(call)))),
  )
  serve(scim, 'PATCH', '/Groups/:id', async (call) => {
    const change = changeIn(call)
    if (change.wanted.attributes.length)
      return sendResource(call, await call.inTx((by) => groups.patchGroup(by, change)))
    // The response would repeat thousands of members.
    const wanted = { attributes: ['id'], excluded: [] }
    const { version } = await call.inTx((by) => groups.patchGroup(by, { ...change, wanted }))
    void call.reply.header('etag', etagOf({ version }))
    return send(call.reply, 204)
  })
  serve(scim, 'DELETE', '/Groups/:id', async (call) => {
    await call.inTx((by) => groups.deleteGroup(by, expectId(call), ifMatchOf(call)))
    return send(call.reply, 204)
  })
}

function serve(scim: FastifyInstance, method: HTTPMethods, url: string, handle: (call: Call) => Promise<void>): void {
  const { context } = scim.services
  const turns = turnsOf(context)
  scim.route({
    method,
    url,
    handler: async (request, reply) => {
      const tenant = await tenantOfCall(context, request)
      const inTx = <T>(work: (by: ByDirectory) => Promise<T>) =>
        recordingRefusal(scim, tenant, () =>
          inTenant(context.db, tenant, async (tx) => work({ tx, context, invites: await invitesOf(tx) })),
        )
      const { id = '' } = request.params as { id?: string }
      const call = { request, reply, id: id.toLowerCase(), query: queryOf(request.query), inTx }
      await (method === 'GET' ? handle(call) : turns.take(tenant, () => handle(call)))
      return reply
    },
  })
}

/** Records that the directory tried to remove or restrict the last manager, after its transaction has ended. */
async function recordingRefusal<T>(scim: FastifyInstance, tenant: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof LastManager) await inTenant(scim.services.context.db, tenant, (tx) => recordRefusal(tx, error))
    throw error
  }
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function expectId({ id }: Call): string {
  if (!uuid.test(id)) throw new Fault(undefined, 'There is no resource with this id.', 404)
  return id
}

const ifMatchOf = ({ request }: Call) => request.headers['if-match']

const changeIn = (call: Call) => ({
  ...{ id: expectId(call), ifMatch: ifMatchOf(call), body: call.request.body, wanted: call.query.wanted },
})

function sendResource({ request, reply }: Call, { version, resource }: Answer, status = 200): void {
  void reply.header('etag', etagOf({ version }))
  const { location } = (resource['meta'] as { location?: string } | undefined) ?? {}
  if (status === 201 && location !== undefined) void reply.header('location', location)
  if (request.method === 'GET' && isKnown({ version }, request.headers['if-none-match'])) return send(reply, 304)
  return send(reply, status, resource)
}
