/** Thermostat wirings (core and devices specifications, section 3): key and label. */
export const thermostatWirings = {
  none: 'None',
  busToBoiler: 'Bus thermostat connected to boiler (non-OpenTherm)',
  thirdPartyOpenTherm: 'Third-party OpenTherm thermostat connected to BCM',
  ownBrandOpenTherm: 'Own-brand OpenTherm thermostat connected to BCM',
  callForHeatToBoiler: 'Call-for-heat thermostat connected to boiler',
  callForHeatToBcm: 'Call-for-heat thermostat connected to BCM',
} as const
export type ThermostatWiring = keyof typeof thermostatWirings
