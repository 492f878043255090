import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import type { OtherTest } from '@caretaker/rules/lighting/single.ts'
import {
  chargedBy,
  chargesFrom,
  chargeText,
  isByDay,
  nightsFor,
  nightText,
  takenBy,
  usesBattery,
} from '@caretaker/rules/lighting/single.ts'
import { startOf } from '@caretaker/rules/lighting/plan.ts'
import { supplyOf } from '@caretaker/rules/lighting/supply.ts'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import { minutesOf } from '@caretaker/rules/lighting/tests.ts'
import { audit } from '../../audit/audit.ts'
import type { Person } from '../../identity/person.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { planLightTest, withdrawLightTest } from '../../test-runs/plan.ts'
import type { HeldDevice } from '../devices/held.ts'
import { deviceSubject } from '../devices/held.ts'
import { queueCommands } from '../commands/store.ts'
import { runningTests } from '../devices/running-tests.ts'
import { batteryPutIn, batteryPutInTime, putInAt } from '../devices/battery.ts'

/*
 * Tests planned for one light alone, to prove a repair. Such a run belongs to the light instead of a group.
 */

/** A test requested for now may have a start this many ms in the past. */
const slack = 60_000
const aDay = 86_400_000

/** A battery that a repair is about to fit. */
export interface NewBattery {
  repairedAt: number
  fittedOn?: Day | undefined
}

/**
 * When the battery of a light will have charged for 24 h, in ms; undefined if nothing is known to have emptied it.
 */
async function chargedAt(tx: TenantTx, deviceId: string, zone: string, battery?: NewBattery) {
  const { rows } = await sql<{
    reported: Record<string, unknown>
    installed: Day | null
    time: string | null
    drained: Date | null
  }>`
    select device.reported, ${batteryPutIn(tx)} as installed, ${batteryPutInTime(tx)} as time, (
        select max(test.started_at + case test.test_type when 'T60' then interval '1 hour' else interval '3 hours' end)
        from emergency_test as test
        where test.tenant_id = ${tx.tenant} and test.device_id = device.id and test.test_type in ('T60', 'T180')
      ) as drained
    from device left join emergency_equipment as equipment
      on equipment.tenant_id = ${tx.tenant} and equipment.device_id = device.id
    where device.tenant_id = ${tx.tenant} and device.id = ${deviceId}`.execute(tx)
  const { reported, installed, time, drained } = rows[0]!
  const { mainsSince } = supplyOf(reported)
  // For a new battery the exact time is known, not only the day.
  if (battery) {
    const batteryInstalledAt = chargesFrom(battery.repairedAt, battery.fittedOn, zone)
    return chargedBy({ mainsSince, batteryInstalledAt })
  }
  const batteryInstalledAt = installed ? putInAt(installed, time, zone) : undefined
  return chargedBy({ mainsSince, batteryInstalledAt, ...(drained && { drainedAt: +drained }) })
}

/** The tests of a light that are planned by its group or running, except the one planned for it alone. */
async function otherTests(tx: TenantTx, deviceId: string, now: number): Promise<OtherTest[]> {
  const { rows } = await sql<{ test_type: TestType; starts_at: Date }>`
    select run.test_type, run.starts_at from test_run as run
    join light_group_member as member
      on member.tenant_id = ${tx.tenant} and member.group_id = run.group_id and member.device_id = ${deviceId}
    where run.tenant_id = ${tx.tenant} and run.state in ('planned', 'running')
      and run.starts_at > ${new Date(now - 2 * aDay)} and run.starts_at < ${new Date(now + 60 * aDay)}
    order by run.starts_at`.execute(tx)
  return rows.map(({ test_type: testType, starts_at }) => ({ testType, startsAt: +starts_at }))
}

/** The test planned for a light alone that has not begun. */
async function ownRun(tx: TenantTx, deviceId: string) {
  return tx
    .selectFrom('test_run')
    .select(['id', 'test_type', 'starts_at'])
    .where('tenant_id', '=', tx.tenant)
    .where('group_id', '=', deviceId)
    .where('state', '=', 'planned')
    .orderBy('starts_at')
    .limit(1)
    .executeTakeFirst()
}

/** When the test planned for a light alone begins. */
export async function plannedStart(tx: TenantTx, deviceId: string): Promise<Date | undefined> {
  return (await ownRun(tx, deviceId))?.starts_at
}

/** The nights in which a light can have a 3-hour test. */
export async function testNights(tx: TenantTx, deviceId: string, battery?: NewBattery) {
  const [zone, now] = [await zoneOf(tx), Date.now()]
  const charged = await chargedAt(tx, deviceId, zone, battery)
  const others = await otherTests(tx, deviceId, now)
  const own = await ownRun(tx, deviceId)
  const iso = (at: number) => new Date(at).toISOString()
  return {
    nights: nightsFor('T180', { now, charged, others, zone }).map(({ at, taken }) => ({
      startsAt: iso(at),
      taken: taken ? { testType: taken.testType, startsAt: iso(taken.startsAt) } : null,
    })),
    chargedAt: charged === undefined ? null : iso(charged),
    planned: own ? { runId: own.id, testType: own.test_type, startsAt: own.starts_at.toISOString() } : null,
  }
}

interface WantedTest {
  testType: TestType
  /** In the client's time zone; if missing, now. */
  startsAt?: string | undefined
  isDayConfirmed: boolean
  battery?: NewBattery | undefined
}

/** Plans a test for a locked light alone, replacing the one planned before; refuses with the reason. */
export async function planTestOf(
  tx: TenantTx,
  person: Person,
  device: HeldDevice,
  { testType, startsAt, isDayConfirmed, battery }: WantedTest,
): Promise<{ runId: string; startsAt: Date }> {
  const { deviceId } = device
  const [zone, now] = [await zoneOf(tx), Date.now()]
  const at = startsAt === undefined ? now : startOf(startsAt, zone)
  if (at < now - slack) throw refuse('refused', 'The test cannot start in the past.')
  const [charged, others] = [await chargedAt(tx, deviceId, zone, battery), await otherTests(tx, deviceId, now)]
  if (usesBattery(testType) && charged !== undefined && at < charged) {
    const first = nightsFor(testType, { now, charged, others, zone }).find(({ taken }) => !taken)
    throw refuse('refused', chargeText(first?.at ?? charged, zone))
  }
  const taken = takenBy(testType, at, others)
  if (taken)
    throw refuse(
      'refused',
      `The ${taken.testType} planned for ${nightText(taken.startsAt, zone)} is too close. Choose another night.`,
    )
  if (minutesOf[testType] > 0 && isByDay(testType, at, zone) && !isDayConfirmed)
    throw refuse(
      'refused',
      'The test would run during the day. Confirm that the building can do without this light until its battery is charged again.',
    )
  const starts = new Date(at)
  const { rows } = await sql<{ building_id: string | null }>`
    select building_id from device where device.tenant_id = ${tx.tenant} and device.id = ${deviceId}`.execute(tx)
  const light = { ...device, buildingId: rows[0]?.building_id ?? null }
  return { runId: await planLightTest(tx, person, light, { testType, startsAt: starts }), startsAt: starts }
}

/** Sends a locked light the command to stop its running test; refuses if none is running. */
export async function stopTestOf(tx: TenantTx, person: Person, device: HeldDevice): Promise<string> {
  const { deviceId } = device
  const test = (await runningTests(tx, [deviceId])).get(deviceId)
  if (!test) throw refuse('conflict', 'No test of this light is running.')
  const commands = await queueCommands(tx, {
    ...{ deviceIds: [deviceId], name: 'stopTest', args: {}, createdBy: person.id },
  })
  await audit(tx, {
    ...{ person, action: 'light test stopped', subject: deviceSubject(device) },
    after: { testType: test.testType, startedAt: test.startedAt },
  })
  return commands.get(deviceId)!
}

/** Withdraws the test planned for a locked light alone; refuses if it has begun or is no longer planned. */
export async function withdrawTestOf(tx: TenantTx, person: Person, device: HeldDevice, runId: string): Promise<void> {
  const own = await ownRun(tx, device.deviceId)
  if (own?.id !== runId) throw refuse('refused', 'The test has begun or is no longer planned.')
  await withdrawLightTest(tx, person, device, { testType: own.test_type, startsAt: own.starts_at })
}
