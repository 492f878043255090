import type { Registry } from 'prom-client'
import { Counter, Gauge, Histogram } from 'prom-client'
import { upChannels } from '@caretaker/contract/mqtt/topics.ts'
import { badMessageReasons } from '@caretaker/rules/devices/messages.ts'
import { systemFigures } from '@caretaker/rules/system/figures.ts'
import { badTexts } from './strict-text.ts'

export type LinkMetrics = ReturnType<typeof linkMetrics>

/** The metrics of the device link. A registry may outlive a link: existing metrics are reused. */
export function linkMetrics(registry: Registry) {
  const registers = [registry]
  const found = <M>(name: string, make: () => M) => (registry.getSingleMetric(name) as M | undefined) ?? make()
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    found(name, () => new Counter({ name, help, labelNames, registers }))

  const bad = counter('caretaker_bad_messages_total', 'Device messages that were rejected', ['reason'])
  for (const reason of badMessageReasons) bad.inc({ reason }, 0)
  const stored = counter('caretaker_messages_total', 'Device messages that were stored', ['channel'])
  for (const channel of upChannels) stored.inc({ channel }, 0)
  const malformed = counter(
    'caretaker_malformed_packets_total',
    'Packets with content that MQTT forbids, which ended their connection',
    ['reason'],
  )
  for (const reason of badTexts) malformed.inc({ reason }, 0)
  return {
    bad,
    malformed,
    stored,
    crowded: counter(
      'caretaker_crowded_connections_total',
      'Connections closed because too many had not signed in',
      [],
    ),
    slowed: counter(
      'caretaker_slowed_connections_total',
      'Times that a connection was paused for sending too fast',
      [],
    ),
    refused: counter('caretaker_refused_connections_total', 'Device connections that were rejected', []),
    commands: counter('caretaker_commands_sent_total', 'Commands sent to devices, including retries', []),
    connections: found(
      'caretaker_device_connections',
      () => new Gauge({ name: 'caretaker_device_connections', help: 'Connected devices', registers }),
    ),
    writing: found(
      'caretaker_ingest_seconds',
      () =>
        new Histogram({
          name: 'caretaker_ingest_seconds',
          help: 'Time to store one batch of messages',
          buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
          registers,
        }),
    ),
  }
}

/** Publishes gauges of messages waiting to be stored: their number, their memory and the age of the oldest. */
export function watchWaiting(
  registry: Registry,
  waiting: { messages(): number; bytes(): number; oldest(): number },
): void {
  const { waiting: count, unacknowledged } = systemFigures
  show(registry, count, waiting.messages)
  show(registry, unacknowledged, waiting.oldest)
  const metric = 'caretaker_messages_waiting_bytes'
  show(registry, { metric, meaning: 'Memory of messages that are not yet stored' }, waiting.bytes)
}

/** Publishes whether this process receives device messages. */
export function watchBroker(registry: Registry, isUp: () => boolean): void {
  show(registry, systemFigures.broker, () => Number(isUp()))
}

/** A gauge computed on scrape. A registry may outlive a link: the newest gauge replaces the one before. */
function show(registry: Registry, of: { metric: string; meaning: string }, value: () => number): void {
  registry.removeSingleMetric(of.metric)
  registry.registerMetric(
    new Gauge({
      name: of.metric,
      help: of.meaning,
      registers: [],
      collect() {
        this.set(value())
      },
    }),
  )
}
