import type { Call } from '../call.ts'

export const getMapDevices = { method: 'POST', path: '/api/GetMapDevices', may: 'see maps' } as const satisfies Call

export const getMapBuildings = {
  method: 'POST',
  path: '/api/GetMapBuildings',
  may: 'see buildings',
} as const satisfies Call

export const getMapDevicesExtent = {
  method: 'POST',
  path: '/api/GetMapDevicesExtent',
  may: 'see maps',
} as const satisfies Call

export const getMapBuildingsExtent = {
  method: 'POST',
  path: '/api/GetMapBuildingsExtent',
  may: 'see buildings',
} as const satisfies Call

export const getMapBuilding = { method: 'POST', path: '/api/GetMapBuilding', may: 'see maps' } as const satisfies Call

export const getMapSketch = { method: 'POST', path: '/api/GetMapSketch', may: 'see maps' } as const satisfies Call
