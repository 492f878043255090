import type { Capability, Feature } from './features.ts'

/** What a feature or capability gives a client, shown beside its switch. */
export const featureWords: Record<Feature | Capability, string> = {
  PropertyCentric: 'Homes with a page each, together with ViewProperties.',
  ManagedService: 'Licences of homes for managed services.',
  HideDeviceTab: 'Takes the Devices tab off the page of a home.',
  PropertyRecords: 'Photographs of a home, in a tab of its page.',
  VoidFlag: 'Homes can be void, and their heating follows.',
  Surveys: 'Links to surveys on the page of a home.',
  AuditTab: 'Who changed what of a home, in a tab of its page.',
  AwaabsLaw: 'Awaab’s Law on the page of a home.',
  PropertyContext: 'Kind, floors, rooms and inhabitants of a home.',
  SystemDebug: 'Diagnostics; the vendor’s staff can be changed as users.',
  HideCustomerPersonalData: 'Hides addresses and what else tells of residents.',
  ManageResidentAccess: 'Residents who ask for access, under Settings.',
  ManageApplication: 'Savings and tips of the resident app.',
  HideTelemetryTab: 'Takes the Telemetry tab off the pages of devices.',
  HideEditPropertyAndResidentFields: 'Takes away editing and placing of boilers and heat pumps.',
  NewListingView: 'Boilers by heating type, as a grid.',
  ReportHistory: 'My Reports keeps what was written.',
  ReportScheduling: 'My Schedules sends a report each month.',
  ReportPageWithTab: 'Shows My Reports and My Schedules as tabs.',
  HomeHub: 'Home hubs in the menu and among the counts.',
  BcmAndGatewayDualInstall: 'A thermostat of a boiler control module beside a home hub can be uninstalled.',
  EditAccessRightsTags: 'Others than managers set access rights tags of devices and homes.',
  ViewProperties: 'Homes can be seen, together with PropertyCentric.',
}
