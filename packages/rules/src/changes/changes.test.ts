import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { DeviceSubject } from '../devices/rights.ts'
import type { Actor } from '../identity/actor.ts'
import type { Change } from './changes.ts'
import { changeSubjects, detailSubjects, merged, longestIdList, eventFor } from './changes.ts'

const actor = (of: Partial<Actor> = {}): Actor => ({
  userId: 'person',
  memberId: 'member',
  tenant: 'north',
  role: 'Manager',
  tags: [],
  features: [],
  capabilities: [],
  ...of,
})
const change = (of: Partial<Change>): Change => ({ subject: 'device', ids: null, audience: null, ...of })
const device = (product: DeviceSubject['product'], ...accessRightsTags: string[]): DeviceSubject => ({
  product,
  status: 'Ok',
  inWholesale: false,
  accessRightsTags,
})
const devices: Record<string, DeviceSubject> = {
  light: device('EM'),
  boiler: device('BX'),
  eastern: device('EM', 'east'),
}
const eventTo = (who: Actor, of: Partial<Change>) => eventFor(who, change(of), (id) => devices[id])

test('device changes contain only the devices that the recipient can see, with their products', () => {
  const ids = ['light', 'boiler', 'eastern', 'gone']
  assert.deepEqual(eventTo(actor(), { ids })?.ids, ['light', 'boiler', 'eastern'])
  assert.deepEqual(eventTo(actor(), { ids })?.products, ['EM', 'BX'])
  assert.deepEqual(eventTo(actor({ role: 'LightingEngineer' }), { ids: ['boiler'] }), undefined)
  assert.deepEqual(eventTo(actor({ tags: ['east'] }), { ids })?.ids, ['eastern'])
  assert.equal(eventTo(actor({ tags: ['west'] }), { ids }), undefined)
  assert.deepEqual(eventTo(actor({ tags: ['west'] }), {}), { subject: 'device', ids: null, products: null })
})

test('a change of very many devices states that any may have changed', () => {
  const many = Array.from({ length: longestIdList + 1 }, (_, n) => `light ${n}`)
  const all = eventFor(actor(), change({ ids: many }), () => device('EM'))
  assert.deepEqual(all, { subject: 'device', ids: null, products: ['EM'] })
})

test('personal changes go to their owner only, changes of users and the audit log to users who may see them', () => {
  const view = { subject: 'view', ids: ['v'], audience: ['member'] } as const
  assert.deepEqual(eventTo(actor(), view), { subject: 'view', ids: null, products: null })
  assert.deepEqual(eventTo(actor({ memberId: 'other', userId: 'member' }), view)?.subject, 'view')
  assert.equal(eventTo(actor({ memberId: 'other' }), view), undefined)
  assert.equal(eventTo(actor({ role: 'Guest' }), { subject: 'audit' }), undefined)
  assert.equal(eventTo(actor({ role: 'Admin' }), { subject: 'audit' })?.subject, 'audit')
  assert.equal(eventTo(actor({ role: 'Manager' }), { subject: 'mail' }), undefined)
  assert.equal(eventTo(actor({ role: 'Guest' }), { subject: 'tag' })?.subject, 'tag')
})

test('restricted users are informed of new visible devices if their own tags are affected, others are not', () => {
  const reach = { subject: 'reach', ids: ['east'] } as const
  assert.deepEqual(eventTo(actor({ tags: ['east'] }), reach), { subject: 'device', ids: null, products: null })
  assert.equal(eventTo(actor({ tags: ['west'] }), reach), undefined)
  assert.equal(eventTo(actor(), reach), undefined)
})

test('several changes are merged into one per subject and audience', () => {
  const changes = [
    change({ ids: ['a'] }),
    change({ ids: ['a', 'b'] }),
    change({ subject: 'view', ids: ['v'], audience: ['x', 'y'] }),
    change({ subject: 'view', ids: ['w'], audience: ['y', 'x'] }),
    change({ subject: 'view', ids: null }),
  ]
  assert.deepEqual(
    merged(changes).map(({ subject, ids }) => [subject, ids]),
    [
      ['device', ['a', 'b']],
      ['view', ['v', 'w']],
      ['view', null],
    ],
  )
  assert.deepEqual(merged([change({ ids: ['a'] }), change({})])[0]!.ids, null)
})

test('details of devices are separate subjects', () => {
  assert.ok(detailSubjects.length > 0 && detailSubjects.every((subject) => changeSubjects.includes(subject)))
  assert.ok(!detailSubjects.includes('device'))
})
