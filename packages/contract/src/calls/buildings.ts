import type { Call } from '../call.ts'

export const getTenantBuildings = {
  method: 'POST',
  path: '/api/GetTenantBuildings',
  may: 'see buildings',
} as const satisfies Call

export const getTenantBuildingSummary = {
  method: 'POST',
  path: '/api/GetTenantBuildingSummary',
  may: 'see buildings',
} as const satisfies Call

export const getBuilding = { method: 'POST', path: '/api/GetBuilding', may: 'see buildings' } as const satisfies Call

export const addBuilding = { method: 'POST', path: '/api/AddBuilding', may: 'edit buildings' } as const satisfies Call

export const updateBuilding = {
  method: 'POST',
  path: '/api/UpdateBuilding',
  may: 'edit buildings',
} as const satisfies Call

export const updateFloorPosition = {
  method: 'POST',
  path: '/api/UpdateFloorPosition',
  may: 'edit buildings',
} as const satisfies Call

export const uploadFloorPlan = {
  method: 'POST',
  path: '/api/UploadFloorPlan',
  may: 'edit buildings',
} as const satisfies Call

export const previewFloorPlan = {
  method: 'POST',
  path: '/api/PreviewFloorPlan',
  may: 'edit buildings',
} as const satisfies Call

export const getFloorPlan = {
  method: 'GET',
  path: '/api/GetFloorPlan',
  may: 'see maps',
  file: 'image/svg+xml',
} as const satisfies Call

export const getLatLong = { method: 'POST', path: '/api/GetLatLong', may: 'edit buildings' } as const satisfies Call
