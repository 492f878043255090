import { z } from 'zod'
import { cardTypes, chartTypes, gridColumns } from '@caretaker/rules/telemetry/cards.ts'
import { severities } from '@caretaker/rules/telemetry/events.ts'
import { metricKeys } from '@caretaker/rules/telemetry/metrics.ts'
import { telemetryViewIds } from '@caretaker/rules/telemetry/views.ts'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import { DeviceId, Id, Instant, TenantId, Timestamp, line } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import * as calls from './calls/telemetry.ts'

export { telemetryLimits } from './calls/telemetry.ts'

/**
 * One metric of a device over a range. `date` is in milliseconds; a null value marks a gap of more than three reporting
 * intervals. Long ranges are thinned out but keep all extremes.
 */
export const Series = z
  .object({
    dataSeriesId: z.string(),
    /** A known metric, or the raw name of an extra series; null for events. */
    metric: z.string().nullable(),
    label: z.string(),
    unit: z.string(),
    series: z.array(z.object({ date: z.number(), value: z.number().nullable() })),
    /** The newest reading, regardless of the range. */
    latest: z.object({ date: z.number(), value: z.number() }).nullable(),
    /**
     * The colour of a room's line, 'series-1' to 'series-6'. A room has the same colour in all charts of its property.
     */
    color: z.string().optional(),
  })
  .meta({ id: 'Series' })
export type Series = z.infer<typeof Series>

const Period = z.object({
  start: Timestamp,
  /** Null for an ongoing event. */
  end: Timestamp.nullable(),
  severity: z.enum(severities),
  category: z.string(),
  description: z.string(),
})

/** A chart. Where a field is null, the readings determine the value. */
export const Chart = z
  .object({
    id: z.string(),
    type: z.enum(chartTypes),
    title: z.string(),
    subTitle: z.string().nullable(),
    /** The name of its values, for the legend or axis. */
    chartLabel: z.string(),
    gridWidth: z.number().int().min(1).max(gridColumns),
    units: z.string(),
    /** The colour of its first line, 'series-1' to 'series-6'; other lines use the following colours. */
    color: z.string().nullable(),
    /** The limits of its axis, unless a reading exceeds them. */
    rangeMin: z.number().nullable(),
    rangeMax: z.number().nullable(),
    /** Limits for its readings, in its unit, with labels. */
    limits: z.array(z.object({ value: z.number(), label: z.string() })),
    hideWhenNoData: z.boolean(),
    /** Whether it shows the difference between its two lines. */
    difference: z.boolean(),
    /**
     * For Linear and Numeric charts. The single point of a Numeric chart is its figure; bars have one point for each
     * day.
     */
    dataSeries: z.array(Series),
    /** The width of its bars, in milliseconds; null for lines. */
    bars: z.number().nullable(),
    /** For a Numeric chart that shows a mean: the days of the range with readings, and all days so far. */
    days: z.object({ read: z.number().int(), of: z.number().int() }).optional(),
    /** The figure of a Numeric chart in the previous period of the same length. */
    before: z.number().nullable(),
    /**
     * For an EventTimeline, newest first: the events that devices reported, by their own categories, commands
     * ('Command') and lost connections ('Connection'). `cardTitle` is the title of the chart, `contextLabel` identifies
     * the device.
     */
    eventSeries: z.array(Period.extend({ eventId: z.string(), cardTitle: z.string(), contextLabel: z.string() })),
    /**
     * The time before which events are missing, because a response contains at most 1,000 events of devices and 300 of
     * each other category; null when complete.
     */
    eventsSince: Timestamp.nullable(),
  })
  .meta({ id: 'Chart' })
export type Chart = z.infer<typeof Chart>

/** Charts that are shown together. */
export const TelemetryView = z
  .object({
    id: z.enum(telemetryViewIds),
    name: z.string(),
    /** Omits cards that are hidden when empty and for which no device has ever reported data. */
    cards: z.array(
      z.object({
        id: z.string(),
        type: z.enum(cardTypes),
        title: z.string(),
        gridWidth: z.number().int().min(1).max(gridColumns),
        hideWhenNoData: z.boolean(),
        /** The devices that it shows. */
        deviceIds: z.array(z.string()),
      }),
    ),
    defaultChartId: z.string(),
  })
  .meta({ id: 'TelemetryView' })
export type TelemetryView = z.infer<typeof TelemetryView>

export const getDeviceTelemetryCharts = route({
  ...calls.getDeviceTelemetryCharts,
  summary:
    'The telemetry views of a device, and the charts of one view over a range; by default, all charts of the first view over the last week. Charts of a property include its other devices that the user may see.',
  body: z
    .object({
      tenant: TenantId,
      deviceId: DeviceId,
      from: Instant.optional(),
      to: Instant.optional(),
      view: z.enum(telemetryViewIds).optional(),
      /** Ids of the requested charts; an empty list requests the views only. */
      charts: z.array(z.string().max(80)).max(60).optional(),
      /** Whether to return the views; false when further charts of known views are requested. */
      views: z.boolean().default(true),
    })
    .refine(({ from, to }) => (from === undefined) === (to === undefined), {
      path: ['to'],
      message: 'from and to must be given together',
    })
    .refine(({ from, to }) => !from || !to || from < to, { path: ['to'], message: 'must be after from' }),
  reply: envelope(
    z.object({
      from: Timestamp,
      to: Timestamp,
      /** Empty when not requested. */
      views: z.array(TelemetryView),
      /** The view of the charts; null for a device without views. */
      view: z.enum(telemetryViewIds).nullable(),
      charts: z.array(Chart),
    }),
  ),
})

export const getDeviceMetrics = route({
  ...calls.getDeviceMetrics,
  summary: 'Metrics of a device over a range.',
  body: z
    .object({
      tenant: TenantId,
      deviceId: DeviceId,
      from: Instant,
      to: Instant,
      metrics: z.array(z.enum(metricKeys)).min(1).max(30),
    })
    .refine((range) => range.from < range.to, { path: ['to'], message: 'must be after from' }),
  reply: envelope(z.array(Series)),
})

export const getDevicesMetrics = route({
  ...calls.getDevicesMetrics,
  summary: 'Metrics of several devices over a range; 404 if one of the devices is not found.',
  body: z
    .object({
      tenant: TenantId,
      from: Instant,
      to: Instant,
      devices: z
        .array(z.object({ deviceId: DeviceId, metrics: z.array(z.enum(metricKeys)).min(1).max(30) }))
        .min(1)
        .max(calls.telemetryLimits.devices),
    })
    .refine((range) => range.from < range.to, { path: ['to'], message: 'must be after from' })
    .refine(
      ({ devices }) => devices.reduce((sum, one) => sum + one.metrics.length, 0) <= calls.telemetryLimits.series,
      {
        path: ['devices'],
        message: `must not request more than ${calls.telemetryLimits.series} metrics in all`,
      },
    ),
  /** In the order of the request. */
  reply: envelope(z.array(z.object({ deviceId: DeviceId, series: z.array(Series) }))),
})

/** `contextLabel` identifies the device. */
export const DeviceEvent = Period.extend({ eventId: z.string(), contextLabel: z.string() }).meta({ id: 'DeviceEvent' })

export const getDeviceEvents = route({
  ...calls.getDeviceEvents,
  summary: 'The events of a device that overlap a range, newest first, up to 1,000.',
  body: z
    .object({ tenant: TenantId, deviceId: DeviceId, from: Instant, to: Instant })
    .refine((range) => range.from < range.to, { path: ['to'], message: 'must be after from' }),
  reply: envelope(z.array(DeviceEvent)),
})

const ofHome = z.object({ tenant: TenantId, propertyId: Id })
const inTenantPath = z.object({ tenant: TenantId })
const isRange = (range: { from: Date; to: Date }) => range.from < range.to
const afterFrom = { path: ['to'], message: 'must be after from' }
/** The start or end of a range in a query: ISO 8601 with offset. */
const At = z.iso.datetime({ offset: true }).transform((value) => new Date(value))

export const getPropertyTelemetryViews = route({
  ...calls.getPropertyTelemetryViews,
  summary: 'The telemetry views of a property with their cards, for its devices that the user may see.',
  params: ofHome,
  reply: z.object({ results: z.array(TelemetryView) }),
})

export const getPropertyTelemetryChart = route({
  ...calls.getPropertyTelemetryChart,
  summary: "One chart of a property's view over a range, with all of its devices.",
  params: ofHome,
  query: z
    .strictObject({ view: z.enum(telemetryViewIds), chart: z.string().max(60), from: At, to: At })
    .refine(isRange, afterFrom),
  reply: z.object({ from: Timestamp, to: Timestamp, chart: Chart }),
})

/** A metric of a device in a property, with the location of the device. */
export const PropertySeries = Series.extend({
  deviceId: z.string(),
  propertyLocationId: z.string().nullable(),
}).meta({ id: 'PropertySeries' })

export const getPropertyMetrics = route({
  ...calls.getPropertyMetrics,
  summary: "One metric of a property's devices over a range; optionally only of the devices at one location.",
  params: inTenantPath,
  query: z
    .strictObject({
      propertyId: Id,
      from: At,
      to: At,
      metricKey: z.enum(metricKeys),
      propertyLocationId: line(200).optional(),
    })
    .refine(isRange, afterFrom),
  reply: z.object({ results: z.array(PropertySeries) }),
})

export const getPropertyEvents = route({
  ...calls.getPropertyEvents,
  summary: "The events of a property's devices in a range, as a list for each device, newest first.",
  params: inTenantPath,
  query: z.strictObject({ propertyId: Id, from: At, to: At }).refine(isRange, afterFrom),
  reply: z.object({ results: z.array(z.object({ deviceId: z.string(), events: z.array(DeviceEvent) })) }),
})

/** A power meter, with its consumption series (estate specification, section 5). */
export const PowerMeter = z
  .object({
    deviceId: z.string(),
    serialNumber: z.string(),
    product: z.enum(productCodes),
    model: z.string(),
    propertyId: z.string().nullable(),
    propertyLocationId: z.string().nullable(),
    /** The circuit that each clamp measures, by clamp number. */
    powerClamps: z.record(z.string(), z.string()).nullable(),
    /** One series for the whole meter, or one for each clamp circuit. */
    series: z.array(z.object({ metricKey: z.enum(metricKeys), label: z.string() })),
  })
  .meta({ id: 'PowerMeter' })

export const getPowerMeter = route({
  ...calls.getPowerMeter,
  summary: 'One power meter, with its clamps.',
  params: z.object({ tenant: TenantId, deviceId: DeviceId }),
  reply: PowerMeter,
})
