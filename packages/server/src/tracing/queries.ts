import type { Attributes } from '@opentelemetry/api'
import { metrics, SpanKind } from '@opentelemetry/api'
import type pg from 'pg'
import { failed, tracer } from './traced.ts'

/**
 * Traces every statement of a pool as a span with its text but without values, and records durations and connections.
 */
export function traceQueries(pool: pg.Pool, name: string): void {
  const meter = metrics.getMeter('caretaker')
  const durations = meter.createHistogram('db.client.operation.duration', {
    unit: 's',
    description: 'Duration of statements.',
    advice: { explicitBucketBoundaries: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10] },
  })
  const ofPool = { 'db.client.connection.pool.name': name }
  meter.createObservableUpDownCounter('db.client.connection.count', { unit: '{connection}' }).addCallback((result) => {
    result.observe(pool.idleCount, { ...ofPool, 'db.client.connection.state': 'idle' })
    result.observe(pool.totalCount - pool.idleCount, { ...ofPool, 'db.client.connection.state': 'used' })
  })
  meter
    .createObservableUpDownCounter('db.client.connection.pending_requests', { unit: '{request}' })
    .addCallback((result) => result.observe(pool.waitingCount, ofPool))

  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown
    const watched = (...given: unknown[]) => {
      const text = textOf(given[0])
      // Calls with a callback or stream are not traced here; the pool's own method uses a callback, so it is not
      // counted twice.
      if (text === undefined || typeof given.at(-1) === 'function') return query(...given)
      const operation = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'QUERY'
      const attributes: Attributes = { 'db.system.name': 'postgresql', 'db.operation.name': operation }
      const span = tracer().startSpan(`${operation} ${name}`, {
        kind: SpanKind.CLIENT,
        attributes: { ...attributes, 'db.query.text': text },
      })
      const begun = performance.now()
      const end = (error?: unknown) => {
        if (error) failed(span, error)
        span.end()
        durations.record((performance.now() - begun) / 1000, attributes)
      }
      const answer = query(...given) as Promise<unknown>
      answer.then(
        () => end(),
        (error: unknown) => end(error ?? 'unknown'),
      )
      return answer
    }
    client.query = watched as typeof client.query
  })
}

/** The text of a statement; undefined for an object that runs itself, such as a cursor. */
function textOf(statement: unknown): string | undefined {
  if (typeof statement === 'string') return statement
  const { text, submit } = (statement ?? {}) as { text?: unknown; submit?: unknown }
  return typeof text === 'string' && submit === undefined ? text : undefined
}
