import type { Call } from '../call.ts'

const path = '/api/tenants/{tenant}/properties/{propertyId}'

export const fetchProperties = {
  method: 'POST',
  path: '/api/FetchProperties',
  may: 'see properties',
} as const satisfies Call

export const getPropertyChoices = {
  method: 'POST',
  path: '/api/GetPropertyChoices',
  may: 'see properties',
} as const satisfies Call

export const exportProperties = {
  method: 'POST',
  path: '/api/ExportProperties',
  may: 'see properties',
  file: 'application/octet-stream',
} as const satisfies Call

export const getProperty = { method: 'GET', path, may: 'see properties' } as const satisfies Call

export const getPropertyDevices = {
  method: 'GET',
  path: `${path}/devices`,
  may: 'see properties',
} as const satisfies Call

export const putPropertyDetails = {
  method: 'PUT',
  path: `${path}/Details`,
  may: 'edit property',
} as const satisfies Call

export const postPropertyDetails = {
  method: 'POST',
  path: `${path}/Details`,
  may: 'edit property',
} as const satisfies Call

export const putPropertyAddress = {
  method: 'PUT',
  path: `${path}/Addresses`,
  may: 'edit property',
} as const satisfies Call

export const postPropertyAddress = {
  method: 'POST',
  path: `${path}/Addresses`,
  may: 'edit property',
} as const satisfies Call

export const setPropertyAccessRightsTag = {
  method: 'PUT',
  path: `${path}/AccessRightsTag`,
  may: 'set access rights tag of property',
} as const satisfies Call

export const addProperty = {
  method: 'POST',
  path: '/api/tenants/{tenant}/properties',
  may: 'add property',
} as const satisfies Call

export const moveProperty = { method: 'POST', path: `${path}/Move`, may: 'manage properties' } as const satisfies Call

export const archiveProperty = {
  method: 'POST',
  path: `${path}/Archive`,
  may: 'manage properties',
} as const satisfies Call

export const bringBackProperty = {
  method: 'POST',
  path: `${path}/BringBack`,
  may: 'manage properties',
} as const satisfies Call

export const getArchivedProperties = {
  method: 'GET',
  path: '/api/tenants/{tenant}/archived-properties',
  may: 'manage properties',
} as const satisfies Call

export const findAddresses = {
  method: 'GET',
  path: '/api/services/addresses',
  may: 'edit property',
} as const satisfies Call
