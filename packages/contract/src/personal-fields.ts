/** Response fields with personal data of the people in a property: where it is, who lives there, notes about it. */
export const personalFields: ReadonlySet<string> = new Set([
  ...['address', 'address1', 'address2', 'address3', 'postcode', 'devicePostcode', 'line1'],
  ...['auth0UserId', 'occupierId', 'numberOfInhabitant', 'note'],
])

/**
 * Response fields that can contain anything: text that a user wrote, or a person's name or e-mail address. A call that
 * returns one declares in `fields` which of them are about a property.
 */
export const fieldsOfAnyContent: ReadonlySet<string> = new Set(['text', 'description', 'name', 'email'])

const because = (reason: string, ...calls: string[]) => Object.fromEntries(calls.map((call) => [call, reason]))

/** Calls with such a field, or with a file, that return no personal data of a property, with the reason. */
export const withoutPersonalData: Readonly<Record<string, string>> = {
  findAddresses: 'The addresses of a postcode are public.',
  getDeviceConditions: 'The note is about the equipment.',
  getEmeredGroups: 'The address is that of a building.',
  getBuilding: 'The address is that of a building.',
  getTenantBuildings: 'The address is that of a building.',
  getTenantBuildingSummary: 'The address is that of a building.',
  getMapBuilding: 'The address is that of a building.',
  getMapBuildings: 'The address is that of a building.',
  getAlertDefinitions: 'The address is that of an e-mail recipient.',
  getAppResident: 'The resident reads their own data in the resident app.',
  exportAllTests: 'Tests of emergency lights in buildings.',
  exportPartsList: 'Parts of emergency lights in buildings.',
  getFloorPlan: 'The plan of a floor of a building.',
  getImportTemplate: 'An empty template.',
  makeImportKeys: 'Keys of devices, by serial number.',
  showUnsubscribe: 'A page for the recipient of an e-mail.',
  unsubscribeFromAlert: 'A page for the recipient of an e-mail.',
  ...because(
    'Names and e-mail addresses of the client, its users and its software.',
    ...['getSession', 'getTenants', 'getTenantInfo', 'getTenantSetup', 'listTenants', 'listUsers', 'getClientSettings'],
    ...['getAccountSecurity', 'getFeatures', 'getSsoConnections', 'getProvisioning', 'getApiKeys', 'getWebhooks'],
    ...['getSystemStatus', 'getReports', 'getReportSchedules'],
  ),
  ...because(
    'Names and texts of products, tags, views, models and connections.',
    ...['getProductNames', 'getDeviceTags', 'getSelectionTags', 'getTenantTags', 'getPropertyTelemetryViews'],
    ...['getStandardLuminaires', 'getPartsList', 'getCodecVersions', 'getConnection', 'getConnections'],
    ...[
      'getConnectionTest',
      'getMappingVersions',
      'getNewSensors',
      'getSensorMapping',
      'getSensorModels',
      'getModelSensors',
    ],
    ...['getMapSketch', 'getConflictingTestSchedules'],
  ),
  ...because(
    'Equipment names, and texts about the equipment that the server writes.',
    ...[
      'getBoilerFaults',
      'getDeviceEvents',
      'getPropertyEvents',
      'getDeviceTelemetryCharts',
      'getPropertyTelemetryChart',
    ],
    ...[
      'getPropertyDevices',
      'getDeviceCommands',
      'getGateways',
      'getMultidots',
      'getPowerSwitch',
      'getPropertySafety',
    ],
    ...['getPropertyVoid'],
  ),
  ...because('The name of a certificate.', 'getBoilerRecords', 'getHomeApplianceRecords'),
  ...because('The name of a file and of its columns.', 'getImport', 'getImports'),
  getPersonalDataReads: 'The log itself.',
}
