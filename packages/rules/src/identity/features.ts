/** Feature flags by group, set per tenant by an operator; missing flags are off. */
export const featureGroups = {
  Properties: [
    'PropertyCentric',
    'ManagedService',
    'HideDeviceTab',
    'PropertyRecords',
    'VoidFlag',
    'Surveys',
    'AuditTab',
    'AwaabsLaw',
    'PropertyContext',
  ],
  System: ['SystemDebug', 'HideCustomerPersonalData'],
  Residents: ['ManageResidentAccess'],
  HomeApp: ['ManageApplication'],
  Boilers: ['HideTelemetryTab', 'HideEditPropertyAndResidentFields', 'NewListingView'],
  Reporting: ['ReportHistory', 'ReportScheduling', 'ReportPageWithTab'],
  Portal: ['HomeHub'],
  Installation: ['BcmAndGatewayDualInstall'],
} as const
export type FeatureGroup = keyof typeof featureGroups
export type Feature = (typeof featureGroups)[FeatureGroup][number]

export const features: readonly Feature[] = Object.values(featureGroups).flat()

/** The group of a feature, or undefined if it does not exist. */
export function groupOf(feature: string): FeatureGroup | undefined {
  return (Object.keys(featureGroups) as FeatureGroup[]).find((group) =>
    (featureGroups[group] as readonly string[]).includes(feature),
  )
}

/** Capabilities by group, set per tenant by an operator; missing ones are off. */
export const capabilityGroups = { Devices: ['EditAccessRightsTags'], Properties: ['ViewProperties'] } as const
export type CapabilityGroup = keyof typeof capabilityGroups
export type Capability = (typeof capabilityGroups)[CapabilityGroup][number]
export const capabilities: readonly Capability[] = Object.values(capabilityGroups).flat()
