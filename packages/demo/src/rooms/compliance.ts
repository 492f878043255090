import { createHash } from 'node:crypto'
import { recordTypesOf } from '@caretaker/rules/boilers/compliance.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAfter, dayAt, dayText, startOfDay } from '@caretaker/rules/calendar/days.ts'
import { defaultFigures, monthsAfter, standingOf, stateOn } from '@caretaker/rules/compliance/due.ts'
import type { RecordStatus, RecordType, TestKit } from '@caretaker/rules/compliance/records.ts'
import { recordTypeWords, testKits } from '@caretaker/rules/compliance/records.ts'
import { keyOf } from '@caretaker/server/files/keys.ts'
import { chanceOf, demoId, pick, whole } from '../chance.ts'
import type { Row } from '../copy.ts'
import type { DemoDevice } from '../plan/device.ts'
import { isInstalled } from '../plan/device.ts'
import type { DeviceSeeder } from '../seeding.ts'
import { pdfPage, stripPhoto } from './certificates.ts'

const zone = 'Europe/London'

interface DemoRecord {
  id: string
  deviceId: string
  type: RecordType
  day: Day
  number: string
  status: RecordStatus
  testKit: TestKit | null
  certificate: 'pdf' | 'png' | null
}

/** A planned check, with its exceptions. */
interface Planned {
  day: Day
  status?: RecordStatus
  certificate?: DemoRecord['certificate']
}

/**
 * The records of a boiler over some years, oldest first: most checks are in date, a few due, overdue, failed or
 * missing.
 */
export function recordsOf(device: DemoDevice, now: number): DemoRecord[] {
  if (!isInstalled(device.status)) return []
  const today = dayAt(now, zone)
  return recordTypesOf(device).flatMap((type) => {
    const chance = chanceOf(`${device.serial} ${type}`)
    const planned = type === 'GasSafety' ? gasChecks(device, today) : treatments(device, today)
    return planned.map(
      ({ day, status = 'Pass', certificate = type === 'GasSafety' ? 'pdf' : null }, at): DemoRecord => {
        const number = `${type === 'GasSafety' ? 'LGSR' : 'WT'}-${day.slice(0, 4)}-${String(whole(chance, 1, 99_999)).padStart(5, '0')}`
        // Numbered from the newest, so that the ids are the same whenever the demo is created.
        const id = demoId(`${device.serial} ${type} ${planned.length - at}`)
        const testKit = type === 'WaterTreatment' ? pick(chance, testKits) : null
        return { id, deviceId: device.id, type, day, number, status, testKit, certificate }
      },
    )
  })
}

function gasChecks({ serial, story }: DemoDevice, today: Day): Planned[] {
  const passedOn = (...days: Day[]) => days.map((day): Planned => ({ day }))
  const before = (day: Day, days: number, months = 12) => dayAfter(monthsAfter(day, -months), days)
  // Due this month, because each check was a day too late to keep the previous due date.
  if (story === 'gas check due') {
    const last = before(dayAfter(today, 8), 0)
    return passedOn(before(last, -2, 24), before(last, -1), last)
  }
  const chance = chanceOf(`${serial} gas checks`)
  const fate = chance()
  if (fate < 0.03 && !story) return []
  const last = dayAfter(today, -whole(chance, 2, 320))
  if (story === 'drops out' || (fate < 0.035 && !story))
    return [...passedOn(before(last, 0)), { day: dayAfter(today, -whole(chance, 1, 9)), status: 'Fail' }]
  if (story === 'under-heated' || (fate < 0.045 && !story)) {
    const late = before(dayAfter(today, -whole(chance, 3, 30)), 0)
    return passedOn(before(late, 6), late)
  }
  if (fate < 0.06) return passedOn(before(dayAfter(today, whole(chance, 0, 30)), 0))
  return passedOn(before(last, whole(chance, 0, 20), 24), before(last, whole(chance, 0, 12)), last)
}

function treatments({ serial, story }: DemoDevice, today: Day): Planned[] {
  if (story === 'gas check due') {
    const last = monthsAfter(today, -8)
    const failed = monthsAfter(last, -12)
    return [
      { day: monthsAfter(failed, -12), certificate: 'pdf' },
      { day: failed, status: 'Fail', certificate: 'png' },
      { day: dayAfter(failed, 9) },
      { day: last, certificate: 'png' },
    ]
  }
  const chance = chanceOf(`${serial} treatments`)
  const fate = chance()
  if (fate < 0.25) return []
  const last = dayAfter(today, -whole(chance, 5, fate < 0.32 ? 420 : 320))
  return [{ day: monthsAfter(last, -12) }, { day: last, certificate: fate > 0.7 ? 'pdf' : null }]
}

/** The columns of a boiler that follow from its records. */
export const complianceColumns = ['gas_due_at', 'gas_state', 'water_due_at', 'water_state']
export function complianceOf(device: DemoDevice, now: number): Row {
  const records = recordsOf(device, now)
  return (['GasSafety', 'WaterTreatment'] as const).flatMap((type) => {
    const checks = records.filter((record) => record.type === type)
    if (!checks.length) return [null, null]
    const standing = standingOf(checks, defaultFigures[type])
    const state = stateOn(standing, dayAt(now, zone), defaultFigures[type])
    return [standing.dueOn && new Date(startOfDay(standing.dueOn, zone)), state]
  })
}

/**
 * Creates the compliance records of boilers with their certificates. Properties with a scenario have their own; all
 * others share a copy.
 */
export const seedCompliance: DeviceSeeder = async ({ client, write, files, world: { plan }, now }, devices) => {
  const given = new Map<string, string>()
  const records = devices.flatMap((device) => recordsOf(device, now).map((record) => ({ device, record })))
  const attachments: Row[] = []
  const fileRows: Row[] = []
  const { rows: known } = await client.query<{ id: string; sha256: string }>(
    `select id, encode(sha256, 'hex') as sha256 from file where tenant_id = $1 and referrer = 'compliance_attachment'`,
    [plan.id],
  )
  for (const { id, sha256 } of known) given.set(sha256, id)
  for (const { device, record } of records) {
    const content = contentOf(device, record)
    if (!content) continue
    const sha256 = createHash('sha256').update(content).digest()
    const key = sha256.toString('hex')
    const name = `${record.number}.${record.certificate}`
    let fileId = given.get(key)
    if (!fileId) {
      fileId = demoId(`${plan.id} file ${key}`)
      given.set(key, fileId)
      await files.put(keyOf(plan.id, fileId), new Blob([content]))
      const type = record.certificate === 'png' ? 'image/png' : 'application/pdf'
      fileRows.push([fileId, 'compliance_attachment', name, type, content.length, sha256, new Date(now)])
    }
    attachments.push([demoId(`${record.id} attachment`), record.id, fileId, name])
  }
  await write('file', ['id', 'referrer', 'name', 'content_type', 'size', 'sha256', 'created_at'], fileRows)
  await write(
    'compliance_record',
    ['id', 'device_id', 'type', 'serial_number', 'recorded_at', 'status', 'test_kit', 'is_draft', 'created_at'],
    records.map(({ record }) => {
      const at = new Date(startOfDay(record.day, zone))
      return [record.id, record.deviceId, record.type, record.number, at, record.status, record.testKit, false, at]
    }),
  )
  await write('compliance_attachment', ['id', 'record_id', 'file_id', 'name'], attachments)
}

function contentOf(device: DemoDevice, record: DemoRecord): Buffer<ArrayBuffer> | undefined {
  if (!record.certificate) return undefined
  if (record.certificate === 'png') return stripPhoto(record.status === 'Pass' ? [120, 60, 140] : [190, 160, 60])
  const title = `${recordTypeWords[record.type]} record`
  if (!device.story) return pdfPage(title, ['Copy of a demo client.', 'The record in the portal says which one it is.'])
  return pdfPage(title, [
    `Certificate number: ${record.number}`,
    `Date of the check: ${dayText(record.day)}`,
    `Appliance: boiler in the ${(device.location ?? device.room ?? 'home').toLowerCase()}, controlled by ${device.serial}`,
    ...(record.testKit
      ? [`Test kit: ${record.testKit}`]
      : ['Flue, ventilation, burner pressure, combustion: looked at']),
    `Result: ${record.status === 'Pass' ? 'passed' : 'failed, to be repaired and checked again'}`,
    `Next due: ${dayText(monthsAfter(record.day, 12))} at the latest`,
    '',
    'Made for the demo of Caretaker. No engineer has signed it.',
  ])
}
