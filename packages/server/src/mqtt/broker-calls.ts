import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { oncePerMinute } from '../limits/once-per-minute.ts'
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

/** mosquitto-go-auth with `http_response_mode status`: only the status matters. */
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
/** 8, to unsubscribe, is always allowed. */
const MosquittoUse = z.object({
  ...{ username: text, clientid: optional, topic: text },
  acc: z.coerce.number().int().min(1).max(15),
})
const mosquittoAcl: Broker<z.infer<typeof MosquittoUse>> = {
  path: 'mosquitto/acl',
  given: MosquittoUse,
  decide: async (permissions, { username, clientid: clientId, topic, acc }) =>
    (!(acc & read) || (await permissions.receive({ username, clientId }, topic))) &&
    (!(acc & write) || (await permissions.publish({ username, clientId }, topic))) &&
    (!(acc & subscribe) || (await permissions.subscribe({ username, clientId }, topic))),
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
const EmqxUse = z.object({
  ...{ username: text, clientid: optional, topic: text },
  action: z.enum(['publish', 'subscribe']),
})
const emqxAuthorization: Broker<z.infer<typeof EmqxUse>> = {
  path: 'emqx/authorization',
  given: EmqxUse,
  decide: (permissions, { username, clientid, topic, action }) =>
    permissions[action]({ username, clientId: clientid }, topic),
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

/** VerneMQ's webhooks: one address for all; a header names the hook. */
const vernemq: Broker<z.infer<typeof VerneHook>> = {
  path: 'vernemq',
  given: VerneHook,
  decide: async (permissions, { username, client_id, password, topic, topics }, request) => {
    const [, hook, isVersion5] = /^auth_on_(register|publish|subscribe)(_m5)?$/.exec(hookOf(request)) ?? []
    if (hook === 'register') return permissions.connect({ username, password, clientId: client_id })
    const client = { username, clientId: client_id }
    if (hook === 'publish') return permissions.publish(client, topic)
    if (hook !== 'subscribe') return false
    const granted: { topic: string; qos: number }[] = []
    for (const one of topics)
      granted.push(
        (await permissions.subscribe(client, one.topic))
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

/**
 * The calls of an external broker below /broker, which ask who may connect, publish and subscribe. Without
 * CARETAKER_BROKER_SECRET they do not exist.
 */
export function brokerCalls(app: FastifyInstance, { config, db, log }: Context): void {
  const { brokerSecret } = config
  if (brokerSecret === undefined) return
  // Its own cache, of seconds: a process without ingest has no other one.
  const permissions = openPermissions(openRoutes(db), ingestUserOf(config.mqttUrl))
  const reportWrongSecret = oncePerMinute((address) =>
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
        // Always compared: others behind the same address must not be able to keep the broker out.
        if (!isSameSecret(secretOf(request), brokerSecret)) {
          reportWrongSecret(request.ip)
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

/**
 * Not every broker can send a custom header: the secret may also be the password in the address, which the broker sends
 * as Basic authentication.
 */
function secretOf({ headers }: FastifyRequest): string {
  const [, scheme, given = ''] = /^(Bearer|Basic) (.+)$/i.exec(headers.authorization ?? '') ?? []
  if (scheme?.toLowerCase() !== 'basic') return given
  const [, secret = ''] = /^[^:]*:(.*)$/s.exec(Buffer.from(given, 'base64').toString()) ?? []
  return secret
}
