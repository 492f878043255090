import type { Call } from '../call.ts'

const path = '/api/tenants/{tenant}/properties/{propertyId}'

export const getPropertySafety = {
  method: 'GET',
  path: `${path}/safety`,
  may: 'see properties',
} as const satisfies Call

export const addHomeAppliance = {
  method: 'POST',
  path: `${path}/appliances`,
  may: 'edit property',
} as const satisfies Call

export const removeHomeAppliance = {
  method: 'POST',
  path: `${path}/appliances/{applianceId}/remove`,
  may: 'edit property',
} as const satisfies Call

export const getHomeApplianceRecords = {
  method: 'GET',
  path: `${path}/appliances/{applianceId}/records`,
  may: 'see properties',
} as const satisfies Call

export const addHomeApplianceRecord = {
  method: 'POST',
  path: '/api/AddHomeApplianceRecord',
  may: 'edit property',
} as const satisfies Call

export const withdrawHomeApplianceRecord = {
  method: 'POST',
  path: `${path}/appliances/{applianceId}/records/{recordId}/withdraw`,
  may: 'edit property',
} as const satisfies Call

export const getHomeApplianceCertificate = {
  method: 'GET',
  path: '/api/GetHomeApplianceCertificate',
  may: 'see properties',
  file: 'application/octet-stream',
} as const satisfies Call
