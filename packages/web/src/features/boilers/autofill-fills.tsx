import { useMemo, useState } from 'react'
import { SegmentedControl } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { IconDroplet } from '../../icons/index.ts'
import type { ConnectedDevice } from '@caretaker/contract/boilers.ts'
import type { FillRow } from '@caretaker/rules/boilers/fills.ts'
import {
  closerTogether,
  fillRows,
  fillsIn,
  fillsWithin,
  keptBand,
  lockoutsIn,
  topUp,
} from '@caretaker/rules/boilers/fills.ts'
import { lockoutDays } from '@caretaker/rules/faults/faults.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { useActor } from '../../api/actor.ts'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/states.tsx'
import { dateText, lengthText } from '../../ui/age.ts'
import { reading } from '../../ui/chart/readings.ts'
import { StatusIcon } from '../../ui/status-icon.tsx'
import { TimeChart } from '../../ui/time-chart.tsx'
import { TimeOf, useZone } from '../../ui/zone.tsx'
import { connectedReadingsQuery, faultsQuery, topUpsQuery } from './queries.ts'
import classes from './connected-devices.module.css'

const ranges = { 7: '7 days', 30: '30 days' } as const
const dayLength = 86_400_000

/** The pressure kept by an autofill, and its fills and lockouts: fills at shrinking intervals indicate a leak. */
export function AutofillFills({ device, bcmId }: { device: ConnectedDevice; bcmId: string }) {
  const { tenant } = useActor()
  const [days, setDays] = useState<keyof typeof ranges>(30)
  const [opened] = useState(() => Date.now())
  const wanted = { metrics: ['systemPressure' as const, 'waterFilled' as const], days }
  const query = { ...connectedReadingsQuery(tenant, device.deviceId, wanted), placeholderData: keepPreviousData }
  const { data, isError, refetch } = useQuery(query)
  const { data: faults } = useQuery(faultsQuery(tenant, bcmId, lockoutDays))
  const { data: events } = useQuery(topUpsQuery(tenant, device.deviceId, days))
  const to = data?.to ?? opened
  const from = data?.from ?? opened - days * dayLength
  const { pressure, rows, band, shades, marks } = useMemo(() => {
    const of = (metric: MetricKey) => (data?.series ?? []).filter((one) => one.metric === metric)
    const readings = of('systemPressure').flatMap((one) => one.series)
    const own = (faults ?? []).filter(
      (fault) => fault.deviceId === device.deviceId && (fault.endedAt === null || Date.parse(fault.endedAt) > from),
    )
    const lockouts = lockoutsIn(own, readings)
    const measurements = { pressure: readings, water: of('waterFilled').flatMap((one) => one.series), lockouts }
    const all = fillRows({
      ...measurements,
      topUps: (events ?? []).filter(({ category }) => category === topUp).map(spanOf),
    })
    const filled = all.flatMap(({ start, litres }) => (litres ? [{ at: start, size: litres }] : []))
    return {
      pressure: of('systemPressure'),
      rows: all.filter(({ start }) => start >= from),
      band: bandOf(readings),
      shades: lockouts.map(({ start, end }) => ({ from: Math.max(start, from), to: end ?? to, label: 'Locked out' })),
      marks: filled.length > 0 ? { label: 'Fill', all: filled } : undefined,
    }
  }, [data, faults, events, device.deviceId, from, to])
  return (
    <>
      <div className={classes.range}>
        <h3>Pressure and fills</h3>
        <SegmentedControl
          aria-label="Range"
          data={Object.entries(ranges).map(([value, label]) => ({ value, label }))}
          value={String(days)}
          onChange={(value) => setDays(Number(value) as keyof typeof ranges)}
        />
      </div>
      <TimeChart
        title="Pressure"
        series={pressure.map((one) => ({
          id: one.dataSeriesId,
          label: one.label,
          unit: one.unit,
          points: one.series,
          latest: one.latest,
        }))}
        from={from}
        to={to}
        syncKey={device.deviceId}
        colour={2}
        band={band}
        shades={shades}
        marks={marks}
        status={data ? 'ready' : isError ? 'failed' : 'loading'}
        onRetry={() => void refetch()}
      />
      {data && (
        <Card
          title="Fills"
          actions={rows.length > 0 && <span className={classes.rhythm}>{rhythm(rows, days, to)}</span>}
        >
          <Closer rows={rows} />
          {rows.length > 0 ? (
            <FillTable rows={rows} />
          ) : (
            <Empty
              icon={<IconDroplet size={18} aria-hidden />}
              text="No fills"
              hint="No fills were detected or reported in this period."
            />
          )}
        </Card>
      )}
    </>
  )
}

/** Shows if fills come at shrinking intervals, which indicates a leak. */
function Closer({ rows }: { rows: readonly FillRow[] }) {
  const zone = useZone()
  const closer = closerTogether(rows.flatMap(({ start, lockout }) => (lockout ? [] : [start])))
  if (!closer) return undefined
  const since = dateText(closer.since, zone)
  return (
    <p className={classes.closer}>
      Fills come closer together: {every(closer.before)} before {since}, {every(closer.now)} since.
    </p>
  )
}

/** 'every 5 days', 'every 18 hours'. */
function every(days: number): string {
  const [count, unit] = days < 1.5 ? [Math.max(1, Math.round(days * 24)), 'hour'] : [Math.round(days), 'day']
  return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`
}

function FillTable({ rows }: { rows: readonly FillRow[] }) {
  return (
    <table className={classes.table} aria-label="Fills">
      <thead>
        <tr>
          <th scope="col">Started</th>
          <th scope="col" className={classes.wideOnly}>
            Lasted
          </th>
          <th scope="col">Water</th>
          <th scope="col">Pressure before</th>
          <th scope="col" className={classes.roomOnly}>
            After
          </th>
          <th scope="col">Outcome</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ start, lasted, litres, before, after, lockout }) => (
          <tr key={`${lockout !== null} ${start}`} data-locked={lockout !== null || undefined}>
            <td>
              <TimeOf at={start} />
            </td>
            <td className={classes.wideOnly}>{lasted === null ? '–' : lengthText(lasted)}</td>
            <td>{reading(litres, 'l')}</td>
            <td>{before === null ? '–' : bar(before)}</td>
            <td className={classes.roomOnly}>{after === null ? '–' : bar(after)}</td>
            <td>
              <span className={classes.outcome}>
                <StatusIcon tone={lockout ? 'failed' : 'passed'} />
                {!lockout ? (
                  'Filled'
                ) : (
                  <b>
                    Locked out
                    {lockout.end !== null && (
                      <>
                        {' '}
                        until <TimeOf at={lockout.end} />
                      </>
                    )}
                  </b>
                )}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const spanOf = ({ start, end }: { start: string; end: string | null }) => ({
  start: Date.parse(start),
  end: end === null ? null : Date.parse(end),
})

/** The band behind the pressure; a stable object while the readings are the same. */
function bandOf(readings: Parameters<typeof fillsIn>[0]) {
  const kept = keptBand(fillsIn(readings))
  return kept && { ...kept, label: `Kept between ${kept.low.toFixed(1)} and ${kept.high.toFixed(1)} bar` }
}

/** Stacked figures have the same number of digits. */
const bar = (pressure: number) => `${pressure.toFixed(2)}\u00A0bar`

/** '12 fills in 30 days, 4 in the last 5, 10.5 l of water'; litres only if all fills were measured. */
function rhythm(rows: readonly FillRow[], days: number, now: number): string {
  const fills = rows.filter(({ lockout }) => lockout === null)
  const many = `${fills.length} ${fills.length === 1 ? 'fill' : 'fills'} in ${days} days`
  const late = days > 5 && fills.length > 0 && `${fillsWithin(fills, 5, now)} in the last 5`
  const isCounted = rows.some(({ litres }) => litres !== null) && fills.every(({ litres }) => litres !== null)
  const litres =
    isCounted &&
    `${reading(
      rows.reduce((sum, one) => sum + (one.litres ?? 0), 0),
      'l',
    )} of water`
  return [many, late, litres].filter(Boolean).join(', ')
}
