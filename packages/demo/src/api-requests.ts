import type pg from 'pg'
import { dayAfter, dayAt } from '@caretaker/rules/calendar/days.ts'
import { demoDevices, demoHomes, demoPropertyId } from './fixtures.ts'

type Fields = Readonly<Record<string, unknown>>
/** The texts of a request, such as the ids of the demo's records, keyed by the name of their field. */
export type KnownTexts = Record<string, string>

const { livelyGateway, boilerLockout, powerSwitch, failedAutofill, connectedDot, livelyLight, untaggedLight } =
  demoDevices
const day = 86_400_000

/** Ids and texts of the demo client northgate, keyed by the names of the calls' fields. */
export async function knownTexts(owner: pg.Pool): Promise<KnownTexts> {
  const { rows } = await owner.query<KnownTexts>(
    `select
    (select id::text from membership where tenant_id = $1 and role = 'Guest' limit 1) as "memberId",
    (select id::text from membership where tenant_id = $1 and email like 'integrator%') as "ownId",
    (select id::text from tag where tenant_id = $1 order by name limit 1) as "tagId",
    (select id::text from access_rights_tag where tenant_id = $1 and not protected order by 1 limit 1) as "accessRightsTagId",
    (select id::text from api_key where tenant_id = $1 limit 1) as "keyId",
    (select id::text from webhook_endpoint where tenant_id = $1 limit 1) as "endpointId",
    (select message_id::text from webhook_delivery where tenant_id = $1 limit 1) as "messageId",
    (select id::text from connection where tenant_id = $1 order by name limit 1) as "connectionId",
    (select id::text from standard_luminaire where tenant_id = $1 order by name limit 1) as "luminaireId",
    (select name from light_group where tenant_id = $1 order by name limit 1) as "groupName",
    (select id::text from alert_definition where tenant_id = $1 order by id limit 1) as "ruleId",
    (select tag_id::text from alert_definition where tenant_id = $1 order by id limit 1) as "ruleTagId",
    (select id::text from alert where tenant_id = $1 order by 1 limit 1) as "alertId",
    (select id::text from document where tenant_id = $1 and document_type = 'PropertyRecords' order by 1 limit 1) as "documentId",
    (select app_user_id from resident where tenant_id = $1 order by 1 limit 1) as "auth0UserId"`,
    ['northgate'],
  )
  const two = async (text: string) => (await owner.query<KnownTexts>(text, ['northgate'])).rows[0] ?? {}
  const plan = await two(`select building_id::text as "building", floor.id::text as "floor" from floor
    join floor_plan on floor_plan.floor_id = floor.id and floor_plan.tenant_id = floor.tenant_id
    where floor.tenant_id = $1 and floor_plan.tenant_id = $1 order by 1, 2 limit 1`)
  const damp = await two(`select id::text as "caseId", property_id::text as "casePropertyId" from awaabs_law_case
    where tenant_id = $1 order by 1 limit 1`)
  const certificate =
    await two(`select device_id::text as "boilerId", record_id::text as "recordId", attachment.id::text as "attachmentId"
    from compliance_attachment attachment join compliance_record record on record.id = record_id and record.tenant_id = attachment.tenant_id
    where attachment.tenant_id = $1 and record.tenant_id = $1 and device_id is not null order by 1 limit 1`)
  const vstat = await two(
    `select id::text as "vstatId" from device where tenant_id = $1 and product = 'TH' order by 1 limit 1`,
  )
  const repeater = await two(
    `select id::text as "repeaterId" from device where tenant_id = $1 and product = 'ZR' order by 1 limit 1`,
  )
  const foreign = await two(
    `select id::text as "foreignId" from device where tenant_id = $1 and product = 'ADEY' order by 1 limit 1`,
  )
  const condition = await two(
    `select id::text as "conditionId" from condition where tenant_id = $1 and device_id = '${livelyLight.deviceId}' limit 1`,
  )
  const group = await two(`select device_id::text as "groupLightId" from light_group_member member
    join light_group on light_group.id = group_id
    where member.tenant_id = $1 and light_group.tenant_id = $1 order by light_group.name limit 1`)
  const meter = await two(
    `select id::text as "meterId" from device where tenant_id = $1 and product = 'PM' order by 1 limit 1`,
  )
  const at = (days: number) => new Date(Date.now() - days * day).toISOString()
  const known = {
    ...{
      ...rows[0],
      ...plan,
      ...damp,
      ...certificate,
      ...vstat,
      ...repeater,
      ...meter,
      ...group,
      ...foreign,
      ...condition,
    },
    ...{ tenant: 'northgate', tagTenant: 'northgate', buildingId: plan.building, floorId: plan.floor },
    ...{ deviceId: demoDevices.livelyLight.deviceId, propertyId: demoPropertyId(demoHomes.damp) },
    ...{ from: at(7), to: at(0), fromDay: at(7).slice(0, 10), toDay: at(0).slice(0, 10) },
  }
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value)) as KnownTexts
}

const gateway = () => ({ deviceId: livelyGateway.deviceId })
const boiler = () => ({ deviceId: boilerLockout.deviceId })
const autofill = () => ({ deviceId: failedAutofill.deviceId })
const ofBoiler = () => ({ id: boilerLockout.deviceId })
const ofSwitch = () => ({ id: powerSwitch.deviceId })
const days = (known: KnownTexts) => ({ from: known.fromDay, to: known.toDay })
const light = {
  lampType: 'LED',
  inverterType: 'Maintained',
  batteryType: 'Lithium Ion',
  batteryVoltage: 3.6,
  batteryCapacity: 4,
}
const rule = (known: KnownTexts) => ({
  ...{ tagId: known.tagId, delay: 30, delayUnit: 'mins', notificationType: 'NONE', notificationTarget: '' },
  ...{ triggerType: 'DEVICESTATUS', triggerCondition: 'FailedEquipment' },
})
const member = (known: KnownTexts) => ({ id: known.memberId })
const inCase = (known: KnownTexts) => ({ propertyId: known.casePropertyId, caseId: known.caseId })
const relays = () => ({ id: powerSwitch.deviceId, relayPower: { 1: true, 2: false } })
const view = { label: 'Lights with faults', root: 'emered', columns: ['serial'], filters: [], sorts: [], private: true }
const plan = () => ({ file: text('ground-floor.svg', drawing, 'image/svg+xml') })
const drawing = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 200"><path d="M10 10H390V190H10Z"/></svg>'
const text = (name: string, content: string, type: string) => new File([content], name, { type })

/** The request fields for which the contract's example does not suit the demo. */
export const requests: Readonly<Record<string, (known: KnownTexts) => Fields>> = {
  shouldUpdateView: ({ from }) => ({ date: from }),
  shouldUpdateDevice: ({ from }) => ({ date: from }),
  getDeviceMessages: ({ fromDay }) => ({ date: fromDay }),
  getNetworkingDevice: gateway,
  getThirdPartyDevice: ({ foreignId }) => ({ deviceId: foreignId }),
  getDeviceBySerial: () => ({ serialNumber: livelyLight.serial }),
  getBcmConnectedDevice: () => ({ deviceId: connectedDot.deviceId }),
  getBoilerFaults: boiler,
  getBoiler: boiler,
  getBoilerRecords: ({ boilerId }) => ({ deviceId: boilerId }),
  getBoilerRecordAttachment: ({ boilerId }) => ({ deviceId: boilerId }),
  getBcm: ofBoiler,
  addBoilerGasSafetyRecord: boiler,
  addBoilerWaterTreatmentRecord: boiler,
  getPowerSwitch: ofSwitch,
  getPowerMeter: ({ meterId }) => ({ deviceId: meterId }),
  getThermostatSchedules: ({ vstatId }) => ({ deviceId: vstatId }),
  getDevicesMetrics: () => ({ devices: [{ deviceId: livelyLight.deviceId, metrics: ['batteryVoltage'] }] }),
  getDashboardSummary: () => ({ path: 'adey' }),
  exportInspectionSheet: days,
  getBreachRegister: days,
  exportBreachRegister: days,
  getCaseRecords: inCase,
  getMonthlyReport: ({ fromDay }) => ({ year: fromDay!.slice(0, 4), month: '1' }),
  getDocuments: ({ propertyId }) => ({ documentType: 'PropertyRecords', propertyId, userId: undefined }),
  getDocument: ({ documentId }) => ({ id: documentId }),
  getPersonalDataReads: ({ propertyId }) => ({ propertyId }),
  exportPersonalDataReads: ({ propertyId }) => ({ propertyId }),
  previewAlertDefinition: rule,
  createAlertDefinition: rule,
  findAddresses: () => ({ postcode: 'LS9 7AA' }),
  createUser: () => ({ name: 'Amara Obi', email: 'amara.obi@northgate.example', role: 'Manager', tags: [] }),
  updateUserDetails: (known) => ({ ...member(known), name: 'Grace Okafor', email: 'guest@northgate.example' }),
  updateUserTags: (known) => ({ ...member(known), tags: [known.accessRightsTagId] }),
  updateUserRole: (known) => ({ ...member(known), role: 'Manager' }),
  resetUserPassword: member,
  deleteUser: member,
  setDeviceCondition: () => ({ condition: 'deviceBroken', note: 'The cover is cracked' }),
  recordDeviceRepair: ({ toDay }) => ({
    part: 'device',
    repairedBy: 'Callum Hargreaves',
    repairedOn: toDay,
    note: 'Cover replaced',
  }),
  updateDeviceTags: ({ tagId }) => ({ tagIds: [tagId] }),
  setDeviceAccessRightsTags: ({ accessRightsTagId }) => ({ accessRightsTags: [{ id: accessRightsTagId }] }),
  repeaterJoinNetwork: ({ repeaterId }) => ({ deviceId: repeaterId }),
  repeaterLeaveNetwork: ({ repeaterId }) => ({ deviceId: repeaterId }),
  boilerReset: boiler,
  autofillReset: autofill,
  resetDevice: boiler,
  bulkAddTags: ({ tagId }) => ({ deviceIds: [livelyLight.deviceId, untaggedLight.deviceId], tags: [tagId] }),
  bulkRemoveTags: ({ tagId }) => ({ deviceIds: [livelyLight.deviceId], tags: [tagId] }),
  startBulkAction: ({ tagId }) => ({
    action: 'add tags',
    selection: { deviceIds: [livelyLight.deviceId] },
    tags: [tagId],
  }),
  startPropertyBulkAction: ({ propertyId, accessRightsTagId }) => ({
    ...{ action: 'set access rights tag of properties', selection: { propertyIds: [propertyId] }, accessRightsTagId },
  }),
  emeredRepairForm: () => ({ battery: 'true', description: 'Battery replaced' }),
  boilerRepairForm: () => ({ ...boiler(), description: 'Pressure sensor replaced' }),
  updateEmeredLuminaire: () => ({ ...light, name: 'Corridor 8 W' }),
  addStandardLuminaire: () => ({ ...light, name: 'Corridor 8 W' }),
  updateChSetPoint: () => ({ ...boiler(), chSetPoint: 60 }),
  toggleCHAccess: boiler,
  toggleBoilerBuzzer: boiler,
  putBcmSettings: () => ({ ...ofBoiler(), dhwSetPoint: 50 }),
  patchBcmSettings: () => ({ ...ofBoiler(), dhwSetPoint: 51 }),
  putPowerSwitchSettings: relays,
  patchPowerSwitchSettings: relays,
  changeComplianceFigures: () => ({ type: 'GasSafety', figures: { months: 12, window: 2, notice: 28 } }),
  sendThermostatSchedule: ({ vstatId }) => ({ deviceId: vstatId }),
  addBuilding: () => ({
    building: {
      name: 'Oak House',
      lat: 53.8,
      lng: -1.53,
      address: '14 Oak Road, Leeds, LS9 7AA',
      floors: [{ name: 'Ground' }],
    },
  }),
  updateBuilding: ({ newBuildingId }) => ({
    building: {
      building: newBuildingId,
      name: 'Oak Court',
      floors: [{ name: 'Ground' }, { name: 'First' }],
      defaultFloor: null,
    },
  }),
  updateFloorPosition: () => ({ width: 40, height: 20, rotation: 0, lat: 53.8, long: -1.53 }),
  putPropertyAddress: () => ({ address1: '14 Oak Road', town: 'Leeds', postcode: 'LS9 7AA' }),
  postPropertyAddress: () => ({ address1: '14 Oak Road', town: 'Leeds', postcode: 'LS9 7AA' }),
  addProperty: () => ({ address1: '16 Oak Road', town: 'Leeds', postcode: 'LS9 7AA', propertyReference: 'OAK-016' }),
  addCaseRecord: (known) => ({ ...inCase(known), kind: 'note', text: 'The resident was called.' }),
  addCaseReadings: (known) => ({ ...inCase(known), ...days(known) }),
  uploadImport: () => ({
    file: text('buildings.csv', 'Building name,Latitude,Longitude\nOak Court,53.8,-1.53\n', 'text/csv'),
  }),
  setResidentAppSettings: () => ({
    ...{ residentAppContactEmail: 'residents@northgate.example', residentAppContactPhoneNumber: '+441134960000' },
  }),
  sendAlertAgain: ({ alertId }) => ({ alertId }),
  deleteAlertDefinition: ({ ruleId, ruleTagId }) => ({ alertId: ruleId, tagId: ruleTagId }),
  updateAlertDefinition: (known) => ({ ...rule(known), alertId: known.ruleId }),
  tenantCreateTag: () => ({ name: 'Communal' }),
  tenantUpdateTag: ({ tagId }) => ({ id: tagId, name: 'CommunalLighting' }),
  tenantDeleteTag: ({ tagId }) => ({ id: tagId }),
  createAccessRightsTag: () => ({ displayName: 'Hill Patch' }),
  createViewDefinition: () => ({ view }),
  addWebhook: () => ({
    name: 'Works orders',
    url: 'https://hooks.example.org/caretaker',
    events: ['device.statusChanged'],
  }),
  updateWebhook: () => ({
    ...{
      name: 'Help desk',
      url: 'https://hooks.example.org/caretaker',
      events: ['device.statusChanged'],
      enabled: true,
    },
  }),
  updateConnection: () => ({ name: 'Sensors of the east patch' }),
  updateViewDefinition: ({ viewId }) => ({ view: { viewId, version: 1, label: 'Lights with open faults' } }),
  archiveProperty: ({ newPropertyId }) => ({ propertyId: newPropertyId }),
  bringBackProperty: ({ newPropertyId }) => ({ propertyId: newPropertyId }),
  createApiKey: () => ({ name: 'Energy reports', role: 'Guest', tagIds: [] }),
  deleteEmeredGroup: ({ groupName }) => ({ groupName }),
  // The start in the contract's example is in the past, or so soon that it needs a confirmation.
  updateEmeredGroup: ({ groupName, groupLightId }) => ({
    ...{
      groupName,
      deviceIds: [groupLightId],
      t180StartDate: `${dayAfter(dayAt(Date.now(), 'Europe/London'), 20)}T01:00`,
    },
  }),
  getPropertyTelemetryChart: ({ chart }) => ({ chart }),
  previewFloorPlan: plan,
  uploadFloorPlan: () => ({ ...plan(), shape: 'fit' }),
  addDeviceNote: () => ({ note: 'The key to the riser is at the reception.' }),
}

const engineerOnly = ['addBoilerGasSafetyRecord', 'addBoilerWaterTreatmentRecord']
/** The role that makes a call. */
export const roleFor = (name: string) => (engineerOnly.includes(name) ? 'BoilerEngineer' : 'Developer')

/** Response values that later requests need: the name of the known text, and its place in the response. */
const created: Readonly<Record<string, readonly [known: string, place: string]>> = {
  startBulkAction: ['bulkActionId', 'bulkActionId'],
  uploadImport: ['importId', 'importId'],
  createViewDefinition: ['viewId', 'viewId'],
  addHomeAppliance: ['applianceId', 'applianceId'],
}

/** The same for calls that read, or that change data after the reading calls. */
const later: typeof created = {
  addBuilding: ['newBuildingId', 'building'],
  addProperty: ['newPropertyId', 'propertyId'],
  getPropertyTelemetryViews: ['chart', 'results.0.defaultChartId'],
}

/** Calls that create the data for the reading calls; all other changes are made after the reading calls. */
export const first: readonly string[] = [...Object.keys(created)]
export const results: typeof created = { ...created, ...later }

/** Documented calls that need other calls before them: `api-scenarios.ts` makes them. */
export const inScenarios: ReadonlySet<string> = new Set(
  'getAppResident requestResidence sendUplink getModelSensors changeSetPoint getSensorMapping getMappingVersions getCodecVersions addSensors undoAddSensors ignoreSensors restoreSensors chooseSensorModel importSensors saveSensorMapping restoreMappingSuggestions restoreMappingVersion saveCodecVersion tryCodecVersion activateCodecVersion rollBackCodec decodeMessagesAgain retryBulkAction undoBulkAction stopLightTest withdrawTest takeBackCommand commitImport undoImport askVoidAgain sendAlertAgain changeAwaabsLawCase addBoilerRecordAttachment addHomeApplianceRecord addRepairPhoto saveDocument updateOccupierAddress updateOccupierId withdrawBoilerRecord addEmeredGroup takeBackBoilerRecord withdrawHomeApplianceRecord endDeviceCondition updateInterimMeasure deleteAlertDefinition disputeTestResult decideTestDispute updateTestResult sendThermostatSchedule'.split(
    ' ',
  ),
)
