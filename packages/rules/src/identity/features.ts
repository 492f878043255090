/** Feature flags by group, set per tenant by an operator; a missing flag is off. */
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

/** The group a feature belongs to, or undefined for a name that is no feature. */
export function groupOf(feature: string): FeatureGroup | undefined {
  return (Object.keys(featureGroups) as FeatureGroup[]).find((group) =>
    (featureGroups[group] as readonly string[]).includes(feature),
  )
}

/** Capabilities by group, set per tenant by an operator; a missing one is off. */
export const capabilityGroups = { Devices: ['EditAccessRightsTags'], Properties: ['ViewProperties'] } as const
export type CapabilityGroup = keyof typeof capabilityGroups
export type Capability = (typeof capabilityGroups)[CapabilityGroup][number]
export const capabilities: readonly Capability[] = Object.values(capabilityGroups).flat()
