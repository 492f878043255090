import type { Call } from '../call.ts'

export const getEmeredRepairForms = {
  method: 'POST',
  path: '/api/GetEmeredRepairForms',
  may: 'see lighting',
} as const satisfies Call

export const getBoilerRepairForms = {
  method: 'POST',
  path: '/api/GetBoilerRepairForms',
  may: 'see boilers',
} as const satisfies Call

export const getLiftMonitorsForms = {
  method: 'POST',
  path: '/api/GetLiftMonitorsForms',
  may: 'see lift monitors',
} as const satisfies Call

export const getPeopleCountersForms = {
  method: 'POST',
  path: '/api/GetPeopleCountersForms',
  may: 'see people counters',
} as const satisfies Call

export const getNetworkDevicesForms = {
  method: 'POST',
  path: '/api/GetNetworkDevicesForms',
  may: 'see networking',
} as const satisfies Call

export const getDeviceRepairForms = {
  method: 'POST',
  path: '/api/GetDeviceRepairForms',
  may: 'see device',
} as const satisfies Call

export const getAllDeviceForms = {
  method: 'POST',
  path: '/api/GetAllDeviceForms',
  may: 'see device',
} as const satisfies Call

export const getDeviceNotes = { method: 'POST', path: '/api/GetDeviceNotes', may: 'see device' } as const satisfies Call

export const boilerRepairForm = {
  method: 'POST',
  path: '/api/BoilerRepairForm',
  may: 'set condition',
} as const satisfies Call

export const emeredRepairForm = {
  method: 'POST',
  path: '/api/EmeredRepairForm',
  may: 'set condition',
} as const satisfies Call

export const addRepairPhoto = {
  method: 'POST',
  path: '/api/AddRepairPhoto',
  may: 'set condition',
} as const satisfies Call

export const getRepairPhoto = {
  method: 'GET',
  path: '/api/GetRepairPhoto',
  may: 'see device',
  file: 'application/octet-stream',
} as const satisfies Call

export const addDeviceNote = { method: 'POST', path: '/api/AddDeviceNote', may: 'write note' } as const satisfies Call
