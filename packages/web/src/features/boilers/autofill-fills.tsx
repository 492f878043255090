import { useMemo, useState } from 'react'
import { SegmentedControl } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { IconDroplet } from '@tabler/icons-react'
import type { ConnectedDevice } from '@caretaker/contract/boilers.ts'
import { fillsIn, fillsWithin, keptBand } from '@caretaker/rules/boilers/fills.ts'
import { useActor } from '../../api/actor.ts'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/states.tsx'
import { TimeChart } from '../../ui/time-chart.tsx'
import { TimeOf } from '../../ui/zone.tsx'
import { connectedReadingsQuery } from './queries.ts'
import classes from './connected-devices.module.css'

const ranges = { 7: '7 days', 30: '30 days' } as const
const dayLength = 86_400_000

/** The pressure that an autofill keeps up, and when it filled: fills that come closer together are a leak. */
export function AutofillFills({ device }: { device: ConnectedDevice }) {
  const { tenant } = useActor()
  const [days, setDays] = useState<keyof typeof ranges>(30)
  const [opened] = useState(() => Date.now())
  const wanted = { metrics: ['systemPressure' as const], days }
  const query = { ...connectedReadingsQuery(tenant, device.deviceId, wanted), placeholderData: keepPreviousData }
  const { data, isError, refetch } = useQuery(query)
  const series = data?.series ?? []
  const fills = series.flatMap((one) => fillsIn(one.series))
  const to = data?.to ?? opened
  const band = useMemo(() => bandOf(data?.series ?? []), [data])
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
        series={series.map((one) => ({
          id: one.dataSeriesId,
          label: one.label,
          unit: one.unit,
          points: one.series,
          latest: one.latest,
        }))}
        from={data?.from ?? opened - days * dayLength}
        to={to}
        syncKey={device.deviceId}
        band={band}
        status={data ? 'ready' : isError ? 'failed' : 'loading'}
        onRetry={() => void refetch()}
      />
      {data && (
        <Card
          title="Fills"
          actions={fills.length > 0 && <span className={classes.rhythm}>{rhythm(fills, days, to)}</span>}
        >
          {fills.length > 0 ? (
            <table className={classes.table} aria-label="Fills">
              <thead>
                <tr>
                  <th scope="col">Started</th>
                  <th scope="col">Pressure before</th>
                  <th scope="col">After</th>
                </tr>
              </thead>
              <tbody>
                {fills.map(({ start, before, after }) => (
                  <tr key={start}>
                    <td>
                      <TimeOf at={start} />
                    </td>
                    <td>{bar(before)}</td>
                    <td>{bar(after)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          ) : (
            <Empty
              icon={<IconDroplet size={18} aria-hidden />}
              text="No fills"
              hint="The pressure was not raised in this time."
            />
          )}
        </Card>
      )}
    </>
  )
}

/** What is drawn behind the pressure, one object as long as the readings are the same. */
function bandOf(series: readonly { series: Parameters<typeof fillsIn>[0] }[]) {
  const kept = keptBand(series.flatMap((one) => fillsIn(one.series)))
  return kept && { ...kept, label: `Kept between ${kept.low.toFixed(1)} and ${kept.high.toFixed(1)} bar` }
}

/** Figures below each other have as many digits each. */
const bar = (pressure: number) => `${pressure.toFixed(2)}\u00A0bar`

/** '12 fills in 30 days, 4 in the last 5'. */
function rhythm(fills: ReturnType<typeof fillsIn>, days: number, now: number): string {
  const many = `${fills.length} ${fills.length === 1 ? 'fill' : 'fills'} in ${days} days`
  return days > 5 ? `${many}, ${fillsWithin(fills, 5, now)} in the last 5` : many
}
