import { randomUUID } from 'node:crypto'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorBody, RefusalCode } from '@caretaker/contract/refusal.ts'
import { statusText } from '@caretaker/contract/error-texts.ts'
import { Refusal, refusals, refuse } from '@caretaker/contract/refusal.ts'
import { isVersion1 } from '@caretaker/contract/route.ts'
import { isLost, isWaitOver } from '../postgres/lost.ts'
import { isPassing } from '../postgres/passing.ts'

/** The one place where a refusal or an error becomes an answer, in the envelope of the call's version. */
export function renderErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = asRefusal(error)
    if (refusal) return render(request, reply, refusal)
    // The caller went away in the middle of the answer: nobody is left to tell, and nothing is wrong.
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE' && request.raw.socket.destroyed) return reply.send()
    const errorId = randomUUID()
    request.log.error({ err: error, errorId }, 'unexpected error')
    return send(request, reply, 500, { message: statusText(500), domainErrors: [], validationErrors: [], errorId })
  })
}

export function render(request: FastifyRequest, reply: FastifyReply, refusal: Refusal) {
  const { status } = refusals[refusal.code]
  const business = refusal.code === 'refused' && isVersion1Call(request)
  return send(request, reply, business ? 200 : status, {
    message: refusal.message,
    domainErrors: [],
    validationErrors: [...refusal.validationErrors],
  })
}

function send(request: FastifyRequest, reply: FastifyReply, status: number, body: ErrorBody) {
  void reply.status(status).type('application/json').header('cache-control', 'no-store')
  if (!isVersion1Call(request)) return reply.send(body)
  return reply.send({ isSuccessful: false, data: null, reason: null, ...body })
}

function isVersion1Call(request: FastifyRequest): boolean {
  const { route } = request.routeOptions.config
  return route ? isVersion1(route) : isVersion1({ method: request.method as 'POST', path: request.url.split('?')[0]! })
}

/** Errors of the HTTP machinery that are the caller's own, by their code. */
const callersOwn: Record<string, RefusalCode> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported',
  FST_ERR_CTP_BODY_TOO_LARGE: 'too large',
  FST_REQ_FILE_TOO_LARGE: 'too large',
  FST_FILES_LIMIT: 'too large',
  FST_FIELDS_LIMIT: 'too large',
  FST_PARTS_LIMIT: 'too large',
  FST_INVALID_MULTIPART_CONTENT_TYPE: 'unsupported',
  FST_PROTO_VIOLATION: 'invalid',
}

function asRefusal(error: FastifyError): Refusal | undefined {
  if (error instanceof Refusal) return error
  const known = callersOwn[error.code]
  if (known) return refuse(known)
  // The parser of forms gives its errors no code: the form breaks off, or has no parts.
  if (/unexpected end of multipart data$|^Multipart: Boundary not found$/i.test(error.message)) return refuse('invalid')
  if (error.statusCode === 429) return refuse('too many')
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500) return refuse('invalid')
  // The database went away or has no connection to give: try again.
  if (isLost(error) || isWaitOver(error) || error.code?.startsWith('ECONN')) return refuse('unavailable')
  // It works when it is done again.
  if (isPassing(error)) return refuse('unavailable')
  return undefined
}
