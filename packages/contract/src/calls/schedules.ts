import type { Call } from '../call.ts'

const path = '/api/tenants/{tenant}/devices/{deviceId}/schedules'

export const getThermostatSchedules = { method: 'GET', path, may: 'see sensors' } as const satisfies Call

export const sendThermostatSchedule = { method: 'POST', path, may: 'set schedule' } as const satisfies Call
