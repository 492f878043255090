import type { Call } from '../call.ts'

export const getEmeredGroups = {
  method: 'POST',
  path: '/api/GetEmeredGroups',
  may: 'see test schedules',
} as const satisfies Call

export const getTenantEmeredTestShedules = {
  method: 'POST',
  path: '/api/GetTenantEmeredTestShedules',
  may: 'see test schedules',
} as const satisfies Call

export const getDeviceTestSchedule = {
  method: 'POST',
  path: '/api/GetDeviceTestSchedule',
  may: 'see lighting',
} as const satisfies Call

export const getEmeredGroup = {
  method: 'POST',
  path: '/api/GetEmeredGroup',
  may: 'see test schedules',
} as const satisfies Call

export const getTenantEmereds = {
  method: 'POST',
  path: '/api/GetTenantEmereds',
  may: 'see lighting',
} as const satisfies Call

export const getConflictingTestSchedules = {
  method: 'POST',
  path: '/api/GetConflictingTestSchedules',
  may: 'see test schedules',
} as const satisfies Call

export const addEmeredGroup = {
  method: 'POST',
  path: '/api/AddEmeredGroup',
  may: 'edit test schedules',
} as const satisfies Call

export const updateEmeredGroup = {
  method: 'POST',
  path: '/api/UpdateEmeredGroup',
  may: 'edit test schedules',
} as const satisfies Call

export const deleteEmeredGroup = {
  method: 'POST',
  path: '/api/DeleteEmeredGroup',
  may: 'edit test schedules',
} as const satisfies Call
