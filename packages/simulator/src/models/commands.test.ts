import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Event, State } from '@caretaker/contract/mqtt/payloads.ts'
import { commandNames } from '@caretaker/rules/commands/commands.ts'
import { generator } from '../random.ts'
import { modelOf } from './all.ts'
import type { Context, Nature } from './model.ts'
import { runModel, nature } from './testing.ts'

const now = Date.UTC(2026, 10, 20, 9)

/** A device that has run for a minute, with its reply to a command and its next reports. */
function atWork(device: Nature) {
  const context: Context = { now, elapsed: 60, random: generator('x'), device, speed: 1, supply: {} }
  const model = modelOf[device.model]
  let { state } = model.step(model.start({ ...context, elapsed: 0 }), context)
  return {
    order: (name: (typeof commandNames)[number]) => {
      const answer = model.commands![name]!(state, context, {})
      state = answer.state
      return answer
    },
    reported: () => State.parse(model.step(state, context).reported),
    readings: () => model.step(state, context).readings,
  }
}

const networked = [
  ['an emergency light', nature({ model: 'emered' })],
  ['a repeater', nature({ model: 'gateway', product: 'ZR' })],
] as const
for (const [name, device] of networked)
  test(`${name} leaves and joins the network, and replies if it already has`, () => {
    const { order, reported } = atWork(device)
    assert.equal(reported()['networkJoined'], true)
    assert.deepEqual(
      [order('joinNetwork').message, reported()['networkJoined']],
      ['Already joined to the network', true],
    )
    const left = order('leaveNetwork')
    assert.deepEqual([left.status, left.message, reported()['networkJoined']], ['confirmed', undefined, false])
    assert.ok(left.next! > 0, 'it reports what it is now soon')
    assert.equal(order('leaveNetwork').message, 'Already left the network')
    assert.equal(order('joinNetwork').status, 'confirmed')
    assert.equal(reported()['networkJoined'], true)
    assert.equal(atWork({ ...device, traits: { networkJoined: false } }).reported()['networkJoined'], false)
  })

test('a gateway is not a repeater', () => {
  const { order, reported } = atWork(nature({ model: 'gateway', product: 'ZG', serial: 'ZG1' }))
  assert.deepEqual([order('joinNetwork').status, order('leaveNetwork').message], ['failed', 'ZG1 is no repeater'])
  assert.ok(!('networkJoined' in reported()))
})

const faulty = [
  ['resetBoiler', nature({ model: 'boiler', story: 'boiler lockout' })],
  ['resetAutofill', nature({ model: 'autofill', story: 'failed autofill', product: 'AF' })],
] as const
for (const [name, device] of faulty)
  test(`${name} clears the fault and ends its event; without a fault it fails with a reason`, () => {
    const { order, reported } = atWork(device)
    const { faultCode } = reported()
    assert.notEqual(faultCode, 'None')
    const answer = order(name)
    assert.equal(answer.status, 'confirmed')
    const event = Event.parse(answer.events![0])
    assert.equal(event.end, now)
    assert.ok(event.description.startsWith(faultCode as string))
    assert.deepEqual([reported()['faultCode'], reported()['fault']], ['None', null])
    const again = order(name)
    assert.deepEqual([again.status, again.message, again.events], ['failed', 'There is no fault to reset', undefined])
  })

test('a reset affects the next readings: the boiler burns again, the autofill fills', () => {
  for (const [name, device, key, least] of [
    ['resetBoiler', nature({ model: 'boiler', story: 'boiler lockout' }), 'modulation', 1],
    ['resetAutofill', nature({ model: 'autofill', story: 'failed autofill', product: 'AF' }), 'systemPressure', 1],
  ] as const) {
    const highest = (isReset: boolean) => {
      const model = modelOf[device.model]
      const start = (context: Context) => {
        const locked = model.start(context)
        return isReset ? model.commands![name]!(locked, context, {}).state : locked
      }
      const outcomes = runModel({ ...model, start }, device, { from: Date.UTC(2026, 0, 14), steps: 24, seconds: 300 })
      return Math.max(...outcomes.map(({ readings }) => readings[key]!))
    }
    assert.ok(highest(false) < least && highest(true) >= least, name)
  }
})

test('a boiler whose fault requires a visit cannot be reset remotely', () => {
  const device = nature({ model: 'boiler' })
  const context: Context = { now, elapsed: 60, random: generator('x'), device, speed: 1, supply: {} }
  const fault = { code: 'E119', description: 'Low water pressure', source: 'boiler', isResettable: false, since: now }
  const state = { ...(modelOf.boiler.start(context) as object), fault: { ...fault, eventId: crypto.randomUUID() } }
  const answer = modelOf.boiler.commands!['resetBoiler']!(state, context, {})
  assert.deepEqual([answer.status, answer.message], ['failed', 'E119 cannot be reset from afar: Low water pressure'])
  assert.equal(answer.state, state)
})
