import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { JWTPayload } from 'jose'
import { decodeJwt } from 'jose'
import { Gauge } from 'prom-client'
import { Position, streamChanges } from '@caretaker/contract/changes.ts'
import { refuse, refuseTooMany } from '@caretaker/contract/refusal.ts'
import { sessionClaim } from '../../http/access.ts'
import { systemFigures } from '@caretaker/rules/system/figures.ts'
import { serveTenant } from '../../http/serve.ts'
import { findViewed } from '../../http/viewing.ts'
import type { Listener } from './streams.ts'
import { openStreams } from './streams.ts'

/** Maximum number of open streams per person in this process: a few windows, each with its own connection. */
const mostOfOne = 30
/** Seconds after which a retry makes sense: another stream of the person may have ended by then. */
const retryStreamAfter = 30
/**
 * Bytes buffered for a slow reader; beyond that the stream ends, and the reader reconnects and asks for what it
 * missed.
 */
const mostWaiting = 262_144
/** A position before everything that the feed still has. */
const longAgo = '1:1:-0'
/** Interval of keep-alive messages, in ms: a page that receives nothing for longer checks the server. */
const beat = 2000
/** The longest delay of a timer, in ms. */
const longestTimer = 2_147_483_647

/**
 * Streams of changes to open pages and other software. A stream holds no transaction, and ends with the token,
 * session or key that opened it.
 */
export function changeRoutes(app: FastifyInstance): void {
  const { feed } = app
  const { context, tokens } = app.services
  const streams = openStreams({ ...context, feed })
  const open = new Map<string, number>()
  const gauge = new Gauge({
    name: 'caretaker_change_streams',
    help: 'Streams of changes to open pages.',
    registers: [context.metrics],
  })
  const { feedLag } = systemFigures
  context.metrics.registerMetric(
    new Gauge({
      name: feedLag.metric,
      help: feedLag.meaning,
      registers: [],
      collect() {
        this.set(streams.lag())
      },
    }),
  )
  const count = (personId: string, change: 1 | -1) => {
    const now = (open.get(personId) ?? 0) + change
    if (now > 0) open.set(personId, now)
    else open.delete(personId)
    gauge.inc(change)
  }
  const replies = new Set<ServerResponse>()
  const beats = setInterval(() => {
    for (const raw of replies) if (raw.writableLength < mostWaiting) raw.write(':\n\n')
  }, beat)
  beats.unref()
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
    clearInterval(beats)
    await streams.stop()
  })

  serveTenant(app, streamChanges, async ({ tx, actor, person, query, request, reply, context: { config } }) => {
    if (closing) throw refuse('unavailable')
    if ((open.get(person.id) ?? 0) >= mostOfOne) throw refuseTooMany({ limit: mostOfOne, retryAfter: retryStreamAfter })
    count(person.id, 1)
    reply.raw.once('close', () => count(person.id, -1))
    const last = request.headers['last-event-id']
    const seen =
      last === undefined
        ? { date: (await feed.now(tx)).at - query.age * 1000 }
        : { position: Position.safeParse(last).data ?? longAgo }
    const end = () => reply.raw.end()
    // API keys are checked regularly instead of by expiry.
    const claims: JWTPayload = person.keyOf ? {} : decodeJwt(request.headers.authorization!.slice('Bearer '.length))
    const { exp, [sessionClaim]: session } = claims
    const listener: Listener = {
      actor,
      ...(person.viewing && { viewed: (reading) => findViewed(reading, person, config) }),
      session: tokens.hasSessions && !person.keyOf ? String(session) : undefined,
      devices: query.device ?? [],
      send: (position, changes) => {
        if (reply.raw.writableLength > mostWaiting) reply.raw.destroy()
        else reply.raw.write(`id: ${position}\ndata: ${JSON.stringify(changes)}\n\n`)
      },
      end,
    }
    const leave = await streams.join(listener, seen)
    const viewed = person.viewing && (await findViewed(tx, person, config))
    const endsAt = Math.min(exp === undefined ? Infinity : exp * 1000, viewed ? +viewed.endsAt : Infinity)
    const over = endsAt < Infinity && setTimeout(end, Math.min(longestTimer, Math.max(0, endsAt - Date.now())))
    reply.raw.once('close', () => {
      leave()
      clearTimeout(over || undefined)
      replies.delete(reply.raw)
    })
    begin(reply)
    replies.add(reply.raw)
    return reply
  })
}

/**
 * From here on the answer is written directly: without compression, which would delay events, and without proxy
 * buffering.
 */
function begin(reply: FastifyReply): void {
  reply.hijack()
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    // The connection is not reused, so a stopping process need not wait for it.
    connection: 'close',
  })
  reply.raw.flushHeaders()
}
