import type { Capability, Feature } from './features.ts'

/** The effect of a feature or capability, shown next to its switch. */
export const featureWords: Record<Feature | Capability, string> = {
  PropertyCentric: 'A page for each property; needs ViewProperties.',
  ManagedService: 'Managed service licences for properties.',
  HideDeviceTab: 'Hides the Devices tab on property pages.',
  PropertyRecords: 'A Photographs tab on property pages.',
  VoidFlag: 'Void mode for properties, which limits their heating.',
  Surveys: 'Links to surveys on property pages.',
  AuditTab: 'An Audit tab with all changes on property pages.',
  AwaabsLaw: 'Awaab’s Law cases on property pages.',
  PropertyContext: 'Type, floors, rooms and inhabitants of properties.',
  SystemDebug: "Diagnostics, and editing of the vendor's staff.",
  HideCustomerPersonalData: 'Hides addresses and other personal data of residents.',
  ManageResidentAccess: 'Approval of residents’ access requests, under Settings.',
  ManageApplication: 'Savings and tips in the resident app.',
  HideTelemetryTab: 'Hides the Telemetry tab on device pages.',
  HideEditPropertyAndResidentFields: 'Disables editing and positioning of boilers and heat pumps.',
  NewListingView: 'Boilers by heating type, as a grid.',
  ReportHistory: 'Keeps generated reports in My Reports.',
  ReportScheduling: 'Sends monthly reports, managed in My Schedules.',
  ReportPageWithTab: 'Shows My Reports and My Schedules as tabs.',
  HomeHub: 'Home hubs in the menu and in counts.',
  BcmAndGatewayDualInstall:
    'Allows uninstalling the thermostat of a boiler control module in a property with a home hub.',
  EditAccessRightsTags: 'Users other than managers can set access rights tags of devices and properties.',
  ViewProperties: 'Access to properties; needs PropertyCentric.',
}
