import { randomUUID } from 'node:crypto'
import { weekDays } from '@caretaker/rules/properties/schedule.ts'
import { doBulkActions } from '@caretaker/server/features/actions/job.ts'
import { ingestReplies } from '@caretaker/server/features/commands/ingest.ts'
import { takeDueCommands } from '@caretaker/server/features/commands/store.ts'
import { ingestStates } from '@caretaker/server/features/devices/ingest.ts'
import { runImports } from '@caretaker/server/features/imports/job.ts'
import { ingestTests } from '@caretaker/server/features/lighting/ingest.ts'
import { addAppKey } from '@caretaker/server/features/residents/app-keys.ts'
import type { TenantTx } from '@caretaker/server/postgres/tenant.ts'
import { inTenant } from '@caretaker/server/postgres/tenant.ts'
import type { TestApp } from '@caretaker/server/testing/app.ts'
import { page, pdfWith } from '@caretaker/server/testing/pdf-files.ts'
import { jpegOf } from '@caretaker/server/testing/photos.ts'
import type { KnownTexts } from './api-requests.ts'
import { demoDevices, demoHomes, demoPropertyId } from './fixtures.ts'

type Fields = Readonly<Record<string, unknown>>

/** The caller of a request in place of the Developer. */
export interface Caller {
  role?: string
  /** A key in place of a sign-in. */
  headers?: Record<string, string>
}

/** Makes a call with these fields, records its response as the example, and returns the response data. */
// oxlint-disable-next-line typescript/no-explicit-any -- the fields of any response
export type Make = (name: string, fields?: Fields, caller?: Caller) => Promise<any>

/** The environment of the examples: the demo, its ids, and a function that makes the calls. */
export interface Stage {
  world: TestApp
  known: KnownTexts
  make: Make
}

const tenant = 'northgate'
const [minute, hour] = [60_000, 3_600_000]
const { livelyLight, untaggedLight, powerSwitch, boilerLockout } = demoDevices
const within = <T>({ world }: Stage, work: (tx: TenantTx) => Promise<T>) => inTenant(world.database.db, tenant, work)
/** The first row that a query finds for the client, whose id is `$1`. */
async function one<Row extends object>({ world }: Stage, text: string): Promise<Row> {
  const { rows } = await world.database.owner.query<Row>(text, [tenant])
  if (!rows[0]) throw new Error(`The demo has no row for: ${text}`)
  return rows[0]
}
const certificate = () => new File([pdfWith(page)], 'certificate.pdf', { type: 'application/pdf' })
const photo = (picture: string) => new File([jpegOf({ picture })], 'photo.jpg', { type: 'image/jpeg' })

/** A message of ChirpStack with decoded values. */
const message = (devEui: string, counter: number, profile: string, values: Fields) => ({
  ...{ deduplicationId: randomUUID(), time: new Date().toISOString() },
  deviceInfo: { devEui, deviceName: `Sensor ${devEui.slice(-3)}`, deviceProfileName: profile },
  ...{ devAddr: '00189440', fCnt: counter, fPort: 85, rxInfo: [{ gatewayId: '0102030405060708', rssi: -48, snr: 9 }] },
  ...values,
})

async function sensors(stage: Stage) {
  const { make, known } = stage
  const { reference } = await someHome(stage)
  const { connection, key } = await make('addConnection', { kind: 'chirpstack', name: 'Sensors of the west patch' })
  const connectionId = connection.id as string
  const headers = { 'x-connection-key': key as string }
  const send = (body: Fields) => make('sendUplink', { connectionId, event: 'up', topic: undefined, body }, { headers })
  const keys = ['24E124128C140731', '24E124128C140732', '24E124128C140733']
  const room = (devEui: string, counter = 1) =>
    send(
      message(devEui, counter, 'Room', {
        ...{ data: Buffer.from([0, 205]).toString('base64'), object: { temperature: 20.5, humidity: 51 } },
      }),
    )
  for (const devEui of keys) await room(devEui)
  const { results } = await make('getNewSensors', { ignored: undefined })
  const [kept, undone, ignored] = keys.map(
    (devEui) => (results as { id: string; deviceKey: string }[]).find(({ deviceKey }) => deviceKey === devEui)!.id,
  )
  const { modelId } = await make('chooseSensorModel', {
    ...{ sensorIds: [kept, undone, ignored], maker: 'Acme', model: 'Room' },
  })
  await make('addSensors', {
    propertyId: known.propertyId,
    sensors: [
      { sensorId: kept, room: 'Kitchen' },
      { sensorId: undone, room: 'Hall' },
    ],
  })
  await make('undoAddSensors', { sensorIds: [undone] })
  await make('ignoreSensors', { sensorIds: [ignored] })
  await make('restoreSensors', { sensorIds: [ignored] })
  await make('importSensors', {
    connectionId,
    sensors: [
      { deviceKey: '24E124128C140734', maker: 'Acme', model: 'Room', propertyReference: reference, room: 'Bedroom' },
    ],
  })
  await make('getModelSensors', { modelId, after: undefined })
  const { version } = await make('getSensorMapping', { modelId })
  await make('saveSensorMapping', {
    ...{ modelId, version },
    rows: [{ path: 'temperature', to: 'metric', metric: 'temperature', unit: '°C', factor: 1 }],
  })
  await make('getMappingVersions', { modelId })
  await make('restoreMappingVersion', { modelId, version: 1 })
  await make('restoreMappingSuggestions', { modelId })
  await room(keys[0]!, 2)
  const codec = await make('saveCodecVersion', {
    modelId,
    source: 'function decodeUplink({ bytes }) {\n  return { data: { temperature: bytes[1] / 10 } }\n}',
  })
  await make('tryCodecVersion', { modelId, version: codec.version })
  await make('activateCodecVersion', { modelId, version: codec.version })
  await make('getCodecVersions', { modelId })
  await make('rollBackCodec', { modelId })
  await make('decodeMessagesAgain', { modelId, after: undefined })

  const thermostat = '24E124798C140735'
  const report = (counter: number) =>
    send(
      message(thermostat, counter, 'Milesight WT201', {
        data: Buffer.from([0x03, 0x67, 0xc2, 0, 0x04, 0x67, 0xd2, 0, 0x05, 0xe7, 0]).toString('base64'),
      }),
    )
  await make('updateConnection', {
    ...{ connectionId, name: 'Sensors of the west patch' },
    downlink: { url: 'https://chirpstack.example.org', token: 'secret-token' },
  })
  await report(1)
  const waiting = await make('getNewSensors', { ignored: undefined })
  const sensorId = (waiting.results as { id: string; deviceKey: string }[]).find(
    ({ deviceKey }) => deviceKey === thermostat,
  )!.id
  const { added } = await make('addSensors', { propertyId: known.propertyId, sensors: [{ sensorId, room: 'Hall' }] })
  await report(2)
  const { deviceId } = added[0]
  await make('getSetPoint', { deviceId })
  await make('changeSetPoint', { deviceId, setPoint: 20 })
}

const someHome = (stage: Stage) =>
  one<{ reference: string; postcode: string }>(
    stage,
    `select reference, postcode from property where tenant_id = $1 and archived_at is null and postcode <> '' order by 1 limit 1`,
  )

async function residentApp(stage: Stage) {
  const { make } = stage
  const { reference, postcode } = await someHome(stage)
  const key = await within(stage, (tx) => addAppKey(tx, { id: null, name: 'Operator' } as never, false))
  const app = { headers: { authorization: `Bearer ${key}` } }
  const userId = 'auth0|65f1c0ffee'
  await make(
    'requestResidence',
    {
      ...{ userId, email: 'sam.taylor@example.org', name: 'Sam Taylor' },
      ...{ propertyReference: reference, postcode },
    },
    app,
  )
  await make('getAppResident', { userId }, app)
}

async function bulkActions({ make, world, known }: Stage) {
  const tag = await make('tenantCreateTag', { name: 'WestPatch' })
  const tags = await make('startBulkAction', {
    ...{ action: 'add tags', tags: [tag.id], selection: { deviceIds: [livelyLight.deviceId, untaggedLight.deviceId] } },
  })
  await doBulkActions(world.context)
  await make('undoBulkAction', { bulkActionId: tags.bulkActionId })
  const archive = await make('startPropertyBulkAction', {
    ...{ action: 'archive properties', reason: 'Sold to the council', accessRightsTagId: undefined },
    selection: { propertyIds: [known.propertyId] },
  })
  await doBulkActions(world.context)
  await make('retryBulkAction', { bulkActionId: archive.bulkActionId })
}

async function imports({ make, world }: Stage) {
  const { importId } = await make('uploadImport', {
    file: new File(['Building name,Latitude,Longitude\nBeech Court,53.8,-1.53\n'], 'buildings.csv', {
      type: 'text/csv',
    }),
  })
  await runImports(world.context)
  const { revision } = await make('getImport', { importId })
  await make('commitImport', { importId, revision })
  await runImports(world.context)
  await make('undoImport', { importId })
}

async function lightTests(stage: Stage) {
  const { make } = stage
  const light = { deviceId: untaggedLight.deviceId }
  const { nights } = await make('getTestNights', { ...light, batteryOn: undefined, batteryTime: undefined })
  const night = (nights as { startsAt: string; taken: unknown }[]).find(({ taken }) => !taken)!
  // `2026-11-30 02:00:00` in the time zone of the client.
  const local = new Date(night.startsAt).toLocaleString('sv-SE', { timeZone: 'Europe/London' })
  const startsAt = local.replace(' ', 'T').slice(0, 16)
  const { runId } = await make('runTest', { ...light, testType: 'T180', startsAt })
  await make('withdrawTest', { ...light, runId })

  const report = (eventId: string, start: number, more: Fields) =>
    within(stage, (tx) =>
      ingestTests(tx, [
        {
          ...{ ...light, tenant, receivedAt: new Date() },
          payload: { eventId, testType: 'T180', start, componentStates: {}, series: [], ...more } as never,
        },
      ]),
    )
  const curve = (minutes: number) =>
    Array.from({ length: minutes + 1 }, (_, at) => ({ seconds: at * 60, batteryVoltage: at < minutes ? 3.8 : 2.9 }))
  const failed = randomUUID()
  await report(failed, Date.now() - 9 * hour, {
    ...{ result: 'Failed', componentStates: { Battery: 'Failed' }, series: curve(130) },
  })
  await make('disputeTestResult', { ...light, eventId: failed, reason: 'The mains came back during the test' })
  await make('decideTestDispute', {
    ...light,
    eventId: failed,
    decision: 'indeterminate',
    reason: 'The site log shows it',
  })
  await make('updateTestResult', {
    ...{ ...light, eventId: failed, reason: 'The battery was disconnected', otherState: undefined },
    ...{ Battery: 'Failed', Inverter: 'Ok', Lamp: 'Ok', Emered: 'Ok' },
  })
  await report(randomUUID(), Date.now() - 50 * minute, {})
  await make('stopLightTest', light)
}

async function commands({ make }: Stage) {
  await make('putPowerSwitchSettings', { id: powerSwitch.deviceId, relayPower: { 1: false, 2: true } })
  const [waiting] = await make('getDeviceCommands', { deviceId: powerSwitch.deviceId })
  await make('takeBackCommand', { deviceId: powerSwitch.deviceId, commandId: waiting.commandId })
}

async function voidMode(stage: Stage) {
  const { make, world, known } = stage
  const { propertyId } = await one<{ propertyId: string }>(
    stage,
    `select property_id as "propertyId" from device where tenant_id = $1 and product = 'BC' and property_id is not null
       and property_id <> '${known.propertyId}' order by 1 limit 1`,
  )
  await make('putPropertyDetails', { propertyId, voidStatus: 'Void' })
  const { effects } = await make('getPropertyVoid', { propertyId })
  const { deviceId, effect } = effects[0]
  for (const { commandId } of await takeDueCommands(world.database.db, [deviceId], 10)) {
    const payload = { commandId, status: 'failed' as const, message: 'Not now' }
    await within(stage, (tx) => ingestReplies(tx, [{ deviceId, tenant, payload, receivedAt: new Date() }]))
  }
  await make('askVoidAgain', { propertyId, deviceId, effect })
}

async function records({ make, known }: Stage) {
  const boiler = { deviceId: boilerLockout.deviceId }
  const engineer = { role: 'BoilerEngineer' }
  const gas = () => make('addBoilerGasSafetyRecord', { ...boiler }, engineer)
  const first = await gas()
  await make('addBoilerRecordAttachment', { ...boiler, recordId: first.recordId, file: certificate() }, engineer)
  await make('withdrawBoilerRecord', { ...boiler, recordId: first.recordId, reason: 'It belongs to the next flat' })
  const second = await gas()
  await make('takeBackBoilerRecord', { ...boiler, recordId: second.recordId }, engineer)

  const { applianceId } = await make('addHomeAppliance', { name: 'Gas fire' })
  const { recordId } = await make('addHomeApplianceRecord', {
    ...{ applianceId, recordSerialNumber: 'GS-10482', recordDay: known.toDay, recordStatus: 'Pass' },
    ...{ coversOtherHome: 'false', file: certificate() },
  })
  await make('withdrawHomeApplianceRecord', { applianceId, recordId, reason: 'It belongs to the next flat' })
  await make('saveDocument', {
    ...{ documentType: 'PropertyRecords', propertyId: known.propertyId, content: photo('kitchen') },
    metadata: JSON.stringify({ title: 'Kitchen' }),
  })
}

async function repairs({ make, known }: Stage) {
  const light = { deviceId: livelyLight.deviceId }
  await make('setDeviceCondition', { ...light, condition: 'deviceBroken', note: 'The cover is cracked' })
  const { open } = await make('getDeviceConditions', light)
  const { conditionId } = open[0]
  await make('updateInterimMeasure', { ...light, conditionId, interimMeasure: 'A portable light is in place' })
  await make('endDeviceCondition', { ...light, conditionId, note: 'The cover was replaced' })
  const { repairId } = await make('recordDeviceRepair', {
    ...{ ...light, part: 'device', repairedBy: 'Callum Hargreaves', repairedOn: known.toDay, note: 'Cover replaced' },
  })
  await make('addRepairPhoto', { ...light, repairId, requestId: undefined, file: photo('cover') })
}

async function boilerDetails({ make }: Stage) {
  const boiler = { deviceId: boilerLockout.deviceId }
  await make('updateOccupierAddress', { ...boiler, occupierAddress: '14 Oak Road, Leeds, LS9 7AA' })
  await make('updateOccupierId', { ...boiler, occupierId: 'OAK-014' })
}

async function groups(stage: Stage) {
  const { make } = stage
  const { building, light } = await one<{ building: string; light: string }>(
    stage,
    `select building_id as building, id as light from device
     where tenant_id = $1 and product = 'EM' and building_id is not null order by 1, 2 limit 1`,
  )
  const startsAt = new Date(Date.now() + 20 * 24 * hour).toISOString().slice(0, 10)
  await make('addEmeredGroup', {
    ...{ groupName: 'Oak House stairs', building, t180StartDate: `${startsAt}T01:00` },
    ...{ deviceIds: [light], alsoTypes: [], confirmation: undefined },
  })
}

async function alerts(stage: Stage) {
  const { make } = stage
  const tag = await make('tenantCreateTag', { name: 'EastPatch' })
  const { alertId } = await make('createAlertDefinition', {
    ...{ tagId: tag.id, delay: 30, delayUnit: 'mins', notificationType: 'NONE', notificationTarget: '' },
    ...{ triggerType: 'DEVICESTATUS', triggerCondition: 'FailedEquipment' },
  })
  await make('deleteAlertDefinition', { tagTenant: tenant, tagId: tag.id, alertId })
  const alert = await one<{ id: string }>(stage, `select alert_id as id from alert_mail where tenant_id = $1 limit 1`)
  await make('sendAlertAgain', { alertId: alert.id })
}

async function dampCase({ make, known }: Stage) {
  await make('changeAwaabsLawCase', {
    ...{ propertyId: demoPropertyId(demoHomes.damp), version: undefined },
    changes: [{ status: 'Repairs', on: known.toDay }],
  })
}

async function schedules(stage: Stage) {
  const { make, known } = stage
  const deviceId = known.vstatId!
  const payload = { takesSchedules: true } as never
  await within(stage, (tx) => ingestStates(tx, [{ deviceId, tenant, payload, receivedAt: new Date() }]))
  const day = [
    [390, 20],
    [540, 16],
    [1020, 20.5],
    [1350, 15],
  ]
  const week = Object.fromEntries(weekDays.map((name) => [name, day]))
  await make('sendThermostatSchedule', { deviceId, part: 'heating', week })
}

/** Calls that need other calls before them, in the order in which they are made after the single calls. */
export const scenarios: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  ...{ sensors, residentApp, bulkActions, imports, lightTests, commands, voidMode, records, repairs },
  ...{ boilerDetails, groups, alerts, dampCase, schedules },
}
