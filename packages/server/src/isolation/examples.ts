import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { copiedDay, emptyWeek, scheduleOf, weekDays, withSetPoint } from '@caretaker/rules/properties/schedule.ts'
import { pdfOf } from '../testing/certificate-files.ts'
import { jpegOf } from '../testing/photos.ts'
import type { TenantItems } from '../testing/furnish/furnish.ts'

export interface Sent {
  params?: object
  query?: object
  body?: object
  form?: object
}
export type Example = (things: TenantItems) => Sent | Promise<Sent>

const range = { from: '2026-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }
/** The month for which `furnish` adds a report. */
const reportMonth = { year: '2025', month: '1' }
const inADay = () => new Date(Date.now() + 86_400_000).toISOString()
const ofTenant: Example = ({ tenant }) => ({ body: { tenant } })
const world = { west: -180, south: -85, east: 180, north: 85 }
const ofMap: Example = ({ tenant }) => ({ body: { tenant, frame: world, zoom: 3 } })
const inPath: Example = ({ tenant }) => ({ params: { tenant } })
const ofDevice =
  (device: 'light' | 'boiler' | 'gateway' | 'conditionedLight', more: object = {}): Example =>
  (things) => ({ body: { tenant: things.tenant, deviceId: things[device], ...more } })

const ofProperty =
  (body?: () => object): Example =>
  ({ tenant, property: propertyId }) => ({ params: { tenant, propertyId }, ...(body && { body: body() }) })

let counter = 0

/** A schedule with a temperature for each day that differs from the one before. */
function newWeek() {
  const week = withSetPoint(emptyWeek(), 'Monday', 'tempSetPoint1', 15 + (++counter % 10))
  return scheduleOf(copiedDay(week, 'Monday', weekDays))
}

/** The status of calls that respond per id when some ids belong to another tenant. */
export const answersForEach: Record<string, number> = {
  bulkAddTags: 400,
  bulkRemoveTags: 400,
  bulkJoinNetwork: 200,
  bulkLeaveNetwork: 200,
  bulkUninstall: 200,
  startBulkAction: 200,
  startPropertyBulkAction: 200,
  getMonthlyReport: 400,
  startReport: 400,
  addReportSchedule: 400,
  updateReportSchedule: 400,
  createApiKey: 400,
  setGroupAccess: 400,
}

/** The status that an API key gets from calls about personal data: the calls are allowed, but find nothing. */
export const ofPeople: Record<string, number> = {
  ...{ getBulkAction: 404, getBulkActionAnswers: 404, retryBulkAction: 404, undoBulkAction: 404 },
  ...{ getDocuments: 403, getDocument: 404, deleteDocument: 404 },
}

const ssoSettings = (issuer: string) => ({
  ...{ name: `fresh${++counter}`, issuer, clientId: 'caretaker', groupClaim: 'groups' },
  ...{ isRequired: false, checksSecondFactor: false, createsMembers: false },
})
const webhookOf = () => ({ name: `fresh${++counter}`, url: 'https://hooks.test/', events: ['test.finished'] })

const ofConnection: Example = ({ tenant, connection }) => ({ params: { tenant, connectionId: connection } })
const ofNewConnection = async ({ tenant, newConnection }: TenantItems): Promise<Sent> => ({
  params: { tenant, connectionId: await newConnection() },
})
const ofSensor =
  (state: 'new' | 'ignored' | 'added') =>
  async ({ tenant, newSensor }: TenantItems): Promise<Sent> => ({
    params: { tenant },
    body: { sensorIds: [await newSensor(state)] },
  })
const ofSensorModel =
  (): Example =>
  ({ tenant, sensorModel }) => ({ params: { tenant, modelId: sensorModel } })
const ofNewSensorModel =
  (body?: object): Example =>
  async ({ tenant, newSensorModel }) => ({
    params: { tenant, modelId: await newSensorModel() },
    ...(body && { body }),
  })

const newRecord = ({ tenant, boiler }: TenantItems, more: object = {}): Sent => ({
  body: {
    ...{ tenant, deviceId: boiler, recordSerialNumber: `fresh${++counter}`, recordStatus: 'Pass', ...more },
    recordTimestamp: '2026-01-01T00:00:00Z',
  },
})

const definitionOf = ({ tenant, tag, building }: TenantItems) => ({
  scope: { families: ['emered'], buildingIds: [building], tagIds: [tag] },
  ...{ tagTenant: tenant, tagId: tag, delay: 5, delayUnit: 'mins', notificationType: 'NONE', notificationTarget: '' },
  ...{ triggerType: 'CONNECTIONSTATUS', triggerCondition: 'NotConnected' },
})

/** One valid call of every tenant route. `fixtures.test.ts` fails for a route without one. */
export const examples: Record<string, Example> = {
  getTenantInfo: ofTenant,
  getFeatures: inPath,
  getCapabilities: inPath,
  getSignInPolicy: inPath,
  setSignInPolicy: ({ tenant }) => ({
    params: { tenant },
    body: { secondFactorRoles: ['Manager'], idleMinutes: 60, sessionHours: 12 },
  }),
  getGroupAccess: inPath,
  setGroupAccess: ({ tenant, accessRightsTag }) => ({
    params: { tenant },
    body: { rows: [{ group: `fresh${++counter}`, role: 'Guest', tags: [accessRightsTag] }] },
  }),
  getProvisioning: inPath,
  setProvisioning: ({ tenant }) => ({ params: { tenant }, body: { invites: true } }),
  createProvisioningKey: async ({ tenant, revokeProvisioningKeys }) => {
    await revokeProvisioningKeys()
    return { params: { tenant } }
  },
  revokeProvisioningKey: async ({ tenant, newProvisioningKey }) => ({
    params: { tenant, keyId: await newProvisioningKey() },
  }),
  getSsoConnections: inPath,
  addSsoConnection: ({ tenant }) => ({
    params: { tenant },
    body: { ...ssoSettings('https://id.test'), clientSecret: 'a secret' },
  }),
  updateSsoConnection: ({ tenant, secret, ssoConnection }) => ({
    params: { tenant, connectionId: ssoConnection },
    body: ssoSettings(`https://${secret}.test`),
  }),
  replaceSsoSecret: ({ tenant, ssoConnection }) => ({
    params: { tenant, connectionId: ssoConnection },
    body: { clientSecret: 'another secret' },
  }),
  removeSsoConnection: async ({ tenant, newSsoConnection }) => ({
    params: { tenant, connectionId: await newSsoConnection() },
  }),
  testSsoConnection: ({ tenant, ssoConnection }) => ({ params: { tenant, connectionId: ssoConnection } }),
  addSsoDomain: ({ tenant, ssoConnection }) => ({
    params: { tenant, connectionId: ssoConnection },
    body: { domain: `fresh${++counter}.test` },
  }),
  verifySsoDomain: ({ tenant, ssoConnection, ssoDomain }) => ({
    params: { tenant, connectionId: ssoConnection, domain: ssoDomain },
  }),
  removeSsoDomain: async ({ tenant, ssoConnection, newSsoDomain }) => ({
    params: { tenant, connectionId: ssoConnection, domain: await newSsoDomain(ssoConnection) },
  }),
  getTenantDashboardData: ofTenant,
  getWorklist: ofTenant,
  getThirdPartySummary: inPath,
  getDashboardSummary: ({ tenant }) => ({ params: { path: 'adey' }, query: { tenant } }),
  getBcms: inPath,
  getBcm: ({ tenant, boiler }) => ({ params: { tenant, id: boiler } }),
  getGateways: inPath,
  getMultidots: inPath,
  getVstats: inPath,
  getPowerSwitch: ({ tenant, powerSwitch }) => ({ params: { tenant, id: powerSwitch } }),
  getProperties: inPath,
  fetchProperties: ({ tenant }) => ({ body: { tenant, listing: 'Properties' } }),
  getPropertyChoices: ({ tenant }) => ({ body: { tenant, listing: 'Properties', fieldId: 'tags' } }),
  exportProperties: ({ tenant }) => ({
    body: { tenant, listing: 'Properties', columns: ['propertyReference', 'address'] },
  }),
  getProperty: ofProperty(),
  getPropertyDevices: ofProperty(),
  addProperty: ({ tenant }) => ({
    params: { tenant },
    body: { propertyReference: `fresh${++counter}`, address1: '1 Elm Road', postcode: 'LS6 1AB' },
  }),
  moveProperty: ofProperty(() => ({ buildingId: null })),
  archiveProperty: async ({ tenant, newProperty }) => ({
    params: { tenant, propertyId: await newProperty() },
    body: {},
  }),
  bringBackProperty: async ({ tenant, newProperty }) => ({
    params: { tenant, propertyId: await newProperty('archived') },
    body: {},
  }),
  getArchivedProperties: inPath,
  getPropertySafety: ofProperty(),
  addHomeAppliance: ofProperty(() => ({ name: `fresh${++counter}` })),
  removeHomeAppliance: async ({ tenant, property, newAppliance }) => ({
    params: { tenant, propertyId: property, applianceId: await newAppliance() },
    body: { reason: 'Appliance taken out' },
  }),
  getHomeApplianceRecords: async ({ tenant, applianceCertificate }) => {
    const { propertyId, applianceId } = await applianceCertificate()
    return { params: { tenant, propertyId, applianceId } }
  },
  addHomeApplianceRecord: async ({ tenant, property, newAppliance }) => ({
    form: {
      ...{ tenant, propertyId: property, applianceId: await newAppliance(), recordSerialNumber: `fresh${++counter}` },
      ...{ recordDay: '2026-01-05', recordStatus: 'Pass' },
      file: new File([pdfOf(`fresh${++counter}`)], 'certificate.pdf'),
    },
  }),
  withdrawHomeApplianceRecord: async ({ tenant, applianceCertificate }) => {
    const { propertyId, applianceId, recordId } = await applianceCertificate()
    return { params: { tenant, propertyId, applianceId, recordId }, body: { reason: 'Wrong home' } }
  },
  getHomeApplianceCertificate: async ({ tenant, applianceCertificate }) => ({
    query: { tenant, ...(await applianceCertificate()) },
  }),
  getPropertyVoid: ofProperty(),
  askVoidAgain: async ({ tenant, property, boiler, newRefusedEffect }) => ({
    params: { tenant, propertyId: property },
    body: { deviceId: boiler, effect: await newRefusedEffect() },
  }),
  getPropertyDamp: ofProperty(),
  getPropertyDampCells: ({ tenant, property: propertyId }) => ({
    params: { tenant, propertyId },
    query: { from: new Date(Date.now() - 7 * 86_400_000).toISOString(), to: new Date().toISOString() },
  }),
  getPropertyLicences: ofProperty(),
  getPropertyAudit: ({ tenant, property: propertyId }) => ({ params: { tenant }, query: { propertyId } }),
  findAddresses: ({ tenant }) => ({ query: { tenant, postcode: 'LS6 2BD' } }),
  putPropertyDetails: ofProperty(() => ({ propertyReference: `fresh${++counter}`, awaabsLawStatus: 'Repairs' })),
  postPropertyDetails: ofProperty(() => ({ numberOfFloor: ++counter % 1000 })),
  putPropertyAddress: ofProperty(() => ({ address1: `fresh${++counter}`, postcode: 'LS6 1AB' })),
  postPropertyAddress: ofProperty(() => ({ address1: `fresh${++counter}`, postcode: 'LS6 1AB' })),
  setPropertyAccessRightsTag: ({ tenant, property: propertyId, accessRightsTag: accessRightsTagId }) => ({
    params: { tenant, propertyId },
    body: { accessRightsTagId },
  }),
  getBatteryLimits: inPath,
  putBatteryLimits: ({ tenant }) => ({ params: { tenant }, body: { isWide: true } }),
  changeAwaabsLawCase: ofProperty(() => ({ changes: [{ hazard: 'Damp and mould' as const }] })),
  getCaseRecords: ({ tenant, property: propertyId, lawCase: caseId }) => ({ params: { tenant, propertyId, caseId } }),
  addCaseRecord: ({ tenant, property: propertyId, lawCase: caseId }) => ({
    params: { tenant, propertyId, caseId },
    form: { kind: 'note' as const, text: `fresh${++counter}` },
  }),
  addCaseReadings: ({ tenant, property: propertyId, lawCase: caseId }) => ({
    params: { tenant, propertyId, caseId },
    body: { from: dayAt(Date.now(), 'Europe/London'), to: dayAt(Date.now(), 'Europe/London'), text: '' },
  }),
  getCaseRecordFile: ({ tenant, property: propertyId, lawCase: caseId, lawFile: recordId }) => ({
    params: { tenant, propertyId, caseId, recordId },
  }),
  getBreachRegister: ({ tenant }) => ({ params: { tenant }, query: { from: '2026-01-01', to: '2026-12-31' } }),
  exportBreachRegister: ({ tenant }) => ({ params: { tenant }, query: { from: '2026-01-01', to: '2026-12-31' } }),
  getAwaabsLawFigures: inPath,
  putAwaabsLawFigures: ({ tenant }) => ({
    params: { tenant },
    body: { investigation: 10, summary: 3, repairs: 5, emergency: 24, preventive: 12, notice: 4 },
  }),
  getLicenceSummary: inPath,
  fetchViewData: ({ tenant }) => ({ body: { tenant, listing: 'EmergencyLights' } }),
  getFieldChoices: ({ tenant }) => ({ body: { tenant, listing: 'EmergencyLights', fieldId: 'name' } }),
  getViewDefinitions: ofTenant,
  getAvailableFields: ofTenant,
  createViewDefinition: ({ tenant }) => ({
    body: { tenant, view: { root: 'emered', label: `fresh${++counter}`, columns: ['serial'], filters: [] } },
  }),
  updateViewDefinition: async ({ tenant, newView }) => ({
    body: { tenant, view: { viewId: await newView(), version: 1, columns: ['name'] } },
  }),
  deleteViewDefinition: async ({ tenant, newView }) => ({ body: { tenant, viewId: await newView() } }),
  countViews: async ({ tenant, newView }) => ({ body: { tenant, viewIds: [await newView()] } }),
  getStartPage: ofTenant,
  setStartPage: async ({ tenant, newView }) => ({ body: { tenant, viewId: await newView() } }),
  countStartPages: async ({ tenant, newView }) => ({ body: { tenant, viewId: await newView() } }),
  getDocuments: async ({ tenant, caller, newDocument }) => {
    await newDocument()
    return { params: { tenant }, query: { userId: await caller(), documentType: 'ListingViewConfig' } }
  },
  getDocument: async ({ tenant, newDocument }) => ({ params: { tenant, id: await newDocument() } }),
  saveDocument: ({ tenant }) => ({
    params: { tenant },
    form: {
      content: new File([JSON.stringify({ columns: ['serial'], filters: [] })], 'view.json'),
      metadata: JSON.stringify({ userViewName: `fresh${++counter}`, userViewType: 'Bcms' }),
    },
  }),
  deleteDocument: async ({ tenant, newDocument }) => ({ params: { tenant, id: await newDocument() } }),
  searchEverything: ({ tenant }) => ({ body: { tenant, search: 'secret' } }),
  exportListing: ({ tenant }) => ({ body: { tenant, listing: 'EmergencyLights', columns: ['serial', 'name'] } }),
  streamChanges: inPath,
  shouldUpdateView: ({ tenant }) => ({ body: { tenant, deviceTypes: ['EM', 'MG', 'BX'], date: 0 } }),
  getTenantBuildings: ofTenant,
  getTenantBuildingSummary: ofTenant,
  getBuilding: ({ tenant, building }) => ({ body: { tenant, building } }),
  addBuilding: ({ tenant }) => ({
    body: { tenant, building: { name: `fresh${++counter}`, lat: 53.8, lng: -1.5, floors: [{ name: '0' }] } },
  }),
  updateBuilding: async ({ tenant, newBuilding }) => {
    const { building, floor } = await newBuilding()
    const floors = [{ floor, name: `fresh${++counter}` }, { name: 'Loft' }]
    return { body: { tenant, building: { building, floors } } }
  },
  updateFloorPosition: async ({ tenant, newBuilding }) => ({
    body: {
      ...{ tenant, ...(await newBuilding()), width: 20, height: 10 },
      ...{ rotation: ++counter % 360, lat: 53.8, long: -1.5 },
    },
  }),
  getLatLong: ({ tenant }) => ({ body: { tenant, postCode: 'HX1 5TX' } }),
  uploadFloorPlan: async ({ tenant, newBuilding }) => ({
    form: {
      ...{ tenant, ...(await newBuilding()) },
      file: new File(
        [`<svg xmlns="http://www.w3.org/2000/svg"><text>fresh${++counter}</text><image href="a.png"/></svg>`],
        'plan.svg',
      ),
    },
  }),
  previewFloorPlan: async ({ tenant, newBuilding }) => ({
    form: {
      ...{ tenant, ...(await newBuilding()) },
      file: new File(['<svg xmlns="http://www.w3.org/2000/svg"><line/><image href="a.png"/></svg>'], 'plan.svg'),
    },
  }),
  getFloorPlan: async ({ tenant, newBuilding }) => ({ query: { tenant, ...(await newBuilding()) } }),
  getEmered: ofDevice('light'),
  getBoiler: ofDevice('boiler'),
  updateChSetPoint: ofDevice('boiler', { chSetPoint: 60 }),
  toggleCHAccess: ofDevice('boiler', { isLimited: true }),
  toggleBoilerBuzzer: ofDevice('boiler', { isLimited: true }),
  updateOccupierAddress: ofDevice('boiler', { occupierAddress: '1 Mill Lane' }),
  updateOccupierId: ({ tenant, boiler }) => ({ body: { tenant, deviceId: boiler, occupierId: `home ${++counter}` } }),
  putBcmSettings: ({ tenant, boiler }) => ({ params: { tenant, id: boiler }, body: { dhwSetPoint: 50 } }),
  patchBcmSettings: ({ tenant, boiler }) => ({ params: { tenant, id: boiler }, body: { dhwSetPoint: 51 } }),
  putPowerSwitchSettings: ({ tenant, powerSwitch }) => ({
    params: { tenant, id: powerSwitch },
    body: { relayPower: { 1: true } },
  }),
  getThermostatSchedules: ({ tenant, thermostat }) => ({ params: { tenant, deviceId: thermostat } }),
  sendThermostatSchedule: ({ tenant, thermostat }) => ({
    params: { tenant, deviceId: thermostat },
    body: { part: 'heating', week: newWeek() },
  }),
  patchPowerSwitchSettings: ({ tenant, powerSwitch }) => ({
    params: { tenant, id: powerSwitch },
    body: { relayPower: { 1: false } },
  }),
  getNetworkingDevice: ofDevice('gateway'),
  getThirdPartyDevice: ({ tenant, sensorDevice }) => ({ body: { tenant, deviceId: sensorDevice } }),
  getMapPoints: ofDevice('light'),
  getMapDevices: ofMap,
  getMapBuildings: ofMap,
  getMapDevicesExtent: ofTenant,
  getMapBuildingsExtent: ofTenant,
  getMapBuilding: ({ tenant, building }) => ({ body: { tenant, building } }),
  getMapSketch: ofMap,
  getFloorDevices: ({ tenant, building, floor }) => ({ body: { tenant, building, floor } }),
  getDevicesWithoutFloor: ({ tenant, building }) => ({ body: { tenant, building } }),
  getDeviceBySerial: ({ tenant, lightSerial, gateway }) => ({
    body: { tenant, serialNumber: lightSerial, bcmOrGatewayId: gateway },
  }),
  getBcmConnectedDevice: ofDevice('boiler'),
  shouldUpdateDevice: ofDevice('light', { date: 0 }),
  updateDeviceBuildingLocation: ofDevice('light', { room: 'Hall' }),
  updateDeviceGeoLocation: ofDevice('light', { latitude: 53.8, longitude: -1.5 }),
  getAllDeviceTests: ofDevice('light'),
  getDeviceTestRuns: ofDevice('light'),
  getEmeredGroups: ofTenant,
  getEmeredGroup: ({ tenant, group }) => ({ body: { tenant, groupName: group } }),
  getTenantEmeredTestShedules: ({ tenant }) => ({ body: { tenant, deviceTypes: ['EM'] } }),
  getDeviceTestSchedule: ofDevice('light'),
  getTenantEmereds: ofTenant,
  getConflictingTestSchedules: ({ tenant, light, building }) => ({
    body: { tenant, t180StartDate: inADay(), deviceIds: [light], building, ofBuilding: true },
  }),
  addEmeredGroup: async ({ tenant, annexe, newPlacedLight }) => ({
    body: {
      ...{ tenant, groupName: `fresh${++counter}`, building: annexe, t180StartDate: inADay() },
      deviceIds: [await newPlacedLight()],
      alsoTypes: ['T60'],
      confirmation: { reason: 'The building is empty', agreed: true },
    },
  }),
  updateEmeredGroup: async ({ tenant, newGroup, newPlacedLight }) => ({
    body: {
      ...{ tenant, groupName: await newGroup(), t180StartDate: inADay() },
      deviceIds: [await newPlacedLight()],
      alsoTypes: ['T60'],
      confirmation: { reason: 'The building is empty', agreed: true },
    },
  }),
  deleteEmeredGroup: async ({ tenant, newGroup }) => ({ body: { tenant, groupName: await newGroup() } }),
  startInspectionSheets: ({ tenant }) => ({
    body: { tenant, buildingIds: null, from: '2025-01-01', to: '2025-12-31' },
  }),
  getPartsList: ofTenant,
  exportPartsList: ofTenant,
  getAllTests: ofTenant,
  exportAllTests: ofTenant,
  getTestOverview: ofTenant,
  getTestMonths: ({ tenant }) => ({ body: { tenant, year: 2026 } }),
  updateTestResult: ({ tenant, light }) => ({
    form: { tenant, deviceId: light, reason: `fresh${++counter}`, Lamp: 'Failed' },
  }),
  runTest: async ({ tenant, newLight }) => ({
    body: { tenant, deviceId: await newLight(), testType: 'T180', isDayConfirmed: true },
  }),
  stopLightTest: async ({ tenant, newTestingLight }) => ({ body: { tenant, deviceId: await newTestingLight() } }),
  withdrawTest: async ({ tenant, newPlannedTest }) => ({ body: { tenant, ...(await newPlannedTest()) } }),
  getTestNights: ofDevice('light'),
  disputeTestResult: async ({ tenant, newFailedTest }) => ({
    body: { tenant, ...(await newFailedTest()), reason: `fresh${++counter}` },
  }),
  decideTestDispute: async ({ tenant, newFailedTest }) => ({
    body: { tenant, ...(await newFailedTest(true)), decision: 'keep', reason: `fresh${++counter}` },
  }),
  updateEmeredLuminaire: ({ tenant, light }) => ({
    body: {
      ...{ tenant, deviceId: light, name: `fresh${++counter}`, lampType: 'LED', inverterType: 'Integral' },
      ...{ batteryType: 'Lithium Ion' as const, batteryVoltage: 3.2, batteryCapacity: 1.5 },
    },
  }),
  getStandardLuminaires: ofTenant,
  addStandardLuminaire: ({ tenant }) => ({
    body: {
      ...{ tenant, name: `fresh${++counter}`, lampType: 'LED', inverterType: 'Integral' },
      ...{ batteryType: 'Lithium Ion' as const, batteryVoltage: 3.2, batteryCapacity: 1.5 },
    },
  }),
  deleteStandardLuminaire: async ({ tenant, newStandardLuminaire }) => ({
    body: { tenant, luminaireId: await newStandardLuminaire() },
  }),
  updateEmeredMonitoredLedCircuit: ofDevice('light', { monitoredLedCircuit: 'single' }),
  updateEmeredOperation: ofDevice('light', { operatingMode: 'maintained', keySwitch: 'Riser' }),
  getLogBook: ({ tenant, building }) => ({ body: { tenant, buildingId: building } }),
  updateLogBook: ({ tenant, building }) => ({
    body: { tenant, buildingId: building, certificate: `fresh${++counter}` },
  }),
  exportInspectionSheet: ({ tenant, building }) => ({
    body: { tenant, buildingId: building, from: '2025-01-01', to: '2025-12-31' },
  }),
  getReports: inPath,
  getMonthlyReport: ({ tenant, accessRightsTag }) => ({
    params: { tenant, reportType: 'Overview', ...reportMonth },
    query: { tag: accessRightsTag },
  }),
  getReport: ({ tenant }) => ({ params: { tenant }, body: { reportType: 'FailedEmeredReport' } }),
  startReport: ({ tenant, accessRightsTag }) => ({
    params: { tenant },
    body: { reportType: 'Overview', month: { year: 2025, month: 1 }, tagIds: [accessRightsTag] },
  }),
  getReportRuns: async ({ tenant, newReport }) => {
    await newReport()
    return { params: { tenant } }
  },
  getReportFile: async ({ tenant, newReport }) => ({ params: { tenant, runId: await newReport() } }),
  deleteReportRun: async ({ tenant, newReport }) => ({ params: { tenant, runId: await newReport() } }),
  getReportSchedules: async ({ tenant, newReportSchedule }) => {
    await newReportSchedule()
    return { params: { tenant } }
  },
  addReportSchedule: ({ tenant, accessRightsTag }) => ({
    params: { tenant },
    body: { reportType: 'Overview', tagIds: [accessRightsTag], day: 1, hour: 7 },
  }),
  updateReportSchedule: async ({ tenant, accessRightsTag, newReportSchedule }) => ({
    params: { tenant, scheduleId: await newReportSchedule() },
    body: { reportType: 'Overview', tagIds: [accessRightsTag], day: 2, hour: 8 },
  }),
  deleteReportSchedule: async ({ tenant, newReportSchedule }) => ({
    params: { tenant, scheduleId: await newReportSchedule() },
  }),
  runT0Test: ({ tenant, light }) => ({ form: { tenant, deviceId: light } }),
  getDeviceCommands: ofDevice('light'),
  takeBackCommand: async ({ tenant, light, newCommand }) => ({
    body: { tenant, deviceId: light, commandId: await newCommand() },
  }),
  getDeviceConditions: ofDevice('conditionedLight'),
  setDeviceCondition: async ({ tenant, newLight }) => ({
    body: { tenant, deviceId: await newLight(), condition: 'maintenance' },
  }),
  endDeviceCondition: async ({ tenant, newCondition }) => ({ body: { tenant, ...(await newCondition()) } }),
  updateInterimMeasure: async ({ tenant, newCondition }) => ({
    body: { tenant, ...(await newCondition()), interimMeasure: `fresh${++counter}` },
  }),
  recordDeviceRepair: async ({ tenant, newLight }) => ({
    body: {
      tenant,
      deviceId: await newLight(),
      part: 'device',
      repairedBy: `fresh${++counter}`,
      repairedOn: '2026-01-01',
    },
  }),
  getBoilerFaults: ofDevice('boiler'),
  getDeviceLogs: ofDevice('boiler'),
  getBoilerRecords: ofDevice('boiler'),
  getComplianceFigures: ofTenant,
  changeComplianceFigures: ({ tenant }) => ({
    body: { tenant, type: 'GasSafety', figures: { months: 12, window: 2, notice: 31 } },
  }),
  addBoilerGasSafetyRecord: (things) => newRecord(things),
  addBoilerWaterTreatmentRecord: (things) => newRecord(things, { testKitUsed: 'Adey MC1+ Quick Test' }),
  addRepairPhoto: ({ tenant, light, repair }) => ({
    form: {
      tenant,
      deviceId: light,
      repairId: repair,
      file: new File([jpegOf({ picture: `fresh${++counter}` })], 'lamp.jpg'),
    },
  }),
  getRepairPhoto: async ({ tenant, light, repairPhoto }) => ({
    query: { tenant, deviceId: light, ...(await repairPhoto()) },
  }),
  addBoilerRecordAttachment: async ({ tenant, boiler, newRecordDraft }) => ({
    form: {
      ...{ tenant, deviceId: boiler, recordId: await newRecordDraft() },
      file: new File([pdfOf(`fresh${++counter}`)], 'certificate.pdf'),
    },
  }),
  withdrawBoilerRecord: async ({ tenant, boiler, newRecord }) => ({
    body: { tenant, deviceId: boiler, recordId: await newRecord(), reason: 'Wrong home' },
  }),
  takeBackBoilerRecord: async ({ tenant, boiler, newRecordDraft }) => ({
    body: { tenant, deviceId: boiler, recordId: await newRecordDraft() },
  }),
  getBoilerRecordAttachment: async ({ tenant, boiler, certificate }) => ({
    query: { tenant, deviceId: boiler, ...(await certificate()) },
  }),
  uploadImport: ({ tenant }) => ({
    form: {
      tenant,
      file: new File([`Property Ref,Address 1,Postcode\nfresh${++counter},1 Elm Road,LS1 4AB`], 'homes.csv'),
    },
  }),
  getImports: ofTenant,
  getImport: async ({ tenant, newImport }) => ({ body: { tenant, importId: await newImport() } }),
  planImport: async ({ tenant, newImport }) => ({
    body: { tenant, importId: await newImport(), wishes: { takeOffers: true } },
  }),
  commitImport: async ({ tenant, newImport }) => ({ body: { tenant, importId: await newImport(), revision: 1 } }),
  undoImport: async ({ tenant, newImport }) => ({ body: { tenant, importId: await newImport('done') } }),
  exportMarkedImport: async ({ tenant, newImport }) => ({ body: { tenant, importId: await newImport() } }),
  exportImportFaults: async ({ tenant, newImport }) => ({ body: { tenant, importId: await newImport() } }),
  makeImportKeys: async ({ tenant, newImport }) => ({ body: { tenant, importId: await newImport('done') } }),
  getImportTemplate: inPath,
  getEmeredRepairForms: ofTenant,
  getBoilerRepairForms: ofTenant,
  getLiftMonitorsForms: ofTenant,
  getPeopleCountersForms: ofTenant,
  getNetworkDevicesForms: ofTenant,
  getDeviceRepairForms: ofDevice('light', { deviceType: 'EM' }),
  getAllDeviceForms: ofDevice('light', { deviceType: 'EM' }),
  getDeviceNotes: ofDevice('light'),
  getDeviceMessages: ofDevice('light', { date: Date.now() }),
  // A position that has seen no transaction, from before the rows were created; positions expire after an hour.
  followDeviceMessages: ({ tenant, light }) => ({
    body: {
      ...{ tenant, deviceId: light, date: dayAt(Date.now(), 'Europe/London') },
      position: `1:1:-${Date.now() - 50 * 60_000}`,
    },
  }),
  getDeviceDebug: ofDevice('light'),
  boilerRepairForm: ({ tenant, boiler }) => ({
    form: { tenant, deviceId: boiler, description: `fresh${++counter}` },
  }),
  emeredRepairForm: async ({ tenant, newLight }) => ({
    form: { tenant, deviceId: await newLight(), battery: 'true', description: `fresh${++counter}` },
  }),
  addDeviceNote: ({ tenant, light }) => ({
    form: { tenant, deviceId: light, deviceType: 'EM', note: `fresh${++counter}` },
  }),
  getDeviceTelemetryCharts: ofDevice('boiler'),
  getDeviceMetrics: ofDevice('boiler', { ...range, metrics: ['flowTemperature'] }),
  getDevicesMetrics: ({ tenant, boiler, light }) => ({
    body: {
      tenant,
      ...range,
      devices: [boiler, light].map((deviceId) => ({ deviceId, metrics: ['flowTemperature'] })),
    },
  }),
  getDeviceEvents: ofDevice('boiler', range),
  getPropertyTelemetryViews: ofProperty(),
  getPropertyTelemetryChart: ({ tenant, property: propertyId }) => ({
    params: { tenant, propertyId },
    query: { ...range, view: 'property', chart: 'flowReturn' },
  }),
  getPropertyMetrics: ({ tenant, property: propertyId }) => ({
    params: { tenant },
    query: { ...range, propertyId, metricKey: 'flowTemperature' },
  }),
  getPropertyEvents: ({ tenant, property: propertyId }) => ({
    params: { tenant },
    query: { ...range, propertyId },
  }),
  getPowerMeter: ({ tenant, powerMeter }) => ({ params: { tenant, deviceId: powerMeter } }),
  getAudit: inPath,
  getTenantTags: ofTenant,
  tenantCreateTag: ({ tenant }) => ({ body: { tenant, name: `fresh${++counter}` } }),
  tenantUpdateTag: async ({ tenant, newTag }) => ({ body: { tenant, id: await newTag(), name: `fresh${++counter}` } }),
  tenantDeleteTag: async ({ tenant, newTag }) => ({ body: { tenant, id: await newTag() } }),
  getAlertDefinitions: ofTenant,
  getAlertPreviews: ofTenant,
  createAlertDefinition: (things) => ({ body: definitionOf(things) }),
  updateAlertDefinition: async (things) => ({ body: { ...definitionOf(things), ...(await things.newDefinition()) } }),
  deleteAlertDefinition: async ({ tenant, newDefinition }) => ({
    body: { tagTenant: tenant, ...(await newDefinition()) },
  }),
  addDefaultAlerts: ofTenant,
  previewAlertDefinition: (things) => ({ body: definitionOf(things) }),
  getAlerts: ({ tenant }) => ({ body: { tenant, state: 'open' } }),
  sendAlertAgain: async ({ tenant, newAlert }) => ({ body: { tenant, alertId: await newAlert() } }),
  getAccessRightsTags: inPath,
  createAccessRightsTag: ({ tenant }) => ({ params: { tenant }, body: { displayName: `fresh-${++counter}` } }),
  deleteAccessRightsTag: async ({ tenant, newAccessRightsTag }) => ({
    params: { tenant, id: await newAccessRightsTag() },
  }),
  setDeviceAccessRightsTag: ({ tenant, light, accessRightsTag }) => ({
    params: { tenant, deviceId: light },
    body: { accessRightsTagId: accessRightsTag },
  }),
  setDeviceAccessRightsTags: ({ tenant, light, accessRightsTag }) => ({
    params: { tenant, deviceId: light },
    body: { accessRightsTags: [{ id: accessRightsTag }] },
  }),
  getDeviceTags: ofDevice('light'),
  addTagToDevice: async ({ tenant, newTaggedLight, tag }) => ({
    body: { tenant, deviceId: await newTaggedLight(), tagId: tag },
  }),
  updateDeviceTags: async ({ tenant, newTaggedLight, tag }) => ({
    body: { tenant, deviceId: await newTaggedLight(), tagIds: [tag] },
  }),
  removeTagFromDevice: async ({ tenant, newTaggedLight, tag }) => ({
    body: { tenant, deviceId: await newTaggedLight(), tagId: tag },
  }),
  emeredJoinNetwork: ofDevice('light'),
  emeredLeaveNetwork: ofDevice('light'),
  repeaterJoinNetwork: ofDevice('gateway'),
  repeaterLeaveNetwork: ofDevice('gateway'),
  boilerReset: ofDevice('boiler'),
  autofillReset: ofDevice('boiler'),
  resetDevice: ofDevice('boiler'),
  removeDevice: async ({ tenant, newLight }) => ({ body: { tenant, deviceId: await newLight() } }),
  installDevice: async ({ tenant, newLightInStock }) => ({ body: { tenant, deviceId: await newLightInStock() } }),
  getDeviceKey: ({ tenant, light }) => ({ params: { tenant, deviceId: light } }),
  getDeviceKeys: inPath,
  replaceDeviceKey: async ({ tenant, newLight }) => ({ params: { tenant, deviceId: await newLight() } }),
  revokeDeviceKey: async ({ tenant, newLight }) => ({ params: { tenant, deviceId: await newLight() } }),
  bulkAddTags: async ({ tenant, newTaggedLight, tag }) => ({
    body: { tenant, deviceIds: [await newTaggedLight()], tags: [tag] },
  }),
  bulkRemoveTags: async ({ tenant, newTaggedLight, tag }) => ({
    body: { tenant, deviceIds: [await newTaggedLight()], tags: [tag] },
  }),
  bulkJoinNetwork: ({ tenant, light }) => ({ body: { tenant, deviceIds: [light] } }),
  bulkLeaveNetwork: ({ tenant, light }) => ({ body: { tenant, deviceIds: [light] } }),
  bulkUninstall: async ({ tenant, newLight }) => ({ body: { tenant, deviceIds: [await newLight()] } }),
  startBulkAction: ({ tenant, light }) => ({
    body: { tenant, action: 'flick test', selection: { deviceIds: [light] } },
  }),
  getSelectionTags: ({ tenant }) => ({ body: { tenant, selection: { query: { listing: 'EmergencyLights' } } } }),
  previewSelection: ({ tenant }) => ({ body: { tenant, selection: { query: { listing: 'EmergencyLights' } } } }),
  previewPropertySelection: ({ tenant }) => ({ body: { tenant, selection: { query: { listing: 'Properties' } } } }),
  startPropertyBulkAction: async ({ tenant, newProperty }) => ({
    body: {
      ...{ tenant, action: 'archive properties', reason: 'Sold' },
      selection: { propertyIds: [await newProperty()] },
    },
  }),
  getBulkAction: async ({ tenant, newBulkAction }) => ({ body: { tenant, bulkActionId: await newBulkAction() } }),
  getBulkActionAnswers: async ({ tenant, newBulkAction }) => ({
    body: { tenant, bulkActionId: await newBulkAction('flick test') },
  }),
  getBulkActions: ofTenant,
  giveUpBulkAction: async ({ tenant, newBulkAction }) => ({ body: { tenant, bulkActionId: await newBulkAction() } }),
  retryBulkAction: async ({ tenant, newBulkAction }) => ({ body: { tenant, bulkActionId: await newBulkAction() } }),
  undoBulkAction: async ({ tenant, newBulkAction }) => ({ body: { tenant, bulkActionId: await newBulkAction() } }),
  getEquipmentLists: ofTenant,
  getMailbox: inPath,
  getResidentAppSettings: inPath,
  setResidentAppSettings: ({ tenant }) => ({
    params: { tenant },
    body: {
      residentAppContactEmail: `fresh${++counter}@mine.test`,
      residentAppContactPhoneNumber: '+441134960142',
    },
  }),
  getResidents: inPath,
  approveResidence: ({ tenant, resident, property }) => ({
    query: { tenant },
    body: { auth0UserId: resident, residenceId: property },
  }),
  revokeResidence: ({ tenant, resident, property }) => ({
    query: { tenant },
    body: { auth0UserId: resident, residenceId: property },
  }),
  getResidentAppKeys: inPath,
  createResidentAppKey: ({ tenant }) => ({ params: { tenant }, body: { instead: false } }),
  revokeResidentAppKey: async ({ tenant, newAppKey }) => ({ params: { tenant, keyId: await newAppKey() } }),
  getApiKeys: inPath,
  createApiKey: ({ tenant, accessRightsTag }) => ({
    params: { tenant },
    body: { name: `fresh${++counter}`, role: 'Guest', tagIds: [accessRightsTag], expiresInDays: 30 },
  }),
  revokeApiKey: async ({ tenant, newApiKey }) => ({ params: { tenant, keyId: await newApiKey() } }),
  getWebhooks: inPath,
  addWebhook: ({ tenant }) => ({ params: { tenant }, body: webhookOf() }),
  updateWebhook: async ({ tenant, newWebhook }) => ({
    params: { tenant, endpointId: (await newWebhook()).endpointId },
    body: { ...webhookOf(), enabled: false },
  }),
  deleteWebhook: async ({ tenant, newWebhook }) => ({
    params: { tenant, endpointId: (await newWebhook()).endpointId },
  }),
  rotateWebhookSecret: async ({ tenant, newWebhook }) => ({
    params: { tenant, endpointId: (await newWebhook()).endpointId },
  }),
  tryWebhook: async ({ tenant, newWebhook }) => ({ params: { tenant, endpointId: (await newWebhook()).endpointId } }),
  replayWebhook: async ({ tenant, newWebhook }) => ({
    params: { tenant, endpointId: (await newWebhook()).endpointId },
    body: { from: new Date(Date.now() - 60_000).toISOString() },
  }),
  getWebhookDeliveries: async ({ tenant, newWebhook }) => ({
    params: { tenant, endpointId: (await newWebhook()).endpointId },
  }),
  getConnections: inPath,
  getConnection: ofConnection,
  addConnection: ({ tenant }) => ({ params: { tenant }, body: { kind: 'chirpstack', name: `fresh${++counter}` } }),
  updateConnection: async ({ tenant, newConnection }) => ({
    params: { tenant, connectionId: await newConnection() },
    body: { name: `fresh${++counter}`, paths: { deviceKey: 'id' } },
  }),
  pauseConnection: async (things) => ({ ...(await ofNewConnection(things)), body: {} }),
  resumeConnection: ofNewConnection,
  replaceConnectionKey: ofNewConnection,
  deleteConnection: ofNewConnection,
  getConnectionTest: ofConnection,
  getConnectionMessages: ofConnection,
  getSetPoint: ({ tenant, sensorThermostat }) => ({ params: { tenant, deviceId: sensorThermostat } }),
  changeSetPoint: ({ tenant, sensorThermostat }) => ({
    params: { tenant, deviceId: sensorThermostat },
    body: { setPoint: 21 },
  }),
  getSensorMessages: ({ tenant, sensorDevice }) => ({ params: { tenant, deviceId: sensorDevice } }),
  getNewSensors: ({ tenant }) => ({ params: { tenant }, query: { ignored: 'true' } }),
  addSensors: async ({ tenant, property, newSensor }) => ({
    params: { tenant },
    body: { propertyId: property, sensors: [{ sensorId: await newSensor(), room: 'Hall' }] },
  }),
  undoAddSensors: ofSensor('added'),
  ignoreSensors: ofSensor('new'),
  restoreSensors: ofSensor('ignored'),
  chooseSensorModel: async (things) => {
    const { params, body } = await ofSensor('new')(things)
    return { params, body: { ...body, maker: 'Maker', model: `fresh${++counter}` } }
  },
  importSensors: async ({ tenant, connection, propertyReference }) => ({
    params: { tenant },
    body: {
      connectionId: connection,
      sensors: [
        {
          ...{ deviceKey: `fresh${++counter}`, maker: 'Maker', model: 'Model' },
          ...{ propertyReference: await propertyReference(), room: 'Hall' },
        },
      ],
    },
  }),
  getSensorModels: inPath,
  getModelSensors: ofSensorModel(),
  getSensorMapping: ofSensorModel(),
  saveSensorMapping: ofNewSensorModel({ version: 2, rows: [{ path: 'temperature', to: 'unused' }] }),
  restoreMappingSuggestions: ofNewSensorModel(),
  getMappingVersions: ofSensorModel(),
  restoreMappingVersion: async ({ tenant, newSensorModel }) => ({
    params: { tenant, modelId: await newSensorModel(), version: '1' },
  }),
  getCodecVersions: ofSensorModel(),
  saveCodecVersion: ofNewSensorModel({ source: 'function decodeUplink() { return { data: { a: 1 } } }' }),
  tryCodecVersion: ({ tenant, sensorModel }) => ({ params: { tenant, modelId: sensorModel, version: '1' } }),
  activateCodecVersion: async ({ tenant, newSensorModel }) => ({
    params: { tenant, modelId: await newSensorModel(), version: '1' },
  }),
  rollBackCodec: ofNewSensorModel(),
  decodeMessagesAgain: ofSensorModel(),
  sendWebhookAgain: async ({ tenant, newWebhook }) => ({ params: { tenant, ...(await newWebhook()) } }),
  listUsers: inPath,
  createUser: ({ tenant }) => ({
    params: { tenant },
    body: { name: 'Sam Green', email: `fresh${++counter}@new.test`, role: 'Guest', tags: [] },
  }),
  updateUserDetails: async ({ tenant, newUser }) => ({
    params: { tenant, id: await newUser() },
    body: { name: 'Sam Green', email: `fresh${++counter}@new.test` },
  }),
  updateUserTags: async ({ tenant, newUser, accessRightsTag }) => ({
    params: { tenant, id: await newUser() },
    body: { tags: [accessRightsTag] },
  }),
  updateUserRole: async ({ tenant, newUser }) => ({
    params: { tenant, id: await newUser() },
    body: { role: 'LightingEngineer' },
  }),
  deleteUser: async ({ tenant, newKeyMaker }) => ({ params: { tenant, id: await newKeyMaker() } }),
  endUserSessions: async ({ tenant, newUser }) => ({ params: { tenant, id: await newUser() } }),
  startViewing: async ({ tenant, newUser }) => ({ params: { tenant, id: await newUser() } }),
  endViewing: async ({ tenant, newViewing }) => ({ params: { tenant, viewingId: await newViewing() } }),
  getPersonalDataReads: ({ tenant, property: propertyId }) => ({ params: { tenant }, query: { propertyId } }),
  exportPersonalDataReads: ({ tenant, property: propertyId }) => ({ params: { tenant }, query: { propertyId } }),
  resetUserSecondFactor: async ({ tenant, newUser }) => ({ params: { tenant, id: await newUser() } }),
  resetUserPassword: async ({ tenant, newUser }) => ({ params: { tenant, id: await newUser() } }),
}

const newHome = /^\.(awaabsLawHistory|awaabsLawCases|locations|deviceTags)$/

/** Lists in responses that are empty although the tenant has one of everything, by path. */
export const emptyOnPurpose: Record<string, RegExp> = {
  // As sent by the example.
  addReportSchedule: /^\.recipients$/,
  updateReportSchedule: /^\.recipients$/,
  // A new connection has none.
  addSsoConnection: /^\.domains$/,
  // Its boiler works.
  getPropertyVoid: /^\.lockedOut$/,
  askVoidAgain: /^\.lockedOut$/,
  streamChanges: /^\.changes$/,
  // The member with the lowest role that may search sees no properties.
  searchEverything: /^\.data\.properties\.items$/,
  // Named only if the call asks about a user.
  getPersonalDataReads: /^\.results\[\]\.properties$/,
  // As sent by the example.
  createUser: /^\.tags$/,
  createViewDefinition: /^\.data\.(authors|filters|sorts)$/,
  saveDocument: /^\.content\.(filters|sorts)$/,
  startBulkAction: /^\.data\.names$/,
  startPropertyBulkAction: /^\.data\.names$/,
  // Items at one place form a cluster and are listed separately.
  getMapBuildings: /^\.data\.points$/,
  getMapDevices: /^\.data\.points$/,
  // Made-up streets around buildings, in the demo only.
  getMapSketch: /^\.data\.features$/,
  // Alerts that no one has unsubscribed from.
  createAlertDefinition: /^\.data\.left$/,
  updateAlertDefinition: /^\.data\.left$/,
  getAlertDefinitions: /^\.data\.alerts\[\]\.left$/,
  // They cover a product family in the whole client.
  addDefaultAlerts: /^\.data\[\]\.(left|scope\.(buildingIds|tagIds))$/,
  // Every light is charged.
  getConflictingTestSchedules: /^\.data\.question\.charging$/,
  // Values that no one has corrected, and cells left out.
  getImport: /^\.data\.(wishes\.sheets|left)$/,
  // A chart of readings has no events, and none of flow and return has limits.
  getPropertyTelemetryChart: /^\.chart\.(eventSeries|limits)$/,
  // A property without devices or history.
  addProperty: newHome,
  archiveProperty: newHome,
  bringBackProperty: newHome,
  // It has received nothing yet.
  addConnection: /^\.connection\.errorsByReason$/,
  // Test installations require a second factor for no role unless the client does.
  getSignInPolicy: /^\.secondFactorRoles$/,
  // Fields of any changed item.
  getAudit: /\.(before|after)\./,
}
/** Paths of the errors of a rejected call. */
export const complaints = /\.(domainErrors|validationErrors)$/
