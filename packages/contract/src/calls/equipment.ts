import type { Call } from '../call.ts'

export const updateEmeredLuminaire = {
  method: 'POST',
  path: '/api/UpdateEmeredLuminaire',
  may: 'equip light',
} as const satisfies Call

export const updateEmeredMonitoredLedCircuit = {
  method: 'POST',
  path: '/api/UpdateEmeredMonitoredLedCircuit',
  may: 'equip light',
} as const satisfies Call

export const updateEmeredOperation = {
  method: 'POST',
  path: '/api/UpdateEmeredOperation',
  may: 'equip light',
} as const satisfies Call

export const getStandardLuminaires = {
  method: 'POST',
  path: '/api/GetStandardLuminaires',
  may: 'see lighting',
} as const satisfies Call

export const addStandardLuminaire = {
  method: 'POST',
  path: '/api/AddStandardLuminaire',
  may: 'manage standard luminaires',
} as const satisfies Call

export const deleteStandardLuminaire = {
  method: 'POST',
  path: '/api/DeleteStandardLuminaire',
  may: 'manage standard luminaires',
} as const satisfies Call

const limitsPath = '/api/tenants/{tenant}/BatteryLimits'

export const getBatteryLimits = { method: 'GET', path: limitsPath, may: 'see lighting' } as const satisfies Call

export const putBatteryLimits = {
  method: 'PUT',
  path: limitsPath,
  may: 'manage standard luminaires',
} as const satisfies Call
