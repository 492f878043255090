import type { Context, Span } from '@opentelemetry/api'
import { context, metrics, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { tracer } from './traced.ts'

/**
 * Traces every call as a span with its route, and records its duration, following the OpenTelemetry conventions for
 * HTTP servers.
 */
export function traceCalls(app: FastifyInstance): void {
  const durations = metrics.getMeter('caretaker').createHistogram('http.server.request.duration', {
    unit: 's',
    description: 'Duration of HTTP server requests.',
    advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] },
  })
  const running = new WeakMap<FastifyRequest, { span: Span; within: Context }>()
  const attributesOf = (request: FastifyRequest) => ({
    'http.request.method': request.method,
    'http.route': request.routeOptions.config.route?.path ?? request.routeOptions.url ?? 'none',
    'url.scheme': request.protocol,
  })
  app.addHook('onRequest', (request, _reply, done) => {
    const attributes = attributesOf(request)
    // Callers must not choose the trace of a call: it starts here.
    const span = tracer().startSpan(
      `${request.method} ${attributes['http.route']}`,
      { kind: SpanKind.SERVER, attributes },
      ROOT_CONTEXT,
    )
    const within = trace.setSpan(ROOT_CONTEXT, span)
    running.set(request, { span, within })
    context.with(within, done)
  })
  // Code after the body is called from the stream that delivered it.
  app.addHook('preValidation', (request, _reply, done) => {
    const within = running.get(request)?.within
    if (within) context.with(within, done)
    else done()
  })
  app.addHook('onResponse', async (request, reply) => {
    const status = { 'http.response.status_code': reply.statusCode }
    const span = running.get(request)?.span
    span?.setAttributes(status)
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
    span?.end()
    durations.record(reply.elapsedTime / 1000, { ...attributesOf(request), ...status })
  })
}
