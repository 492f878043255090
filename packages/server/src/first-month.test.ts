import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, test, vi } from 'vitest'
import { read, utils } from '@e965/xlsx'
import { connectAsync } from 'mqtt'
import { topic } from '@caretaker/contract/mqtt/topics.ts'
import { commitImport, getImport, makeImportKeys, uploadImport } from '@caretaker/contract/imports.ts'
import { getMailbox } from '@caretaker/contract/mailbox.ts'
import { addReportSchedule, getMonthlyReport, getReportFile, getReportRuns } from '@caretaker/contract/reports.ts'
import type { Answer, Route, Sent } from '@caretaker/contract/route.ts'
import {
  addTenant,
  getTenantSetup,
  inviteManager,
  joinTenant,
  setLicences,
  setLogo,
  setTimeZone,
} from '@caretaker/contract/tenant-administration.ts'
import { getTenantInfo, switchCapability, switchFeature } from '@caretaker/contract/tenants.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { monthAfter, monthOf, monthSpan, monthText } from '@caretaker/rules/reports/months.ts'
import { writeReports } from './features/reports/job.ts'
import { jobs } from './jobs/jobs.ts'
import type { DeviceLink } from './mqtt/link.ts'
import { startDeviceLink } from './mqtt/device-link.ts'
import type { TestApp } from './testing/app.ts'
import { testApp } from './testing/app.ts'
import type { Provider } from './testing/sign-in.ts'
import { browser, makeAccount, signInAs, startProvider } from './testing/sign-in.ts'

const [tenant, zone] = ['seaview', 'Europe/Paris']
const vendor = { email: 'dev@vendor.test', password: 'the vendor’s own' }
const manager = { email: 'ann@seaview.test', password: 'a long password' }
const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-first-'))

let world: TestApp
let provider: Provider
let link: DeviceLink
beforeAll(async () => {
  world = await testApp()
  await world.addTenant('vendor')
  await world.addMember('vendor', vendor.email, 'Developer')
  await makeAccount(world.database, vendor.email, vendor.password)
  provider = await startProvider(world.database, { CARETAKER_DATA: folder, MQTT_PORT: '0' })
  link = await startDeviceLink(provider.context)
})
afterAll(async () => {
  vi.useRealTimers()
  await link.stop()
  await provider.app.close()
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Calls of a signed-in user over HTTP; any refusal fails the test. */
async function signedIn({ email, password }: typeof vendor) {
  const { tokens } = await signInAs(provider.origin, { email, password })
  return async <T extends Route>(route: T, sent: Sent<T>): Promise<Answer<T>> => {
    const { params = {}, body, form } = sent as Record<string, Record<string, string> | undefined>
    const url = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
    const data = new FormData()
    for (const [name, value] of Object.entries(form ?? {})) data.append(name, value)
    const response = await fetch(new URL(url, provider.origin), {
      method: route.method,
      headers: {
        authorization: `Bearer ${tokens.access_token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body ? { body: JSON.stringify(body) } : form && { body: data }),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    assert.ok(response.ok, `${route.path}: ${response.status} ${bytes.toString().slice(0, 300)}`)
    const isJson = response.headers.get('content-type')?.includes('json')
    return (isJson ? JSON.parse(bytes.toString()) : bytes) as Answer<T>
  }
}

/** Lets the worker do all due work. */
/** Like the job, which uses the database's clock. */
const writeAllReports = () => writeReports(provider.context, undefined, () => new Date())
const work = (name: string) =>
  jobs.find((job) => job.name === name)!.run(provider.context, new AbortController().signal)

test("the vendor's staff open a client, and its manager gets the first monthly report, without a terminal", async () => {
  const staff = await signedIn(vendor)
  const params = { tenant }
  await staff(addTenant, { body: { id: tenant, name: 'Seaview Homes', contact: 'Ann Shore' } })
  for (const feature of ['PropertyCentric', 'ReportHistory', 'ReportScheduling'] as const)
    await staff(switchFeature, { params: { tenant, feature }, body: { isEnabled: true } })
  await staff(switchCapability, { params: { tenant, capability: 'ViewProperties' }, body: { isEnabled: true } })
  await staff(setTimeZone, { params, body: { timeZone: zone } })
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><rect width="10" height="10"></rect></svg>'
  const light = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
  await staff(setLogo, { params, body: { logo: { light, dark: null } } })
  const licences = { type: 'Managed Service', startOn: dayAt(Date.now(), zone), periodMonths: 12, total: 40 }
  await staff(setLicences, { params, body: licences })
  await staff(inviteManager, { params, body: { name: 'Ann Shore', email: manager.email } })
  await staff(joinTenant, { params })

  // The manager follows the link in the e-mail, chooses a password and signs in.
  const [mail] = (await staff(getMailbox, { params })).results.filter(({ to }) => to === manager.email)
  const address = new RegExp(`${provider.origin}/account/password/[\\w-]+`).exec(mail!.text!)![0]
  const saved = await browser(provider.origin).go(address, { password: manager.password, repeat: manager.password })
  assert.match(await saved.text(), /Password saved/)
  const ann = await signedIn(manager)
  const { data: client } = await ann(getTenantInfo, { body: { tenant } })
  assert.deepEqual([client!.displayName, client!.settings], ['Seaview Homes', { logo: { light, dark: light } }])

  // Properties, and then the devices in them, are imported from lists.
  const bringIn = async (name: string, ...rows: string[]) => {
    const { data } = await ann(uploadImport, { form: { tenant, file: new File([rows.join('\n')], name) } })
    const ofImport = { tenant, importId: data!.importId }
    await work('imports')
    const planned = (await ann(getImport, { body: ofImport })).data!
    assert.equal(planned.state, 'planned', JSON.stringify(planned))
    await ann(commitImport, { body: { ...ofImport, revision: planned.revision } })
    await work('imports')
    const { state, done, refused } = (await ann(getImport, { body: ofImport })).data!
    assert.deepEqual([state, done, refused], ['done', rows.length - 1, 0])
    return ofImport
  }
  await bringIn('homes.csv', 'Property REF,Address line 1,Postcode', 'SV-1,1 Quay,LS6 1AB', 'SV-2,2 Quay,LS6 1AB')
  const devices = await bringIn(
    'devices.csv',
    'Serial number,Property REF,Room',
    'MD3990001X,SV-1,Bedroom',
    'EM3990002X,SV-2,Hall',
  )

  // Each gets its key, connects with it and reports.
  const file = (await ann(makeImportKeys, { body: devices })) as unknown as Buffer
  const keys = file.toString().trim().split('\r\n').slice(1)
  assert.equal(keys.length, 2)
  const [, username, password] = keys
    .find((line) => line.includes('MD3990001X'))!
    .split(',')
    .map((cell) => cell.slice(1, -1)) as [string, string, string]
  const sensor = await connectAsync(link.url, { username, password, reconnectPeriod: 0 }, false)
  const now = Date.now()
  const reading = { ts: now, values: { temperature: 15.5, humidity: 82 } }
  await sensor.publishAsync(topic(username, 'telemetry'), JSON.stringify(reading), { qos: 1 })
  await sensor.endAsync()

  // The month ends in the client's time zone.
  const month = monthOf(dayAt(now, zone))
  await ann(addReportSchedule, {
    params,
    body: { reportType: 'Overview', tagIds: [], day: 1, hour: 6, format: 'xlsx' },
  })
  const end = monthSpan(month, zone).to
  vi.useFakeTimers({ toFake: ['Date'], now: end + 60_000 })
  await writeAllReports()
  vi.setSystemTime(end + 6.5 * 3_600_000)
  await writeAllReports()

  const later = await signedIn(manager)
  const report = async (reportType: 'Overview' | 'DampAndMould') => {
    const asked = { tenant, reportType, year: String(month.year), month: String(month.month) }
    return opened(await later(getMonthlyReport, { params: asked, query: {} }))
  }
  const { rows, summaryValues } = await report('DampAndMould')
  assert.deepEqual(
    // One hour is too little for a mean, and is shown as such.
    rows.map((row) => [row['Property REF'], row.Room, row.Sensor, row['Hours with readings'], row['Mean °C']]),
    [['SV-1', 'Bedroom', 'MD3990001X', 1, undefined]],
  )
  assert.equal(summaryValues.get('Client'), 'Seaview Homes')
  assert.equal(summaryValues.get('Note'), `Times are those of ${zone}.`)
  const overview = await report('Overview')
  assert.deepEqual(
    overview.rows.map((row) => [row['Property REF'], row.Devices, row['Hours without contact']]),
    [
      ['SV-1', 1, 0],
      ['SV-2', 1, 0],
    ],
  )

  // The scheduled report ran by itself; it is under My Reports and was e-mailed.
  const [run] = (await later(getReportRuns, { params })).runs
  assert.deepEqual([run!.state, run!.isScheduled, run!.rows], ['done', true, 2])
  const { sheets } = opened(await later(getReportFile, { params: { tenant, runId: run!.runId } }))
  assert.deepEqual(sheets, overview.sheets)
  const mails = (await (await signedIn(vendor))(getMailbox, { params })).results
  assert.equal(mails.filter(({ to, subject }) => to === manager.email && subject.includes('Overview')).length, 1)
  assert.equal(run!.fileName, `${monthText(month)}-Overview.xlsx`)
  assert.equal(monthText(monthAfter(month, 1)), dayAt(Date.now(), zone).slice(0, 7))
  assert.equal((await (await signedIn(vendor))(getTenantSetup, { params })).inUse.devices, 2)
})

/** A report as read by an independent library: its rows by header, and the values in its summary. */
function opened(file: unknown) {
  const book = read(file as Buffer)
  const summary = utils.sheet_to_json<string[]>(book.Sheets.Summary!, { header: 1, raw: false })
  const summaryValues = new Map<string, string>()
  for (const [label, value] of summary) if (label && !summaryValues.has(label)) summaryValues.set(label, value ?? '')
  return {
    sheets: book.SheetNames,
    rows: utils.sheet_to_json<Record<string, unknown>>(book.Sheets.Data!),
    summaryValues,
  }
}
