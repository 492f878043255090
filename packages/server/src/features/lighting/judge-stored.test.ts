import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { getDeviceConditions } from '@caretaker/contract/conditions.ts'
import { getAllDeviceTests } from '@caretaker/contract/lighting.ts'
import { makeDue, nextDueAnywhere } from '../../postgres/due.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addDevice } from '../../testing/furnish/devices.ts'
import { judgeStoredTests } from './judge-stored.ts'

let it: TestApp
const tenant = 'north'
const engineer = 'engineer@north.test'
beforeAll(async () => {
  it = await testApp()
  await it.addTenant(tenant)
  await it.addMember(tenant, engineer, 'LightingEngineer')
})
afterAll(() => it.close())

/** Readings for this many minutes; the lamp goes dark at `darkFrom`. */
const curve = (minutes: number, darkFrom = Infinity) =>
  Array.from({ length: minutes + 1 }, (_, at) => ({
    ...{ seconds: at * 60, batteryVoltage: 3.8, lampPower: at < darkFrom ? 3 : 0 },
  }))

/** A light with a test as an earlier version stored it. */
async function stored(name: string, more: object): Promise<string> {
  const deviceId = await addDevice(it, tenant, { name })
  await inTenant(it.database.db, tenant, (tx) =>
    tx
      .insertInto('emergency_test')
      .values({
        ...{ tenant_id: tenant, event_id: randomUUID(), device_id: deviceId, test_type: 'T180' },
        ...{ started_at: new Date(Date.UTC(2026, 9, 1, 1)), result: 'Passed', reason: '-', component_states: '{}' },
        ...{ series: '[]', told_result: 'Passed', ...more },
      } as never)
      .execute(),
  )
  return deviceId
}
const known = async (deviceId: string) => {
  const { body } = await it.send(getAllDeviceTests, { body: { tenant, deviceId } }, engineer)
  return body.data![0]!
}

test('tests that an earlier version passed by the light’s own report are judged by their evidence, once', async () => {
  const dark = await stored('Dark after 130 min', { series: JSON.stringify(curve(180, 130)) })
  const whole = await stored('Lit for 3 h', { series: JSON.stringify(curve(190)) })
  const own = await stored('No curve', {})
  const corrected = await stored('Corrected', {
    ...{ series: JSON.stringify(curve(180, 130)), corrected_at: new Date(), corrected_by: 'Priya' },
  })
  await inTenant(it.database.db, tenant, (tx) => makeDue(tx, 'judge stored tests', new Date(0)))
  assert.equal(await judgeStoredTests(it.database.db), 2)
  assert.equal(await nextDueAnywhere(it.database.db, 'judge stored tests'), null)
  const { result, lasted, changes } = await known(dark)
  assert.deepEqual([result, lasted], ['Failed', 130 * 60])
  assert.deepEqual(
    changes.map(({ kind, by, was, now }) => [kind, by, was, now]),
    [['judged', 'Caretaker', 'Passed', 'Failed']],
  )
  const { status, open } = (await it.send(getDeviceConditions, { body: { tenant, deviceId: dark } }, engineer)).body
    .data!
  assert.equal(status, 'FailedEquipment')
  assert.ok(open.some(({ kind, key }) => kind === 'testFailed' && key === 'T180'))
  const { rows } = await it.database.owner.query<{ person_name: string; before: object; after: object }>(
    `select person_name, before, after from audit_entry where subject_id = $1 and action = 'test result judged again'`,
    [dark],
  )
  assert.equal(rows.length, 1)
  assert.partialDeepStrictEqual(rows[0], {
    ...{ person_name: 'Caretaker', before: { result: 'Passed' }, after: { testType: 'T180', result: 'Failed' } },
  })
  assert.deepEqual([(await known(whole)).result, (await known(whole)).lasted], ['Passed', 190 * 60])
  assert.deepEqual(
    [(await known(own)).result, (await known(own)).reason],
    ['Indeterminate', 'Passed by its own report, duration not reported.'],
  )
  // A decision by a user stays.
  assert.equal((await known(corrected)).result, 'Passed')
  await inTenant(it.database.db, tenant, (tx) => makeDue(tx, 'judge stored tests', new Date(0)))
  assert.equal(await judgeStoredTests(it.database.db), 0)
})
