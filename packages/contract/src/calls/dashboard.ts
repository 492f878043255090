import type { Call } from '../call.ts'

export const getTenantDashboardData = {
  method: 'POST',
  path: '/api/GetTenantDashboardData',
  may: 'enter tenant',
} as const satisfies Call

export const getWorklist = { method: 'POST', path: '/api/GetWorklist', may: 'enter tenant' } as const satisfies Call

export const getThirdPartySummary = {
  method: 'GET',
  path: '/api/tenants/{tenant}/summary/adey',
  may: 'see third party',
} as const satisfies Call

export const getDashboardSummary = {
  method: 'GET',
  path: '/api/dashboard/{path}',
  may: 'see third party',
} as const satisfies Call

export const getBcms = { method: 'GET', path: '/api/tenants/{tenant}/bcms', may: 'see boilers' } as const satisfies Call

export const getBcm = {
  method: 'GET',
  path: '/api/tenants/{tenant}/bcms/{id}',
  may: 'see boilers',
} as const satisfies Call

export const getGateways = {
  method: 'GET',
  path: '/api/tenants/{tenant}/gateways',
  may: 'enter tenant',
} as const satisfies Call

export const getMultidots = {
  method: 'GET',
  path: '/api/tenants/{tenant}/multidots',
  may: 'see sensors',
} as const satisfies Call

export const getVstats = {
  method: 'GET',
  path: '/api/tenants/{tenant}/vstats',
  may: 'see sensors',
} as const satisfies Call

export const getPowerSwitch = {
  method: 'GET',
  path: '/api/tenants/{tenant}/powerswitches/{id}',
  may: 'see device',
} as const satisfies Call

export const getProperties = {
  method: 'GET',
  path: '/api/tenants/{tenant}/properties',
  may: 'see properties',
} as const satisfies Call

export const getLicenceSummary = {
  method: 'GET',
  path: '/api/tenants/{tenant}/licences/propertySummary',
  may: 'see managed service',
} as const satisfies Call
