import { lazily } from '../ui/lazily.tsx'

/** Tabs shared by several kinds of devices, loaded on first use. */
export const History = lazily(async () => (await import('./history/history.tsx')).History)
export const Maintenance = lazily(async () => (await import('./maintenance/maintenance.tsx')).Maintenance)
export const Telemetry = lazily(async () => (await import('./telemetry.tsx')).DeviceTelemetry)
export const Debug = lazily(async () => (await import('./debug/debug.tsx')).Debug)
export const Messages = lazily(async () => (await import('./messages/messages.tsx')).Messages)
