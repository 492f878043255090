import type { Call } from '../call.ts'

export const getProductNames = {
  method: 'GET',
  path: '/api/devices/productnames',
  may: 'signed in',
} as const satisfies Call

export const getEquipmentLists = {
  method: 'POST',
  path: '/api/GetEquipmentLists',
  may: 'enter tenant',
} as const satisfies Call
