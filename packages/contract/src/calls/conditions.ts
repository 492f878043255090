import type { Call } from '../call.ts'

/** The longest note or interim measure, in characters. */
export const noteText = 500

export const getDeviceConditions = {
  method: 'POST',
  path: '/api/GetDeviceConditions',
  may: 'see device',
} as const satisfies Call

export const setDeviceCondition = {
  method: 'POST',
  path: '/api/SetDeviceCondition',
  may: 'set condition',
} as const satisfies Call

export const endDeviceCondition = {
  method: 'POST',
  path: '/api/EndDeviceCondition',
  may: 'set condition',
} as const satisfies Call

export const updateInterimMeasure = {
  method: 'POST',
  path: '/api/UpdateInterimMeasure',
  may: 'set condition',
} as const satisfies Call

export const recordDeviceRepair = {
  method: 'POST',
  path: '/api/RecordDeviceRepair',
  may: 'set condition',
} as const satisfies Call
