import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { Actor } from '../identity/actor.ts'
import type { Role } from '../identity/roles.ts'
import { roles } from '../identity/roles.ts'
import { deviceStatuses, summarise } from '../devices/status.ts'
import { listingNames, listings, presetStatuses, presets } from '../devices/list.ts'
import { bcmFilterIn, conditionsOf, monitoringWords, monitorings } from '../devices/monitoring.ts'
import { fieldsOf } from '../lists/list.ts'
import { listOfRoot } from './lists.ts'
import type { View } from './view.ts'
import {
  builtInViews,
  isChanged,
  mayManageView,
  maySaveView,
  presetViewId,
  seesView,
  viewGroup,
  viewNameFault,
} from './view.ts'
import { filterFault } from '../lists/filters.ts'

describe('the presets', () => {
  test('have ids that are the same for everyone and never change [dev-2dash-20]', () => {
    const ids = listingNames.flatMap((name) => presets.map((preset) => presetViewId(listings[name], preset)))
    const written = ['emered', 'boiler', 'networking', 'thirdparty', 'bcm', 'homehub', 'vstat', 'multidot']
    assert.deepEqual(
      ids,
      written.flatMap((root) =>
        ['main', 'inventory', 'installed', 'failed', 'warning'].map((name) => `${root}-${name}`),
      ),
    )
    for (const name of listingNames)
      assert.deepEqual(
        builtInViews(listings[name]).map((view) => view.viewId),
        presets.map((preset) => presetViewId(listings[name], preset)),
      )
  })

  test('show exactly what the dashboard counts', () => {
    const one = summarise(deviceStatuses.map((status) => [status, 1]))
    assert.equal(presetStatuses.inventory.length, one.inventory)
    assert.equal(presetStatuses.installed.length, one.installed)
    assert.equal(presetStatuses.failed.length, one.fail)
    assert.equal(presetStatuses.warning.length, one.warn)
  })

  test('are valid views of their listing, the main one without filters and named like the page', () => {
    for (const name of listingNames)
      for (const [at, view] of builtInViews(listings[name]).entries()) {
        assert.equal(listOfRoot(view.root)?.name, name)
        assert.equal(viewGroup(view), 'system')
        for (const filter of view.filters) assert.equal(filterFault(filter, fieldsOf(listings[name], true)), undefined)
        if (at === 0) assert.deepEqual([view.label, view.filters], [listings[name].label, []])
        else assert.equal(view.filters.length, 1)
      }
    assert.equal(listOfRoot('nonsense'), undefined)
  })
})

const actor = (role: Role, memberId = 'me'): Actor => ({
  userId: 'person',
  memberId,
  tenant: 't',
  role,
  tags: [],
  features: [],
  capabilities: [],
})
const view = (bend: Partial<View> = {}): View => ({
  ...builtInViews(listings.EmergencyLights)[0]!,
  viewId: 'v',
  builtIn: false,
  owner: 'somebody',
  ...bend,
})
const asked = (who: Actor, which: View) => [seesView, maySaveView, mayManageView].map((rule) => rule(who, which))

describe('the rights on a view', () => {
  test('an owner can do everything, private or public, whatever the role', () => {
    for (const role of roles)
      for (const isPrivate of [false, true])
        assert.deepEqual(asked(actor(role), view({ owner: 'me', private: isPrivate })), [true, true, true])
  })

  test('an author can see and save it, and manage it only as a manager of a public one', () => {
    for (const role of ['Guest', 'LightingEngineer', 'BoilerEngineer', 'Manager'] as const) {
      assert.deepEqual(asked(actor(role), view({ authors: ['me'], private: true })), [true, true, false])
      assert.deepEqual(asked(actor(role), view({ authors: ['me'] })), [true, true, role === 'Manager'])
    }
  })

  test('everyone sees a public one, managers of misc save and manage it; a private one is hidden from others', () => {
    for (const role of roles) {
      const manages = ['Manager', 'Admin', 'Developer'].includes(role)
      assert.deepEqual(asked(actor(role), view()), [true, manages, manages], role)
      assert.deepEqual(asked(actor(role), view({ owner: null })), [true, manages, manages], role)
      assert.deepEqual(asked(actor(role), view({ private: true })), [false, false, false], role)
    }
  })

  test('everyone sees a built-in one, and nobody saves or manages it', () => {
    for (const role of roles)
      assert.deepEqual(asked(actor(role), view({ builtIn: true, owner: 'me', authors: ['me'] })), [true, false, false])
  })

  test('a user is not identified by the id of the person', () => {
    assert.deepEqual(asked(actor('Guest'), view({ owner: 'person', private: true })), [false, false, false])
  })
})

test('views are system, public or private', () => {
  assert.equal(viewGroup(view()), 'public')
  assert.equal(viewGroup(view({ private: true })), 'private')
})

test('a name is required and unique regardless of case', () => {
  for (const name of ['', '  ']) assert.equal(viewNameFault(name, []), 'Please enter view name')
  for (const name of ['Failed', ' failed ', 'FAILED'])
    assert.equal(viewNameFault(name, ['Main', 'Failed']), 'View name already in use')
  assert.equal(viewNameFault('Failed lights', ['Failed']), undefined)
})

test('a view is changed by other columns, their order, or other filters, not by equivalent ones', () => {
  const stored = {
    columns: ['serial', 'name'],
    filters: [{ fieldId: 'status', filterOp: 'anyof', value: ['Ok', 'Installed'] }],
  } as const
  assert.equal(isChanged(stored, stored), false)
  assert.equal(isChanged(stored, { ...stored, columns: ['name', 'serial'] }), true)
  assert.equal(isChanged(stored, { ...stored, columns: ['serial'] }), true)
  assert.equal(isChanged(stored, { ...stored, filters: [] }), true)
  assert.equal(isChanged(stored, { ...stored, filters: [{ ...stored.filters[0], value: ['Installed', 'Ok'] }] }), false)
})

describe('the filter of the Bcms page', () => {
  test('states what a BCM monitors: Boiler, HeatPump, Unknown, or None, which means a surveyor cube [dev-3ent-21]', () => {
    assert.deepEqual([...monitorings].sort(), ['Boiler', 'HeatPump', 'None', 'Unknown'])
    assert.equal(monitoringWords.None, 'Surveyor cube')
    assert.equal(conditionsOf({ type: 'SurveyorCube' })[0]!.value, 'None')
  })

  test('is parsed from JSON; the type in any case, with or without a space', () => {
    assert.deepEqual(bcmFilterIn('{"type":"ASHP"}'), { type: 'ASHP' })
    assert.deepEqual(bcmFilterIn('{"type":"surveyor cube"}'), { type: 'SurveyorCube' })
    assert.deepEqual(bcmFilterIn({ type: 'boiler', options: { statuses: ['Ok', 7], statusCategory: 'failed' } }), {
      type: 'Boiler',
      options: { statuses: ['Ok'], statusCategory: 'failed' },
    })
  })

  test('falls back to all BCMs if it is invalid', () => {
    for (const bad of [
      undefined,
      null,
      '',
      '{',
      '[]',
      '7',
      '"ASHP"',
      '{"type":"TV"}',
      '{"options":null}',
      '{"type":{}}',
    ])
      assert.deepEqual(bcmFilterIn(bad), { type: 'BCM' }, String(bad))
    assert.deepEqual(bcmFilterIn('{"type":"BCM","options":{"statuses":"Ok","statusCategory":"toString"}}'), {
      type: 'BCM',
    })
    assert.deepEqual(bcmFilterIn('{"type":"BCM","options":"failed"}'), { type: 'BCM' })
  })

  test('is a set of conditions that the listing accepts', () => {
    assert.deepEqual(conditionsOf({ type: 'BCM' }), [])
    const conditions = conditionsOf({ type: 'ASHP', options: { statuses: ['Ok'], statusCategory: 'failed' } })
    assert.deepEqual(conditions, [
      { fieldId: 'monitoring', filterOp: 'equals', value: 'HeatPump' },
      { fieldId: 'status', filterOp: 'anyof', value: ['Ok'] },
      { fieldId: 'status', filterOp: 'anyof', value: ['FailedDevice', 'FailedEquipment'] },
    ])
    for (const condition of conditions) assert.equal(filterFault(condition, fieldsOf(listings.Bcms, false)), undefined)
    assert.deepEqual(
      (['SurveyorCube', 'Boiler'] as const).map((type) => conditionsOf({ type })[0]!.value),
      ['None', 'Boiler'],
    )
  })
})
