import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { FleetModel } from '@caretaker/contract/mqtt/fleet.ts'
import { models, stories } from '@caretaker/contract/mqtt/fleet.ts'
import { Event, State, Test } from '@caretaker/contract/mqtt/payloads.ts'
import type { Family, Product } from '@caretaker/rules/devices/products.ts'
import { productsOfFamily } from '@caretaker/rules/devices/products.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { measures } from '@caretaker/rules/telemetry/metrics.ts'
import { judgeReadings } from '@caretaker/rules/telemetry/readings.ts'
import type { MessageChannel } from '@caretaker/rules/messages/parsed.ts'
import { parsed } from '@caretaker/rules/messages/parsed.ts'
import { modelOf } from './all.ts'
import { runModel, nature } from './testing.ts'

function assertTaken(values: Record<string, number>, now: number): void {
  if (Object.keys(values).length > 0)
    assert.deepEqual(judgeReadings({ ts: now, values }, { now, keepsUnknown: false }).faults, [])
}

const seasons = [Date.UTC(2026, 0, 14), Date.UTC(2026, 6, 16), Date.UTC(2026, 9, 24, 22)]

for (const model of models)
  test(`${model}: the device link accepts everything that it sends, in every story and season`, () => {
    for (const story of [undefined, ...stories])
      for (const [season, from] of seasons.entries()) {
        const device = nature({ model, story, deviceId: `a0000000-0000-4000-8000-00000000000${season}` })
        for (const { readings, events, reported, tests, now } of runModel(modelOf[model], device, {
          from,
          steps: 100,
          seconds: 900,
        })) {
          assertTaken(readings, now)
          State.parse(reported)
          for (const event of events) Event.parse(event)
          for (const one of tests ?? []) Test.parse(one)
        }
      }
  })

test('the metrics of a model are in the catalogue for each of its products', () => {
  const behaving = (model: FleetModel): Product[] =>
    model === 'airSourceHeatPump' ? ['ASHP', 'BC', 'BX'] : productsOfFamily(model as Family)
  for (const model of models)
    for (const product of behaving(model))
      for (const { readings } of runModel(modelOf[model], nature({ model, product }), {
        from: seasons[0]!,
        steps: 3,
        seconds: 900,
      }))
        for (const key of Object.keys(readings) as MetricKey[]) assert.ok(measures(product, key), `${product} ${key}`)
})
for (const model of models)
  test(`${model}: the rules understand everything that it sends, topic by topic`, () => {
    for (const story of [undefined, ...stories])
      for (const { readings, events, reported, tests, now } of runModel(modelOf[model], nature({ model, story }), {
        from: seasons[0]!,
        steps: 100,
        seconds: 900,
      })) {
        const messages: [MessageChannel, unknown][] = [
          ['telemetry', { ts: now, values: readings }],
          ['state', reported],
          ...events.map((event): [MessageChannel, unknown] => ['events', event]),
          ...(tests ?? []).map((one): [MessageChannel, unknown] => ['tests', one]),
        ]
        for (const [channel, payload] of messages) {
          const unknown = parsed(channel, payload, { time: String }).filter((part) => part.notUnderstood)
          assert.deepEqual(unknown, [], `${channel} ${JSON.stringify(payload)}`)
        }
      }
  })

test('a step after a long pause with unusual traits still sends only valid messages', () => {
  const traits = {
    latitude: 89,
    batteryHealth: -3,
    lampPower: 1e9,
    lampHealth: 7,
    systemPressure: -50,
    roomTemperature: 900,
    humidity: 4000,
    occupants: -8,
    baseLoad: 1e12,
    clamps: 77,
    burnerHours: -1,
    gsmSignal: 500,
    linkQuality: -500,
    connectedDevices: 1e9,
    capacity: 1e9,
  }
  for (const model of models)
    for (const { readings, now } of runModel(modelOf[model], nature({ model, traits }), {
      from: seasons[0]!,
      steps: 4,
      seconds: 30 * 86_400,
    }))
      assertTaken(readings, now)
})

test('the same seed produces the same messages', () => {
  for (const model of models) {
    const once = () => runModel(modelOf[model], nature({ model }), { from: seasons[0]!, steps: 30, seconds: 300 })
    assert.deepEqual(once(), once())
  }
})
