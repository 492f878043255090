import type { Call } from '../call.ts'

export const fetchViewData = { method: 'POST', path: '/api/FetchViewData', may: 'enter tenant' } as const satisfies Call

export const getFieldChoices = {
  method: 'POST',
  path: '/api/GetFieldChoices',
  may: 'enter tenant',
} as const satisfies Call

export const exportListing = {
  method: 'POST',
  path: '/api/ExportListing',
  may: 'enter tenant',
  file: 'application/octet-stream',
} as const satisfies Call

export const shouldUpdateView = {
  method: 'POST',
  path: '/api/ShouldUpdateView',
  may: 'enter tenant',
} as const satisfies Call

export const getEmered = { method: 'POST', path: '/api/GetEmered', may: 'see lighting' } as const satisfies Call

export const getNetworkingDevice = {
  method: 'POST',
  path: '/api/GetNetworkingDevice',
  may: 'see networking',
} as const satisfies Call

export const getThirdPartyDevice = {
  method: 'POST',
  path: '/api/GetThirdPartyDevice',
  may: 'see third party',
} as const satisfies Call

export const updateDeviceBuildingLocation = {
  method: 'POST',
  path: '/api/UpdateDeviceBuildingLocation',
  may: 'place device',
} as const satisfies Call

export const updateDeviceGeoLocation = {
  method: 'POST',
  path: '/api/UpdateDeviceGeoLocation',
  may: 'place device',
} as const satisfies Call

export const shouldUpdateDevice = {
  method: 'POST',
  path: '/api/ShouldUpdateDevice',
  may: 'see device',
} as const satisfies Call

export const getMapPoints = { method: 'POST', path: '/api/GetMapPoints', may: 'see maps' } as const satisfies Call

export const getFloorDevices = { method: 'POST', path: '/api/GetFloorDevices', may: 'see maps' } as const satisfies Call

export const getDevicesWithoutFloor = {
  method: 'POST',
  path: '/api/GetDevicesWithoutFloor',
  may: 'see buildings',
} as const satisfies Call
