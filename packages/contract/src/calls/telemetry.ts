import type { Call } from '../call.ts'

const homePath = '/api/tenants/{tenant}/properties/{propertyId}/telemetry'

export const getDeviceTelemetryCharts = {
  method: 'POST',
  path: '/api/GetDeviceTelemetryCharts',
  may: 'see device',
} as const satisfies Call

export const getDeviceMetrics = {
  method: 'POST',
  path: '/api/getDeviceMetrics',
  may: 'see device',
} as const satisfies Call

/** Limits of a call for several devices, which bound its database and memory use. */
export const telemetryLimits = { devices: 50, series: 200 } as const

export const getDevicesMetrics = {
  method: 'POST',
  path: '/api/getDevicesMetrics',
  may: 'see device',
} as const satisfies Call

export const getDeviceEvents = {
  method: 'POST',
  path: '/api/getDeviceEvents',
  may: 'see device',
} as const satisfies Call

export const getPropertyTelemetryViews = {
  method: 'GET',
  path: `${homePath}/views`,
  may: 'see properties',
} as const satisfies Call

export const getPropertyTelemetryChart = {
  method: 'GET',
  path: `${homePath}/charts`,
  may: 'see properties',
} as const satisfies Call

export const getPropertyMetrics = {
  method: 'GET',
  path: '/api/tenants/{tenant}/metrics',
  may: 'see properties',
} as const satisfies Call

export const getPropertyEvents = {
  method: 'GET',
  path: '/api/tenants/{tenant}/events',
  may: 'see properties',
} as const satisfies Call

export const getPowerMeter = {
  method: 'GET',
  path: '/api/tenants/{tenant}/powermeters/{deviceId}',
  may: 'see device',
} as const satisfies Call
