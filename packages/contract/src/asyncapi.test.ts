import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { z } from 'zod'
import { judgeReadings } from '@caretaker/rules/telemetry/readings.ts'
import { trialEvent, webhookEvents } from '@caretaker/rules/webhooks/webhooks.ts'
import { asyncapi, deviceExamples } from './asyncapi.ts'
import { ChangeEvent } from './changes.ts'
import { CommandMessage, Event, Reply, State, Test } from './mqtt/payloads.ts'
import { parseTopic } from './mqtt/topics.ts'
import { webhookMessage } from './webhooks.ts'

interface Message {
  examples: { payload: unknown }[]
}
interface Document {
  servers: Record<string, { host: string; protocol: string }>
  channels: Record<string, { address: string | null }>
  operations: Record<string, { action: string; channel: { $ref: string }; messages: { $ref: string }[] }>
  components: { messages: Record<string, Message> }
}
const installation = {
  ...{ version: '0.0.0', origin: 'https://caretaker.example.org', mqttUrl: 'mqtts://devices.example.org:8883' },
}
const document = asyncapi(installation) as unknown as Document

test('every reference of the document resolves, and no reference is to a schema outside it', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)]
  assert.ok(references.length > 50)
  for (const [, place] of references) {
    const part = place!.split('/').reduce<unknown>((of, key) => (of as Record<string, unknown>)?.[key], document)
    assert.ok(part, place)
  }
})

test('the server receives what devices publish, and sends commands, changes and webhooks', () => {
  assert.deepEqual(document.servers.deviceLink?.host, 'devices.example.org:8883')
  assert.equal(document.servers.deviceLink?.protocol, 'mqtts')
  const directions = Object.values(document.operations).map(({ action, channel }) => [
    channel.$ref.split('/').at(-1),
    action,
  ])
  assert.deepEqual(directions, [
    ...['telemetry', 'state', 'events', 'tests', 'replies'].map((channel) => [channel, 'receive']),
    ...['commands', 'changes', 'webhooks'].map((channel) => [channel, 'send']),
  ])
  for (const channel of Object.keys(deviceExamples)) {
    const address = document.channels[channel]!.address!.replace('{deviceId}', '5f2b2c1e-6f5c-4f0e-9a53-0c7d6f3c1b11')
    assert.equal(parseTopic(address)?.channel, channel)
  }
  assert.equal(document.operations.sendWebhooks!.messages.length, webhookEvents.length + 1)
})

test('the examples of the messages match the schemas of the contract', () => {
  const shapes: Record<string, z.ZodType> = {
    ...{ State, Events: Event, Tests: Test, Replies: Reply, Commands: CommandMessage, Changes: ChangeEvent },
  }
  const payloadsOf = (name: string) => document.components.messages[name]!.examples.map(({ payload }) => payload)
  for (const [name, shape] of Object.entries(shapes))
    for (const payload of payloadsOf(name)) assert.ok(shape.safeParse(payload).success, JSON.stringify(payload))
  for (const payload of payloadsOf('Telemetry')) {
    const { readings, faults } = judgeReadings(payload, { now: 1_770_000_060_000, keepsUnknown: false })
    assert.deepEqual([faults, readings.length > 0], [[], true])
  }
  const messages = Object.values(document.components.messages) as (Message & { name: string })[]
  for (const event of [...webhookEvents, trialEvent] as const) {
    const [example] = messages.find(({ name }) => name === event)!.examples
    assert.ok(webhookMessage(event).safeParse(example!.payload).success, event)
  }
})
