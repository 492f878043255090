import type { Call } from '../call.ts'

export const getBoiler = { method: 'POST', path: '/api/GetBoiler', may: 'see boilers' } as const satisfies Call

export const updateChSetPoint = {
  method: 'POST',
  path: '/api/UpdateChSetPoint',
  may: 'edit boiler',
} as const satisfies Call

export const toggleCHAccess = {
  method: 'POST',
  path: '/api/ToggleCHAccess',
  may: 'edit boiler',
} as const satisfies Call

export const toggleBoilerBuzzer = {
  method: 'POST',
  path: '/api/ToggleBoilerBuzzer',
  may: 'edit boiler',
} as const satisfies Call

export const updateOccupierAddress = {
  method: 'POST',
  path: '/api/UpdateOccupierAddress',
  may: 'edit boiler',
} as const satisfies Call

export const updateOccupierId = {
  method: 'POST',
  path: '/api/UpdateOccupierId',
  may: 'edit boiler',
} as const satisfies Call

export const putBcmSettings = {
  method: 'PUT',
  path: '/api/tenants/{tenant}/bcms/{id}/settings',
  may: 'edit boiler',
} as const satisfies Call

export const patchBcmSettings = {
  method: 'PATCH',
  path: '/api/tenants/{tenant}/bcms/{id}/settings',
  may: 'edit boiler',
} as const satisfies Call

export const putPowerSwitchSettings = {
  method: 'PUT',
  path: '/api/tenants/{tenant}/powerswitches/{id}/settings',
  may: 'switch relay',
} as const satisfies Call

export const patchPowerSwitchSettings = {
  method: 'PATCH',
  path: '/api/tenants/{tenant}/powerswitches/{id}/settings',
  may: 'switch relay',
} as const satisfies Call
