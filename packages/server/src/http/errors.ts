import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorBody, RefusalCode } from '@caretaker/contract/refusal.ts'
import { oldSignInError } from '@caretaker/contract/calls/account.ts'
import { statusText } from '@caretaker/contract/error-texts.ts'
import { Refusal, refusals, refuse } from '@caretaker/contract/refusal.ts'
import type { AnyRoute } from '@caretaker/contract/route.ts'
import { isVersion1 } from '@caretaker/contract/route.ts'
import { isFullDisk } from '../postgres/full-disk.ts'
import { isLost, isWaitOver } from '../postgres/lost.ts'
import { isPassing } from '../postgres/passing.ts'

/** The only place that turns a refusal or error into a response, in the envelope of the call's API version. */
export function renderErrors(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply) => {
    if (reply.statusCode === 401 && !reply.hasHeader('www-authenticate'))
      void reply.header('www-authenticate', challenge(request))
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = asRefusal(error)
    if (refusal && isFullDisk(error)) request.log.error({ err: error }, 'the disk is full')
    if (refusal) return render(request, reply, refusal)
    // The caller disconnected during the response: no one is left to inform, and nothing is wrong.
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE' && request.raw.socket.destroyed) return reply.send()
    const errorId = randomUUID()
    request.log.error({ err: error, errorId }, 'unexpected error')
    return send(
      request,
      reply,
      { version1: isVersion1Call(request), status: 500 },
      {
        ...{ message: statusText(500), domainErrors: [], validationErrors: [], errorId },
      },
    )
  })
}

/** A malformed address reaches no route, and Fastify's own response would have another shape. */
export function renderFrameworkError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  // No id is that long.
  const tooLong = error.code === 'FST_ERR_MAX_PARAM_LENGTH'
  void render(request, reply, tooLong ? refuse('not found') : (asRefusal(error) ?? refuse('invalid')))
}

/** The WWW-Authenticate challenge for a missing or invalid token or key (RFC 6750, section 3). */
const challenge = ({ headers }: FastifyRequest) =>
  `Bearer realm="Caretaker"${headers.authorization ? ', error="invalid_token"' : ''}`

/** Seconds after which a process that starts or stops, or another one, responds. */
const retryUnavailableAfter = 2

/** Sends a refusal; `route` is given if the address exists for other methods. */
export function render(request: FastifyRequest, reply: FastifyReply, refusal: Refusal, route?: AnyRoute) {
  const { status } = refusals[refusal.code]
  const { exceeded } = refusal
  if (exceeded) {
    request.showLimit({ limit: exceeded.limit, left: 0, seconds: exceeded.retryAfter })
    void reply.header('retry-after', exceeded.retryAfter)
  }
  if (refusal.signedInWithin !== undefined)
    void reply.header(
      'www-authenticate',
      `Bearer realm="Caretaker", error="${oldSignInError}", max_age="${refusal.signedInWithin * 60}"`,
    )
  if (refusal.retryAfter !== undefined) void reply.header('retry-after', refusal.retryAfter)
  if (refusal.code === 'unavailable') void reply.header('retry-after', retryUnavailableAfter)
  const version1 = isVersion1Call(request, route)
  const business = refusal.code === 'refused' && version1
  return send(
    request,
    reply,
    { version1, status: business && !wantsProblem(request) ? 200 : status },
    {
      message: refusal.message,
      domainErrors: [],
      validationErrors: [...refusal.validationErrors],
    },
  )
}

const problemType = 'application/problem+json'

/**
 * Whether a caller asks for errors in the format of RFC 9457. Otherwise they have the envelopes of the specification.
 */
const wantsProblem = ({ headers }: FastifyRequest) => headers.accept?.toLowerCase().includes(problemType) ?? false

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { version1, status }: { version1: boolean; status: number },
  body: ErrorBody,
) {
  void reply.status(status).type('application/json').header('cache-control', 'no-store')
  if (wantsProblem(request)) return reply.type(problemType).send(problemOf(status, body))
  if (!version1) return reply.send(body)
  return reply.send({ isSuccessful: false, data: null, reason: null, ...body })
}

function problemOf(status: number, { message, validationErrors, errorId }: ErrorBody) {
  const errors = validationErrors.map(({ field, message: detail }) => ({
    detail,
    pointer: field ? `#/${field.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('.', '/')}` : '#',
  }))
  return {
    ...{ type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail: message },
    ...(errors.length && { errors }),
    ...(errorId && { errorId }),
  }
}

function isVersion1Call(request: FastifyRequest, other?: AnyRoute): boolean {
  const route = other ?? request.routeOptions.config.route
  return route ? isVersion1(route) : isVersion1({ method: request.method as 'POST', path: request.url.split('?')[0]! })
}

/** HTTP errors caused by the caller, by their code. */
const callersOwn: Record<string, { code: Exclude<RefusalCode, 'too many'>; why?: string }> = {
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'invalid',
    why: 'The length of the body differs from its Content-Length.',
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'unsupported' },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'too large' },
  FST_REQ_FILE_TOO_LARGE: { code: 'too large' },
  FST_FILES_LIMIT: { code: 'too large' },
  FST_FIELDS_LIMIT: { code: 'too large' },
  FST_PARTS_LIMIT: { code: 'too large' },
  FST_INVALID_MULTIPART_CONTENT_TYPE: { code: 'unsupported' },
  FST_PROTO_VIOLATION: { code: 'invalid', why: 'The form has a field with a name that is not allowed.' },
  FST_ERR_BAD_URL: { code: 'invalid', why: 'The address has an escape that is not UTF-8.' },
}

/** A call that is invalid as a whole, not in a single field. */
const invalid = (why: string) => refuse('invalid', undefined, [{ field: '', message: why }])

/** Parses JSON like Fastify, and explains what is wrong with it. */
export function parseJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) =>
    parse(request, body, (error, value) => (error ? done(invalid(jsonFault(body))) : done(null, value))),
  )
}

function jsonFault(body: string): string {
  if (!body) return 'The body is empty, although its content type is JSON.'
  try {
    JSON.parse(body.replace(/^\uFEFF/, ''))
  } catch (error) {
    return `The body is not valid JSON: ${(error as Error).message}.`
  }
  return 'The body has a key that is not allowed: __proto__ or constructor.'
}

const diskIsFull =
  'The disk of the server is full, so nothing was saved. Ask the operator to make room, then try again.'

/** The refusal behind an error that the caller or a temporary state caused; undefined for any other. */
export function asRefusal(error: FastifyError): Refusal | undefined {
  if (error instanceof Refusal) return error
  const known = callersOwn[error.code]
  if (known) return known.why ? invalid(known.why) : refuse(known.code)
  // The form parser's errors have no code: the form is truncated, or has no boundary.
  if (/unexpected end of multipart data$|^Multipart: Boundary not found$/i.test(error.message))
    return invalid('The form ends too early, or has no parts.')
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500) return refuse('invalid')
  // The database is unreachable or has no free connection: the caller should retry.
  if (isLost(error) || isWaitOver(error) || error.code?.startsWith('ECONN')) return refuse('unavailable')
  if (isFullDisk(error)) return refuse('unavailable', diskIsFull)
  // Another transaction holds what this one needs, for longer than it may wait.
  if (error.code === '55P03')
    return refuse('unavailable', 'Another change is in progress. Please try again in a moment.')
  // A retry will succeed.
  if (isPassing(error)) return refuse('unavailable')
  return undefined
}
