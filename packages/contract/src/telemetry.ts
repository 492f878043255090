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
 * One metric of a device over a range. `date` in milliseconds; a null value is a gap: no reading for longer than three
 * reporting intervals. Long ranges are thinned so that every extreme stays.
 */
export const Series = z
  .object({
    dataSeriesId: z.string(),
    /** A known metric, or the raw name of an extra series; null where it stands for events. */
    metric: z.string().nullable(),
    label: z.string(),
    unit: z.string(),
    series: z.array(z.object({ date: z.number(), value: z.number().nullable() })),
    /** The newest reading of all, whatever the range. */
    latest: z.object({ date: z.number(), value: z.number() }).nullable(),
    /** Of a room's line in a chart, 'series-1' to 'series-6': a room keeps its colour in all charts of its home. */
    color: z.string().optional(),
  })
  .meta({ id: 'Series' })
export type Series = z.infer<typeof Series>

const Period = z.object({
  start: Timestamp,
  /** Null while it goes on. */
  end: Timestamp.nullable(),
  severity: z.enum(severities),
  category: z.string(),
  description: z.string(),
})

/** What a chart shows; what of it is null is left to the readings. */
export const Chart = z
  .object({
    id: z.string(),
    type: z.enum(chartTypes),
    title: z.string(),
    subTitle: z.string().nullable(),
    /** What its values are, for a legend or an axis. */
    chartLabel: z.string(),
    gridWidth: z.number().int().min(1).max(gridColumns),
    units: z.string(),
    /** Of its first line: a colour of series, 'series-1' to 'series-6'; the others follow. */
    color: z.string().nullable(),
    /** Where its axis ends as long as no reading lies beyond. */
    rangeMin: z.number().nullable(),
    rangeMax: z.number().nullable(),
    /** Values that its readings should not pass, in its unit, and what they mean. */
    limits: z.array(z.object({ value: z.number(), label: z.string() })),
    hideWhenNoData: z.boolean(),
    /** Whether it says how far its two lines are apart. */
    difference: z.boolean(),
    /** Linear and Numeric; the one point of a Numeric chart is its figure. Bars have a point for each of their days. */
    dataSeries: z.array(Series),
    /** Whether its points are bars, and how long each of them stands for, in milliseconds. */
    bars: z.number().nullable(),
    /** Of a Numeric chart that is a mean: on how many days of the range there were readings, and how many it has so far. */
    days: z.object({ read: z.number().int(), of: z.number().int() }).optional(),
    /** The figure of a Numeric chart in the period of equal length before. */
    before: z.number().nullable(),
    /**
     * EventTimeline: the newest first, and after what devices told, by categories of their own, what was asked of them ('Command') and
     * when their connection was broken ('Connection'). `cardTitle` is the chart's, `contextLabel` says of which device it is.
     */
    eventSeries: z.array(Period.extend({ eventId: z.string(), cardTitle: z.string(), contextLabel: z.string() })),
    /**
     * Of what began before this some is left out, because more went on than one answer holds (1,000 events of devices, 300 of each other
     * category); null where all is told.
     */
    eventsSince: Timestamp.nullable(),
  })
  .meta({ id: 'Chart' })
export type Chart = z.infer<typeof Chart>

/** Charts that are looked at together. */
export const TelemetryView = z
  .object({
    id: z.enum(telemetryViewIds),
    name: z.string(),
    /** Without those that are hidden where there are no data and for which no device has ever reported any. */
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
    "The telemetry views of a device's page, and the charts of one of them over a range: the first view, all of its charts and the last week unless the call says otherwise. Charts of a home show its other devices too, as far as the person sees them.",
  body: z
    .object({
      tenant: TenantId,
      deviceId: DeviceId,
      from: Instant.optional(),
      to: Instant.optional(),
      view: z.enum(telemetryViewIds).optional(),
      /** Ids of the charts that are wanted; an empty list asks for the views alone. */
      charts: z.array(z.string().max(80)).max(60).optional(),
      /** Whether the views are told: who asks for one chart after the other knows them. */
      views: z.boolean().default(true),
    })
    .refine(({ from, to }) => (from === undefined) === (to === undefined), {
      path: ['to'],
      message: 'from and to are given together',
    })
    .refine(({ from, to }) => !from || !to || from < to, { path: ['to'], message: 'must be after from' }),
  reply: envelope(
    z.object({
      from: Timestamp,
      to: Timestamp,
      /** Empty where the call does not want them. */
      views: z.array(TelemetryView),
      /** The view that the charts are of; null for a device without any. */
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
  summary: 'Metrics of several devices over a range; refused with 404 when one of the devices is not found.',
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
        message: `must not ask for more than ${calls.telemetryLimits.series} metrics in all`,
      },
    ),
  /** In the order of the call. */
  reply: envelope(z.array(z.object({ deviceId: DeviceId, series: z.array(Series) }))),
})

/** `contextLabel` says of which device it is. */
export const DeviceEvent = Period.extend({ eventId: z.string(), contextLabel: z.string() }).meta({ id: 'DeviceEvent' })

export const getDeviceEvents = route({
  ...calls.getDeviceEvents,
  summary: 'Events of a device that touch a range, newest first, at most 1,000.',
  body: z
    .object({ tenant: TenantId, deviceId: DeviceId, from: Instant, to: Instant })
    .refine((range) => range.from < range.to, { path: ['to'], message: 'must be after from' }),
  reply: envelope(z.array(DeviceEvent)),
})

const ofHome = z.object({ tenant: TenantId, propertyId: Id })
const inTenantPath = z.object({ tenant: TenantId })
const isRange = (range: { from: Date; to: Date }) => range.from < range.to
const afterFrom = { path: ['to'], message: 'must be after from' }
/** A range in the query of a call: ISO 8601 with offset. */
const At = z.iso.datetime({ offset: true }).transform((value) => new Date(value))

export const getPropertyTelemetryViews = route({
  ...calls.getPropertyTelemetryViews,
  summary:
    'The telemetry views of a property, and which cards each has, of its devices as far as the person sees them.',
  params: ofHome,
  reply: z.object({ results: z.array(TelemetryView) }),
})

export const getPropertyTelemetryChart = route({
  ...calls.getPropertyTelemetryChart,
  summary: 'One chart of a view of a property over a range: all of its devices in one call.',
  params: ofHome,
  query: z
    .strictObject({ view: z.enum(telemetryViewIds), chart: z.string().max(60), from: At, to: At })
    .refine(isRange, afterFrom),
  reply: z.object({ from: Timestamp, to: Timestamp, chart: Chart }),
})

/** A metric of a device of a property, and where in it the device is. */
export const PropertySeries = Series.extend({
  deviceId: z.string(),
  propertyLocationId: z.string().nullable(),
}).meta({ id: 'PropertySeries' })

export const getPropertyMetrics = route({
  ...calls.getPropertyMetrics,
  summary: 'One metric of the devices of a property over a range, or of those at one place of it.',
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
  summary:
    'What went on with the devices of a property in a range: a series of events for each device, the newest first.',
  params: inTenantPath,
  query: z.strictObject({ propertyId: Id, from: At, to: At }).refine(isRange, afterFrom),
  reply: z.object({ results: z.array(z.object({ deviceId: z.string(), events: z.array(DeviceEvent) })) }),
})

/** A power meter, and in which series it tells what is consumed (estate specification, section 5). */
export const PowerMeter = z
  .object({
    deviceId: z.string(),
    serialNumber: z.string(),
    product: z.enum(productCodes),
    model: z.string(),
    propertyId: z.string().nullable(),
    propertyLocationId: z.string().nullable(),
    /** What each clamp measures, by its number. */
    powerClamps: z.record(z.string(), z.string()).nullable(),
    /** One series for all, or one for each clamp circuit. */
    series: z.array(z.object({ metricKey: z.enum(metricKeys), label: z.string() })),
  })
  .meta({ id: 'PowerMeter' })

export const getPowerMeter = route({
  ...calls.getPowerMeter,
  summary: 'One power meter, with its clamps.',
  params: z.object({ tenant: TenantId, deviceId: DeviceId }),
  reply: PowerMeter,
})
