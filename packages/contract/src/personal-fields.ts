/** Response fields with personal data of the people in a home: where it is, who lives there, notes about it. */
export const personalFields: ReadonlySet<string> = new Set([
  ...['address', 'address1', 'address2', 'address3', 'postcode', 'devicePostcode', 'line1'],
  ...['auth0UserId', 'occupierId', 'numberOfInhabitant', 'note'],
])

/** Calls with such a field, or with a file, that return no personal data of a home, with the reason. */
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
}
