import { lazy } from 'react'

/** Tabs that several kinds of devices share; each is fetched when it is opened first. */
export const History = lazy(async () => ({ default: (await import('./history/history.tsx')).History }))
export const Maintenance = lazy(async () => ({ default: (await import('./maintenance/maintenance.tsx')).Maintenance }))
export const Telemetry = lazy(async () => ({ default: (await import('./telemetry.tsx')).DeviceTelemetry }))
export const Debug = lazy(async () => ({ default: (await import('./debug/debug.tsx')).Debug }))
export const Messages = lazy(async () => ({ default: (await import('./messages/messages.tsx')).Messages }))
