import { randomUUID } from 'node:crypto'
import { groupKey } from '@caretaker/rules/lighting/groups.ts'
import { localTimeAt } from '@caretaker/rules/lighting/plan.ts'
import { replanGroup } from '../../features/groups/plan.ts'
import { groupNamed, testedGroups } from '../../features/groups/store.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { Furnishing } from './context.ts'
import { nextNumber, write } from './context.ts'
import type { Devices } from './devices.ts'
import type { Estate } from './estate.ts'

/** Tests, equipment, luminaires and test groups of emergency lights. */
export async function furnishLighting(
  furnishing: Furnishing,
  { light, failedLight, newLight }: Devices,
  { building, annexe }: Estate,
) {
  const { test, tenant, secret } = furnishing
  await write(furnishing, async (tx) => {
    await tx
      .insertInto('emergency_test')
      .values({
        tenant_id: tenant,
        event_id: randomUUID(),
        device_id: light,
        test_type: 'T0',
        started_at: new Date(),
        result: 'Passed',
        reason: secret,
        component_states: '{}',
        series: '[{"seconds":1,"batteryVoltage":4}]',
        judged: JSON.stringify({ result: 'Failed', reason: secret, componentStates: {} }),
        corrected_at: new Date(),
        corrected_by: secret,
        changes: JSON.stringify([
          { kind: 'corrected', at: new Date().toISOString(), by: secret, reason: secret, was: 'Failed', now: 'Passed' },
        ]),
      })
      .execute()
    await tx
      .insertInto('emergency_equipment')
      .values({
        ...{ tenant_id: tenant, device_id: light, name: secret, lamp_type: secret, inverter_type: secret },
        ...{ battery_type: 'Alkaline', battery_voltage: 6, battery_capacity: 4, battery_installed: '2026-01-01' },
        ...{ monitored_led_circuit: 'emergency', key_switch: secret },
      })
      .execute()
    await tx
      .insertInto('standard_luminaire')
      .values({
        ...{ tenant_id: tenant, id: randomUUID(), name: secret, lamp_type: secret, inverter_type: secret },
        ...{ battery_type: 'Alkaline', battery_voltage: 6, battery_capacity: 4, created_at: new Date() },
      })
      .execute()
  })
  const newGroup = async (lights: readonly string[] = []) => {
    const name = `${secret} group ${nextNumber()}`
    await write(furnishing, (tx) => putGroup(tx, { name, building: lights.length ? building : annexe, lights }))
    return name
  }
  const group = await newGroup([light])
  await newGroup([failedLight])
  await write(furnishing, (tx) => putRun(tx, { group, light }))
  await test.database.owner.query(
    `insert into equipment_list (tenant_id, list, choices) values ($1, 'lampTypes', $2)`,
    [tenant, JSON.stringify([secret])],
  )
  return {
    /** The group of the light, whose T180 is planned with that of the building's other group. */
    group,
    /** A group of the annexe, without lights. */
    newGroup: () => newGroup(),
    /** A failed test of a separate light, disputed or not. */
    newFailedTest: async (isDisputed = false) => {
      const [deviceId, eventId] = [await newLight(), randomUUID()]
      const failed = { result: 'Failed' as const, reason: secret, componentStates: { Lamp: 'Failed' as const } }
      await write(furnishing, (tx) =>
        tx
          .insertInto('emergency_test')
          .values({
            ...{ tenant_id: tenant, event_id: eventId, device_id: deviceId, test_type: 'T0', started_at: new Date() },
            ...{ result: isDisputed ? 'AwaitingReview' : 'Failed', reason: secret },
            series: '[{"seconds":1,"batteryVoltage":4}]',
            component_states: JSON.stringify(failed.componentStates),
            disputed: isDisputed ? JSON.stringify(failed) : null,
          })
          .execute(),
      )
      return { deviceId, eventId }
    },
    /** A separate light with a running test. */
    newTestingLight: async () => {
      const deviceId = await newLight()
      await write(furnishing, (tx) =>
        tx
          .insertInto('emergency_test')
          .values({
            ...{ tenant_id: tenant, event_id: randomUUID(), device_id: deviceId, test_type: 'T180' },
            ...{ started_at: new Date(Date.now() - 60_000), result: 'AwaitingAnalysis', reason: '-' },
            ...{ series: '[]', component_states: '{}' },
          })
          .execute(),
      )
      return deviceId
    },
    /** A test planned for a separate light alone. */
    newPlannedTest: async () => {
      const [deviceId, runId, startsAt] = [await newLight(), randomUUID(), new Date(Date.now() + 2 * 86_400_000)]
      await write(furnishing, async (tx) => {
        await tx
          .insertInto('test_run')
          .values({
            ...{ tenant_id: tenant, id: runId, group_id: deviceId, group_name: 'This light', test_type: 'T180' },
            ...{ building_id: building, starts_at: startsAt },
          })
          .execute()
        await tx
          .insertInto('test_run_light')
          .values({ tenant_id: tenant, run_id: runId, device_id: deviceId, due_at: startsAt })
          .execute()
      })
      return { deviceId, runId }
    },
    newStandardLuminaire: async () => {
      const id = randomUUID()
      await write(furnishing, (tx) =>
        tx
          .insertInto('standard_luminaire')
          .values({
            ...{
              tenant_id: tenant,
              id,
              name: `Luminaire ${nextNumber()}`,
              lamp_type: 'LED',
              inverter_type: 'Integral',
            },
            ...{ battery_type: 'Alkaline', battery_voltage: 6, battery_capacity: 4, created_at: new Date() },
          })
          .execute(),
      )
      return id
    },
  }
}

/** Adds a group whose T180 starts tomorrow to a tenant, and plans it. */
async function putGroup(
  tx: TenantTx,
  { name, building, lights }: { name: string; building: string; lights: readonly string[] },
): Promise<void> {
  const [id, now] = [randomUUID(), new Date()]
  await tx
    .insertInto('light_group')
    .values({
      ...{ tenant_id: tx.tenant, id, name, name_key: groupKey(name), building_id: building, created_at: now },
      ...{ t180_start: localTimeAt(+now + 86_400_000, 'UTC'), also_types: ['T5'] },
    })
    .execute()
  for (const device_id of lights)
    await tx
      .insertInto('light_group_member')
      .values({ tenant_id: tx.tenant, device_id, group_id: id, added_at: now })
      .execute()
  await replanGroup(tx, (await testedGroups(tx, { ids: [id] }))[0]!, now)
}

/** Adds test runs to a tenant: one that a light of a group missed, and one in progress. */
async function putRun(tx: TenantTx, { group, light }: { group: string; light: string }): Promise<void> {
  const { id: group_id, building_id } = (await groupNamed(tx, group))!
  const at = new Date(Date.now() - 86_400_000)
  for (const run of [
    { test_type: 'T0', starts_at: at, state: 'over', light: 'missed', ended_at: at },
    { test_type: 'T60', starts_at: new Date(), state: 'running', light: 'running', ended_at: null },
  ] as const) {
    const { light: state, ...times } = run
    const id = randomUUID()
    await tx
      .insertInto('test_run')
      .values({ ...{ tenant_id: tx.tenant, id, group_id, group_name: group, building_id }, ...times })
      .execute()
    await tx
      .insertInto('test_run_light')
      .values({
        ...{ tenant_id: tx.tenant, run_id: id, device_id: light, state, reason: group, due_at: times.starts_at },
        ...{ command_id: null, synced_at: null, event_id: null, ended_at: times.ended_at },
      })
      .execute()
  }
}
