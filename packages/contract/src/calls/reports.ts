import type { Call } from '../call.ts'

const ofRuns = '/api/tenants/{tenant}/reports/runs'
const ofSchedules = '/api/tenants/{tenant}/reports/schedules'

export const getReports = {
  method: 'GET',
  path: '/api/tenants/{tenant}/reports',
  may: 'see reports',
} as const satisfies Call

export const getMonthlyReport = {
  method: 'GET',
  path: '/api/reports/{tenant}/{reportType}/{year}/{month}',
  may: 'see reports',
  file: 'application/octet-stream',
} as const satisfies Call

export const getReport = {
  method: 'POST',
  path: '/api/reports/{tenant}',
  may: 'see reports',
  file: 'application/octet-stream',
} as const satisfies Call

export const startReport = { method: 'POST', path: ofRuns, may: 'see reports' } as const satisfies Call

export const getReportRuns = { method: 'GET', path: ofRuns, may: 'see reports' } as const satisfies Call

export const getReportFile = {
  method: 'GET',
  path: `${ofRuns}/{runId}/file`,
  may: 'see reports',
  file: 'application/octet-stream',
} as const satisfies Call

export const deleteReportRun = {
  method: 'DELETE',
  path: `${ofRuns}/{runId}`,
  may: 'see reports',
} as const satisfies Call

export const getReportSchedules = { method: 'GET', path: ofSchedules, may: 'schedule reports' } as const satisfies Call

export const addReportSchedule = { method: 'POST', path: ofSchedules, may: 'schedule reports' } as const satisfies Call

export const updateReportSchedule = {
  method: 'PUT',
  path: `${ofSchedules}/{scheduleId}`,
  may: 'schedule reports',
} as const satisfies Call

export const deleteReportSchedule = {
  method: 'DELETE',
  path: `${ofSchedules}/{scheduleId}`,
  may: 'schedule reports',
} as const satisfies Call
