import type { Call } from '../call.ts'

export const getBoilerRecords = {
  method: 'POST',
  path: '/api/GetBoilerRecords',
  may: 'see device',
} as const satisfies Call

export const getComplianceFigures = {
  method: 'POST',
  path: '/api/GetComplianceFigures',
  may: 'see boilers',
} as const satisfies Call

export const changeComplianceFigures = {
  method: 'POST',
  path: '/api/ChangeComplianceFigures',
  may: 'change compliance figures',
} as const satisfies Call

export const addBoilerGasSafetyRecord = {
  method: 'POST',
  path: '/api/AddBoilerGasSafetyRecord',
  may: 'add boiler record',
} as const satisfies Call

export const addBoilerWaterTreatmentRecord = {
  method: 'POST',
  path: '/api/AddBoilerWaterTreatmentRecord',
  may: 'add boiler record',
} as const satisfies Call

export const addBoilerRecordAttachment = {
  method: 'POST',
  path: '/api/AddBoilerRecordAttachment',
  may: 'add boiler record',
} as const satisfies Call

export const takeBackBoilerRecord = {
  method: 'POST',
  path: '/api/TakeBackBoilerRecord',
  may: 'add boiler record',
} as const satisfies Call

export const getBoilerRecordAttachment = {
  method: 'GET',
  path: '/api/GetBoilerRecordAttachment',
  may: 'see device',
  file: 'application/octet-stream',
} as const satisfies Call

export const withdrawBoilerRecord = {
  method: 'POST',
  path: '/api/WithdrawBoilerRecord',
  may: 'add boiler record',
} as const satisfies Call
