import { context, metrics, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { systemFigureNames, systemFigures } from '@caretaker/rules/system/figures.ts'
import type { Registry } from 'prom-client'
import type { Config } from '../config.ts'
import { version } from '../version.ts'

// Loaded only if a setting requires it: the packages take memory and startup time.

/**
 * Sends traces and metrics to the collector at OTEL_EXPORTER_OTLP_ENDPOINT, as OTLP over HTTP with protobuf. If it is
 * unreachable, only the spans of that time are lost. Returns the function that sends the rest and stops.
 */
export function startExport(
  { endpoint, headers, service, sampled, everyMs }: NonNullable<Config['openTelemetry']>,
  parts: readonly string[],
): { watch(registry: Registry): void; stop(): Promise<void> } {
  const resource = resourceFromAttributes({
    'service.name': service,
    'service.version': version,
    'service.instance.id': crypto.randomUUID(),
    'caretaker.parts': [...parts],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const tracerProvider = new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampled) }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers }) }),
    ],
  })
  trace.setGlobalTracerProvider(tracerProvider)
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: `${endpoint}/v1/metrics`, headers }),
    exportIntervalMillis: everyMs,
    exportTimeoutMillis: Math.min(everyMs, 10_000),
  })
  const meterProvider = new MeterProvider({ resource, readers: [reader] })
  metrics.setGlobalMeterProvider(meterProvider)
  return {
    /** The metrics used by alert rules, under their names in /metrics. */
    watch: (registry) => {
      const meter = metrics.getMeter('caretaker')
      for (const name of systemFigureNames) {
        const { metric, meaning } = systemFigures[name]
        meter.createObservableGauge(metric, { description: meaning }).addCallback(async (result) => {
          const value = (await registry.getSingleMetric(metric)?.get())?.values[0]?.value
          if (value !== undefined) result.observe(value)
        })
      }
    },
    stop: async () => {
      // An unreachable collector must not prevent a stop.
      await Promise.allSettled([tracerProvider.shutdown(), meterProvider.shutdown()])
      trace.disable()
      metrics.disable()
      context.disable()
    },
  }
}
