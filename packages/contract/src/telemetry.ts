import { z } from 'zod'
import { metricKeys } from '@caretaker/rules/telemetry/metrics.ts'
import { DeviceId, Instant, TenantId, Timestamp } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'

/**
 * One metric of a device over a range. `date` in milliseconds; a null value is a gap: no reading for longer than three
 * reporting intervals. Long ranges are thinned so that every extreme stays.
 */
export const Series = z
  .object({
    dataSeriesId: z.string(),
    metric: z.enum(metricKeys),
    label: z.string(),
    unit: z.string(),
    series: z.array(z.object({ date: z.number(), value: z.number().nullable() })),
    /** The newest reading of all, whatever the range. */
    latest: z.object({ date: z.number(), value: z.number() }).nullable(),
  })
  .meta({ id: 'Series' })
export type Series = z.infer<typeof Series>

export const Chart = z
  .object({
    id: z.string(),
    type: z.enum(['EventTimeline', 'Linear', 'Numeric']),
    title: z.string(),
    units: z.string(),
    gridWidth: z.number().int().min(1).max(12),
    metrics: z.array(z.enum(metricKeys)),
    dataSeries: z.array(Series),
  })
  .meta({ id: 'Chart' })
export type Chart = z.infer<typeof Chart>

export const getDeviceTelemetryCharts = route({
  method: 'POST',
  path: '/api/GetDeviceTelemetryCharts',
  may: 'see device',
  summary: "The charts of a device's page with the readings of the last week.",
  body: z.object({ tenant: TenantId, deviceId: DeviceId }),
  reply: envelope(z.object({ from: Timestamp, to: Timestamp, charts: z.array(Chart) })),
})

export const getDeviceMetrics = route({
  method: 'POST',
  path: '/api/getDeviceMetrics',
  may: 'see device',
  summary: 'Metrics of a device over a range.',
  body: z
    .object({
      tenant: TenantId,
      deviceId: DeviceId,
      from: Instant,
      to: Instant,
      metrics: z.array(z.enum(metricKeys)).min(1).max(20),
    })
    .refine((range) => range.from < range.to, { path: ['to'], message: 'must be after from' }),
  reply: envelope(z.array(Series)),
})

/** Bounds of one call for several devices: what it may take of the database and of memory. */
export const telemetryLimits = { devices: 50, series: 200 } as const

export const getDevicesMetrics = route({
  method: 'POST',
  path: '/api/getDevicesMetrics',
  may: 'see device',
  summary: 'Metrics of several devices over a range; refused with 404 when one of the devices is not found.',
  body: z
    .object({
      tenant: TenantId,
      from: Instant,
      to: Instant,
      devices: z
        .array(z.object({ deviceId: DeviceId, metrics: z.array(z.enum(metricKeys)).min(1).max(20) }))
        .min(1)
        .max(telemetryLimits.devices),
    })
    .refine((range) => range.from < range.to, { path: ['to'], message: 'must be after from' })
    .refine(({ devices }) => devices.reduce((sum, one) => sum + one.metrics.length, 0) <= telemetryLimits.series, {
      path: ['devices'],
      message: `must not ask for more than ${telemetryLimits.series} metrics in all`,
    }),
  /** In the order of the call. */
  reply: envelope(z.array(z.object({ deviceId: DeviceId, series: z.array(Series) }))),
})

export const DeviceEvent = z
  .object({
    eventId: z.string(),
    start: Timestamp,
    end: Timestamp.nullable(),
    severity: z.enum(['Low', 'Medium', 'High']),
    category: z.string(),
    description: z.string(),
  })
  .meta({ id: 'DeviceEvent' })

export const getDeviceEvents = route({
  method: 'POST',
  path: '/api/getDeviceEvents',
  may: 'see device',
  summary: 'Events of a device that touch a range, newest first, at most 1,000.',
  body: z
    .object({ tenant: TenantId, deviceId: DeviceId, from: Instant, to: Instant })
    .refine((range) => range.from < range.to, { path: ['to'], message: 'must be after from' }),
  reply: envelope(z.array(DeviceEvent)),
})
