import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Context } from '../context.ts'
import type { Allowance } from '../limits/allowance.ts'
import { refilled, take, whole } from '../limits/allowance.ts'
import { isSameSecret } from '../same-secret.ts'
import type { Permissions } from './permissions.ts'
import { ingestUserOf, openPermissions } from './permissions.ts'
import { openRoutes } from './routes.ts'

/** The form of a broker's calls: how a request is read, and how an answer is given. */
interface Broker<Given> {
  path: string
  given: z.ZodType<Given>
  decide(permissions: Permissions, given: Given, request: FastifyRequest): Promise<unknown>
  /** Sends the decision. A refusal is always stated in the broker's own form: EMQX ignores replies with 4xx and 5xx. */
  answer(reply: FastifyReply, decision: unknown): FastifyReply
  refuse(reply: FastifyReply, isUnavailable: boolean): FastifyReply
}

const text = z.string().max(65_535)
const optional = z
  .string()
  .nullish()
  .transform((value) => value ?? '')
const Connecting = z.object({ username: text, password: text, clientid: optional })

/** mosquitto-go-auth with `http_response_mode status`: only the status counts. */
const mosquittoAnswers = {
  answer: (reply: FastifyReply, isAllowed: unknown) => reply.status(isAllowed === true ? 200 : 403).send(),
  refuse: (reply: FastifyReply, isUnavailable: boolean) => reply.status(isUnavailable ? 503 : 403).send(),
}
/** The numbers of mosquitto's access types. */
const [read, write, subscribe] = [1, 2, 4] as const

const mosquittoUser: Broker<z.infer<typeof Connecting>> = {
  path: 'mosquitto/user',
  given: Connecting,
  decide: (permissions, { username, password, clientid }) =>
    permissions.connect({ username, password, clientId: clientid }),
  ...mosquittoAnswers,
}
const mosquittoSuperuser: Broker<unknown> = {
  path: 'mosquitto/superuser',
  given: z.unknown(),
  decide: async () => false,
  ...mosquittoAnswers,
}
const MosquittoUse = z.object({ username: text, topic: text, acc: z.coerce.number().int().min(1).max(7) })
const mosquittoAcl: Broker<z.infer<typeof MosquittoUse>> = {
  path: 'mosquitto/acl',
  given: MosquittoUse,
  decide: async (permissions, { username, topic, acc }) =>
    (!(acc & read) || (await permissions.receive(username, topic))) &&
    (!(acc & write) || (await permissions.publish(username, topic))) &&
    (!(acc & subscribe) || (await permissions.subscribe(username, topic))),
  ...mosquittoAnswers,
}

const emqxAnswers = {
  answer: (reply: FastifyReply, isAllowed: unknown) =>
    reply.send({ result: isAllowed === true ? 'allow' : 'deny', is_superuser: false }),
  refuse: (reply: FastifyReply) => reply.status(200).send({ result: 'deny', is_superuser: false }),
}
const emqxAuthentication: Broker<z.infer<typeof Connecting>> = {
  path: 'emqx/authentication',
  given: Connecting,
  decide: mosquittoUser.decide,
  ...emqxAnswers,
}
const EmqxUse = z.object({ username: text, topic: text, action: z.enum(['publish', 'subscribe']) })
const emqxAuthorization: Broker<z.infer<typeof EmqxUse>> = {
  path: 'emqx/authorization',
  given: EmqxUse,
  decide: (permissions, { username, topic, action }) => permissions[action](username, topic),
  ...emqxAnswers,
}

const VerneHook = z.object({
  username: optional,
  client_id: optional,
  password: optional,
  topic: optional,
  topics: z.array(z.object({ topic: text, qos: z.number() })).default([]),
})
/** The reason codes of a rejected subscription, in MQTT 3.1.1 and 5. */
const [failure, notAuthorized] = [128, 135] as const
/** For how long VerneMQ may keep an answer about a topic, in seconds. */
const kept = 5

/** VerneMQ's webhooks: one address, the hook is named in a header. */
const vernemq: Broker<z.infer<typeof VerneHook>> = {
  path: 'vernemq',
  given: VerneHook,
  decide: async (permissions, { username, client_id, password, topic, topics }, request) => {
    const [, hook, isVersion5] = /^auth_on_(register|publish|subscribe)(_m5)?$/.exec(hookOf(request)) ?? []
    if (hook === 'register') return permissions.connect({ username, password, clientId: client_id })
    if (hook === 'publish') return permissions.publish(username, topic)
    if (hook !== 'subscribe') return false
    const granted: { topic: string; qos: number }[] = []
    for (const one of topics)
      granted.push(
        (await permissions.subscribe(username, one.topic))
          ? { topic: one.topic, qos: one.qos }
          : { topic: one.topic, qos: isVersion5 ? notAuthorized : failure },
      )
    if (granted.every(({ qos }) => qos >= failure)) return false
    return isVersion5 ? { modifiers: { topics: granted } } : { topics: granted }
  },
  answer: (reply, decision) => {
    if (decision === false) return vernemq.refuse(reply, false)
    if (hookOf(reply.request).includes('publish')) void reply.header('cache-control', `max-age=${kept}`)
    return reply.send({ result: 'ok', ...(typeof decision === 'object' ? decision : {}) })
  },
  refuse: (reply, isUnavailable) =>
    reply.status(200).send({ result: { error: isUnavailable ? 'unavailable' : 'not_allowed' } }),
}
const hookOf = ({ headers }: FastifyRequest) => {
  const name = headers['vernemq-hook']
  return typeof name === 'string' ? name : ''
}

/** Wrong secrets from one address within a minute, after which no secret from there is compared. */
const wrongAtMost = 30
const minute = 60_000
const addressesAtMost = 1000

/**
 * The calls of an external broker below /broker, which ask who may connect, publish and subscribe. Without
 * CARETAKER_BROKER_SECRET they do not exist.
 */
export function brokerCalls(app: FastifyInstance, { config, db, log }: Context): void {
  const { brokerSecret } = config
  if (brokerSecret === undefined) return
  // Its own cache, of seconds: a process without ingest has no other one.
  const permissions = openPermissions(openRoutes(db), ingestUserOf(config.mqttUrl))
  const wrong = limitWrongSecrets((address) =>
    log.warn({ address }, 'a broker call had no or a wrong secret (CARETAKER_BROKER_SECRET)'),
  )
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(body as string))),
  )
  const serve = <Given>({ path, given, decide, answer, refuse }: Broker<Given>) =>
    app.post(
      `/broker/${path}`,
      { config: { rateLimit: false }, errorHandler: (_error, _request, reply) => void refuse(reply, false) },
      async (request, reply) => {
        if (wrong.isOver(request.ip)) return refuse(reply, false)
        if (!isSameSecret(secretOf(request), brokerSecret)) {
          wrong.count(request.ip)
          return refuse(reply, false)
        }
        const parsed = given.safeParse(request.body)
        if (!parsed.success) return refuse(reply, false)
        try {
          return answer(reply, await decide(permissions, parsed.data, request))
        } catch (error) {
          log.debug({ err: error }, 'a broker call could not be decided')
          return refuse(reply, true)
        }
      },
    )
  serve(mosquittoUser)
  serve(mosquittoSuperuser)
  serve(mosquittoAcl)
  serve(emqxAuthentication)
  serve(emqxAuthorization)
  serve(vernemq)
}

/** Not every broker can send a header of its own: the secret may also be in the address. */
function secretOf({ headers, query }: FastifyRequest): string {
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]
  const { secret } = query as { secret?: unknown }
  return bearer ?? (typeof secret === 'string' ? secret : '')
}

function limitWrongSecrets(warn: (address: string) => void) {
  const addresses = new Map<string, Allowance>()
  return {
    isOver: (address: string) => {
      const left = addresses.get(address)
      return left !== undefined && refilled(left, wrongAtMost, Date.now(), minute) < 1
    },
    count: (address: string) => {
      const now = Date.now()
      const left = addresses.get(address) ?? whole(wrongAtMost, now)
      if (refilled(left, wrongAtMost, now, minute) >= wrongAtMost) warn(address)
      take(left, 1)
      addresses.delete(address)
      addresses.set(address, left)
      if (addresses.size > addressesAtMost) addresses.delete(addresses.keys().next().value!)
    },
  }
}
