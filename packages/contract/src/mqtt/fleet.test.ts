import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Fleet } from './fleet.ts'
import type { FleetDevice } from './fleet.ts'

const id = (digit: number) => `${digit}0000000-0000-4000-8000-000000000000`
const device = (rest: Partial<FleetDevice>): FleetDevice => ({
  deviceId: id(1),
  serial: 'ZG1000123X',
  product: 'ZG',
  username: id(1),
  password: 'key',
  reportingInterval: 60,
  parentId: null,
  model: 'gateway',
  traits: {},
  ...rest,
})
const wrong = (...devices: unknown[]) => {
  const result = Fleet.safeParse({ devices })
  assert.equal(result.success, false)
  return result.error.issues.map(({ message }) => message).join('; ')
}

test('a gateway and a light connected through it form a valid fleet', () => {
  const light = device({ deviceId: id(2), product: 'EM', model: 'emered', password: null, parentId: id(1) })
  assert.equal(Fleet.parse({ devices: [light, device({})] }).devices.length, 2)
})

test('a device without a password or a reporting parent is rejected, with its serial number', () => {
  const mute = { deviceId: id(2), serial: 'EM7', password: null }
  assert.match(wrong(device({}), device(mute)), /EM7 has neither/)
  assert.match(wrong(device({}), device({ ...mute, parentId: id(3) })), /EM7 has neither/)
  // A parent reports for its own children, not for theirs.
  const child = device({ deviceId: id(2), password: null, parentId: id(1) })
  assert.match(wrong(device({}), child, device({ ...mute, deviceId: id(3), parentId: id(2) })), /EM7 has neither/)
})

test('a duplicate device, an unknown model, story or product, and an empty fleet are rejected', () => {
  assert.match(wrong(device({}), device({})), /twice/)
  wrong(device({ model: 'toaster' as never }))
  wrong(device({ story: 'happy ever after' as never }))
  wrong(device({ product: 'XX' as never }))
  wrong()
})
