import type { Call } from '../call.ts'

export const getAllDeviceTests = {
  method: 'POST',
  path: '/api/GetAllDeviceTests',
  may: 'see lighting',
} as const satisfies Call

export const getAllTests = { method: 'POST', path: '/api/GetAllTests', may: 'see lighting' } as const satisfies Call

export const exportAllTests = {
  method: 'POST',
  path: '/api/ExportAllTests',
  may: 'see lighting',
  file: 'text/csv; charset=utf-8',
} as const satisfies Call

export const getTestMonths = { method: 'POST', path: '/api/GetTestMonths', may: 'see lighting' } as const satisfies Call

export const getTestOverview = {
  method: 'POST',
  path: '/api/GetTestOverview',
  may: 'see lighting',
} as const satisfies Call

export const updateTestResult = {
  method: 'POST',
  path: '/api/UpdateTestResult',
  may: 'correct test results',
} as const satisfies Call

export const disputeTestResult = {
  method: 'POST',
  path: '/api/DisputeTestResult',
  may: 'dispute test results',
} as const satisfies Call

export const decideTestDispute = {
  method: 'POST',
  path: '/api/DecideTestDispute',
  may: 'correct test results',
} as const satisfies Call

export const getDeviceTestRuns = {
  method: 'POST',
  path: '/api/GetDeviceTestRuns',
  may: 'see lighting',
} as const satisfies Call

export const runTest = { method: 'POST', path: '/api/RunTest', may: 'flick test' } as const satisfies Call

export const stopLightTest = { method: 'POST', path: '/api/StopTest', may: 'flick test' } as const satisfies Call
export const withdrawTest = { method: 'POST', path: '/api/WithdrawTest', may: 'flick test' } as const satisfies Call

export const getTestNights = { method: 'POST', path: '/api/GetTestNights', may: 'see lighting' } as const satisfies Call

export const runT0Test = { method: 'POST', path: '/api/RunT0Test', may: 'flick test' } as const satisfies Call

export const getDeviceCommands = {
  method: 'POST',
  path: '/api/GetDeviceCommands',
  may: 'see device',
} as const satisfies Call

export const takeBackCommand = {
  method: 'POST',
  path: '/api/TakeBackCommand',
  may: 'see device',
} as const satisfies Call
