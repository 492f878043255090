import type { Attributes, Span, SpanKind } from '@opentelemetry/api'
import { SpanStatusCode, trace } from '@opentelemetry/api'

export const tracer = () => trace.getTracer('caretaker')

/** Does a piece of work as a span of a trace; where nothing is exported it is done and nothing else. */
export function traced<T>(
  name: string,
  kind: SpanKind,
  attributes: Attributes,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  return tracer().startActiveSpan(name, { kind, attributes }, async (span) => {
    try {
      return await work(span)
    } catch (error) {
      failed(span, error)
      throw error
    } finally {
      span.end()
    }
  })
}

/** Says of a span that it failed: its kind alone, for words of errors may quote what people entered. */
export function failed(span: Span, error: unknown): void {
  const { code, name } = error as { code?: unknown; name?: unknown }
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.setAttribute('error.type', typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown')
}
