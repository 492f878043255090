import { randomUUID } from 'node:crypto'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Refusal } from '@caretaker/contract/refusal.ts'
import { refusals } from '@caretaker/contract/refusal.ts'
import { schemas } from '@caretaker/rules/provisioning/attributes.ts'
import { Fault } from '@caretaker/rules/provisioning/fault.ts'
import { asRefusal } from '../../http/errors.ts'

/** The content type of requests and responses (RFC 7644, section 3.1). */
export const scimType = 'application/scim+json'

export function send(reply: FastifyReply, status: number, body?: unknown): void {
  void reply.status(status).header('cache-control', 'no-store')
  if (body === undefined) void reply.send()
  else void reply.type(scimType).send(JSON.stringify(body))
}

/** Sends an error in the body that RFC 7644 defines (section 3.12). */
export const sendError = (
  reply: FastifyReply,
  { status, detail, type }: { status: number; detail: string; type?: Fault['type'] },
) =>
  send(reply, status, {
    ...{ schemas: [schemas.error], status: String(status), detail },
    ...(type !== undefined && { scimType: type }),
  })

/** Sends every refusal and error of the plugin in that body. */
export function renderScimErrors(scim: FastifyInstance): void {
  scim.setErrorHandler((error: FastifyError, request, reply) => {
    if ((error as unknown) instanceof Fault) return sendFault(reply, error as unknown as Fault)
    const refusal = asRefusal(error)
    if (refusal) return sendRefusal(request, reply, refusal)
    const errorId = randomUUID()
    request.log.error({ err: error, errorId }, 'unexpected error')
    return sendError(reply, { status: 500, detail: `Something went wrong. The log has the details: ${errorId}.` })
  })
}

const sendFault = (reply: FastifyReply, { status, type, message: detail }: Fault) =>
  sendError(reply, { status, detail, type })

function sendRefusal(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): void {
  const { code, exceeded, message, validationErrors } = refusal
  if (exceeded) {
    request.showLimit({ limit: exceeded.limit, left: 0, seconds: exceeded.retryAfter })
    void reply.header('retry-after', exceeded.retryAfter)
  }
  if (code === 'unavailable') void reply.header('retry-after', 2)
  const detail = validationErrors[0]?.message ?? message
  return sendError(reply, {
    status: refusals[code].status,
    detail,
    ...(code === 'invalid' && { type: 'invalidSyntax' }),
  })
}

/** Parses JSON bodies of both content types; a request without a body may name one. */
export function parseScim(scim: FastifyInstance): void {
  const parse = scim.getDefaultJsonParser('error', 'error')
  scim.removeContentTypeParser('application/json')
  scim.addContentTypeParser<string>([scimType, 'application/json'], { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined)
    void parse(request, body, (error, value) =>
      error ? done(new Fault('invalidSyntax', 'The body is not valid JSON.')) : done(null, value),
    )
  })
}
