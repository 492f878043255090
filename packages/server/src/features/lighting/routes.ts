import type { FastifyInstance } from 'fastify'
import { getEmered } from '@caretaker/contract/devices.ts'
import {
  decideTestDispute,
  disputeTestResult,
  exportAllTests,
  getAllDeviceTests,
  getAllTests,
  getDeviceTestRuns,
  getTestMonths,
  getTestNights,
  runTest,
  withdrawTest,
  getTestOverview,
  stopLightTest,
  updateTestResult,
} from '@caretaker/contract/lighting.ts'
import {
  addStandardLuminaire,
  deleteStandardLuminaire,
  getBatteryLimits,
  getStandardLuminaires,
  putBatteryLimits,
  updateEmeredLuminaire,
  updateEmeredMonitoredLedCircuit,
  updateEmeredOperation,
} from '@caretaker/contract/equipment.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import { dayAt, dayText } from '@caretaker/rules/calendar/days.ts'
import { monthAfter } from '@caretaker/rules/calendar/months.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { nameTaken } from '@caretaker/rules/lighting/luminaire.ts'
import { repairedAt } from '@caretaker/rules/maintenance/repairs.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { audit } from '../../audit/audit.ts'
import { serveTenant } from '../../http/serve.ts'
import { sendTable } from '../../http/send-table.ts'
import { boundedPage } from '../../lists/bounded.ts'
import { oneOfFew } from '../../lists/export.ts'
import { zoneOf } from '../../lists/read.ts'
import { csvTable, csvType } from '../../spreadsheets/csv.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { withVersion } from '../../edit-version.ts'
import { expectSettings } from '../../tenants/tenants.ts'
import type { HeldDevice } from '../devices/held.ts'
import { deviceVersion, expectDeviceVersion } from '../../devices/version.ts'
import { holdDevice, holdDeviceFor } from '../devices/held.ts'
import { deviceInFull, findDevice } from '../devices/store.ts'
import { correctTest, decideDispute, disputeTest } from './correct.ts'
import { batteryRepairedOn } from '../devices/battery.ts'
import { runningTests } from '../devices/running-tests.ts'
import { changeEquipment, equipmentOf, highestVoltageOf, setMonitoredLedCircuit, setOperation } from './equipment.ts'
import { batteryLimitsOf, checkVoltage, setBatteryLimits } from './battery-limits.ts'
import { exportedTests, testsFileName } from './export-tests.ts'
import { runsOf } from './runs.ts'
import { planTestOf, stopTestOf, testNights, withdrawTestOf } from './single.ts'
import { latestTests, listTests, testsById } from './store.ts'
import { testList, testsWanted } from './test-list.ts'
import { countLightsOfYear, lightMonths, testOverview } from './test-months.ts'
import { deleteStandardLuminaireOf, insertStandardLuminaire, listStandardLuminaires } from './luminaires.ts'

/** Locks a light whose equipment the actor may change, if it has the version that the change is based on. */
async function holdLight(
  { tx, actor }: { tx: TenantTx; actor: Actor },
  { deviceId, version }: { deviceId: string; version?: number | undefined },
): Promise<HeldDevice> {
  const device = await holdDevice(tx, actor, deviceId)
  if (!can(actor, 'equip light', device)) throw refuse('forbidden')
  await expectDeviceVersion(tx, deviceId, version)
  return device
}

const equipped = async (tx: TenantTx, { deviceId }: HeldDevice) => ({
  deviceId,
  version: await deviceVersion(tx, deviceId),
})

export function lightingRoutes(app: FastifyInstance): void {
  serveTenant(app, getEmered, async ({ tx, actor, body }) => {
    const device = await deviceInFull(tx, actor, body.deviceId, 'EmergencyLights')
    const [equipment, tests] = [await equipmentOf(tx, device.deviceId), await latestTests(tx, device.deviceId)]
    const running = (await runningTests(tx, [device.deviceId])).get(device.deviceId) ?? null
    const highestVoltage = await highestVoltageOf(tx, device.deviceId, equipment.batterySince)
    return success({ ...device, equipment, latestTests: tests, runningTest: running, highestVoltage })
  })

  serveTenant(app, getAllDeviceTests, async ({ tx, actor, body }) => {
    const device = await findDevice(tx, actor, body.deviceId)
    return success(await listTests(tx, actor, device.id))
  })

  serveTenant(app, getDeviceTestRuns, async ({ tx, actor, body }) => {
    const device = await findDevice(tx, actor, body.deviceId)
    return success(await runsOf(tx, device.id))
  })

  serveTenant(app, getTestNights, async ({ tx, actor, body }) => {
    const device = await findDevice(tx, actor, body.deviceId)
    const { batteryOn: repairedOn, batteryTime: repairedTime, batteryFittedOn: fittedOn } = body
    const battery = repairedOn && {
      repairedAt: repairedAt({ repairedOn, repairedTime }, { now: Date.now(), zone: await zoneOf(tx) }),
      fittedOn,
    }
    return success(await testNights(tx, device.id, battery || undefined))
  })

  serveTenant(app, stopLightTest, async ({ tx, actor, person, body }) => {
    const device = await holdDeviceFor(tx, actor, 'flick test', body.deviceId)
    return success({ commandId: await stopTestOf(tx, person, device) })
  })

  serveTenant(app, runTest, async ({ tx, actor, person, body }) => {
    const device = await holdDeviceFor(tx, actor, 'flick test', body.deviceId)
    const { runId, startsAt } = await planTestOf(tx, person, device, body)
    return success({ runId, startsAt: startsAt.toISOString() })
  })

  serveTenant(app, withdrawTest, async ({ tx, actor, person, body: { deviceId, runId } }) => {
    const device = await holdDeviceFor(tx, actor, 'flick test', deviceId)
    await withdrawTestOf(tx, person, device, runId)
    return success({ runId })
  })

  serveTenant(app, getAllTests, async ({ tx, actor, body }) => {
    const { tenant: _, sort, descending, after, limit, withSeries, ...asked } = body
    const wanted = { ...testsWanted(asked, { sort, descending }), after, limit }
    const { ids, total, next } = await boundedPage(testList, tx, actor, wanted)
    return success({ tests: await testsById(tx, actor, ids, withSeries), next, total })
  })

  serveTenant(app, getTestMonths, async ({ tx, actor, body }) => {
    const { tenant: _, year, after, limit, ...filter } = body
    const { lights, next } = await lightMonths(tx, actor, { filter, year, after, limit })
    const total = after === undefined ? await countLightsOfYear(tx, actor, { filter, year }) : null
    return success({ lights, next, total })
  })

  serveTenant(app, getTestOverview, async ({ tx, actor, body }) => {
    const { tenant: _, until, ...filter } = body
    const last = until ?? dayAt(Date.now(), await zoneOf(tx)).slice(0, 7)
    const months = Array.from({ length: 12 }, (_, at) => monthAfter(last, at - 11))
    return success({ months, cells: await testOverview(tx, actor, filter, months) })
  })

  serveTenant(
    app,
    exportAllTests,
    async ({ tx, actor, person, body, reply }) => {
      const { tenant: _, ...asked } = body
      const zone = await zoneOf(tx)
      const file = { name: testsFileName(Date.now(), zone), type: csvType }
      const rows = exportedTests(tx, actor, asked, zone)
      return oneOfFew(tx, person.id, () => sendTable(reply, file, csvTable(zone), rows))
    },
    'repeatable read',
  )

  serveTenant(app, updateTestResult, async ({ tx, actor, person, form }) => {
    const device = await holdDevice(tx, actor, form.deviceId)
    return success(await correctTest(tx, { actor, person }, device, form), 'Request Successful')
  })

  serveTenant(app, disputeTestResult, async ({ tx, actor, person, body }) => {
    const device = await holdDevice(tx, actor, body.deviceId)
    return success(await disputeTest(tx, { actor, person }, device, body))
  })

  serveTenant(app, decideTestDispute, async ({ tx, actor, person, body }) => {
    const device = await holdDevice(tx, actor, body.deviceId)
    return success(await decideDispute(tx, { actor, person }, device, body))
  })

  serveTenant(app, updateEmeredLuminaire, async ({ tx, actor, person, body }) => {
    const device = await holdLight({ tx, actor }, body)
    const installed = body.batteryInstalledDate
    const wrong = (message: string) => refuse('invalid', undefined, [{ field: 'batteryInstalledDate', message }])
    if (installed && installed > dayAt(Date.now(), await zoneOf(tx))) throw wrong('must not be in the future')
    const repaired = installed && (await batteryRepairedOn(tx, device.deviceId))
    if (repaired && installed < repaired)
      throw wrong(`must not be before ${dayText(repaired)}: a repair of the battery was recorded for that day`)
    await checkVoltage(tx, body.batteryVoltage)
    const { name, lampType, inverterType, batteryType, batteryVoltage, batteryCapacity } = body
    const luminaire = { name, lampType, inverterType, batteryType, batteryVoltage, batteryCapacity }
    await changeEquipment(tx, person, device, { ...luminaire, batteryInstalledDate: installed })
    return success(await equipped(tx, device))
  })

  serveTenant(app, updateEmeredMonitoredLedCircuit, async ({ tx, actor, person, body }) => {
    const device = await holdLight({ tx, actor }, body)
    await setMonitoredLedCircuit(tx, person, device, body.monitoredLedCircuit)
    return success(await equipped(tx, device))
  })

  serveTenant(app, updateEmeredOperation, async ({ tx, actor, person, body }) => {
    const device = await holdLight({ tx, actor }, body)
    await setOperation(tx, person, device, body)
    return success(await equipped(tx, device))
  })

  serveTenant(app, getBatteryLimits, async ({ tx }) => withVersion(await batteryLimitsOf(tx)))

  serveTenant(app, putBatteryLimits, async ({ tx, person, body: { isWide, version } }) => {
    await expectSettings(tx, version, batteryLimitsOf)
    return withVersion(await setBatteryLimits({ tx, person }, { isWide }))
  })

  serveTenant(app, getStandardLuminaires, async ({ tx, actor }) => success(await listStandardLuminaires(tx, actor)))

  serveTenant(app, addStandardLuminaire, async ({ tx, actor, person, body: { tenant: _, ...luminaire } }) => {
    await checkVoltage(tx, luminaire.batteryVoltage)
    const id = await insertStandardLuminaire(tx, luminaire)
    if (!id) throw refuse('refused', nameTaken, [{ field: 'name', message: nameTaken }])
    const subject = { type: 'standard luminaire', id, name: luminaire.name } as const
    await audit(tx, { person, action: 'standard luminaire added', subject, after: luminaire })
    return success((await listStandardLuminaires(tx, actor)).find((one) => one.id === id)!)
  })

  serveTenant(app, deleteStandardLuminaire, async ({ tx, person, body: { luminaireId } }) => {
    const gone = await deleteStandardLuminaireOf(tx, luminaireId)
    if (!gone) throw refuse('not found')
    const { id, ...before } = gone
    const subject = { type: 'standard luminaire', id, name: gone.name } as const
    await audit(tx, { person, action: 'standard luminaire deleted', subject, before })
    return success({ luminaireId })
  })
}
