import type { Call } from '../call.ts'

const connections = '/api/internal/tenants/{tenant}/single-sign-on'
const connection = `${connections}/{connectionId}` as const
const domain = `${connection}/domains/{domain}` as const
const may = 'manage sign-in policy'

export const getSsoConnections = { method: 'GET', path: connections, may } as const satisfies Call

export const addSsoConnection = { method: 'POST', path: connections, may } as const satisfies Call

export const updateSsoConnection = { method: 'PUT', path: connection, may } as const satisfies Call

export const replaceSsoSecret = { method: 'PUT', path: `${connection}/secret`, may } as const satisfies Call

export const removeSsoConnection = { method: 'DELETE', path: connection, may } as const satisfies Call

export const testSsoConnection = { method: 'POST', path: `${connection}/test`, may } as const satisfies Call

export const addSsoDomain = { method: 'POST', path: `${connection}/domains`, may } as const satisfies Call

export const verifySsoDomain = { method: 'POST', path: `${domain}/verification`, may } as const satisfies Call

export const removeSsoDomain = { method: 'DELETE', path: domain, may } as const satisfies Call
