import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { Chart, Series } from '@caretaker/contract/telemetry.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { telemetryViews } from '@caretaker/rules/telemetry/views.ts'
import { useActor } from '../api/actor.ts'
import type { Shade } from '../ui/chart/readings.ts'
import { HeldTime, TimeChart } from '../ui/time-chart.tsx'
import { chartsQuery } from './queries.ts'
import classes from './device.module.css'

const week = 7 * 86_400_000

interface DeviceChartsProps {
  deviceId: string
  product: Product
  /** Times that every chart shades; the same array as long as it is the same. */
  shades?: readonly Shade[] | undefined
}

/** What the device measured in the last week: its charts, one below the other, with one cursor through all of them. */
export function DeviceCharts({ deviceId, product, shades }: DeviceChartsProps) {
  const { tenant } = useActor()
  const { data, isError, refetch } = useQuery(chartsQuery(tenant, deviceId))
  const told = data?.charts as Chart[] | null | undefined
  const status = told ? 'ready' : isError || data !== undefined ? 'failed' : 'loading'
  const [opened] = useState(() => Date.now())
  const to = data ? Date.parse(data.to) : opened
  const from = data ? Date.parse(data.from) : to - week
  const charts = told
    ? told.filter((chart) => chart.type === 'Linear' && !(chart.hideWhenNoData && isEmpty(chart)))
    : (telemetryViews({ product, monitoring: null }, [])[0]?.cards ?? [])
        .filter((card) => !card.hideWhenNoData)
        .map(({ id, title }) => ({ id, title, dataSeries: [], rangeMin: null, rangeMax: null }))
  const hasReadings = charts.some((chart) => readingsOf(chart)?.some((one) => one.series.length > 0))
  return (
    <div className={classes.chartList}>
      {hasReadings && (
        <div className={classes.held}>
          <HeldTime syncKey={deviceId} />
        </div>
      )}
      {charts.map((chart) => {
        const readings = readingsOf(chart)
        return (
          <TimeChart
            key={chart.id}
            title={chart.title}
            series={(readings ?? []).map((one) => ({
              id: one.dataSeriesId,
              label: one.label,
              unit: one.unit,
              points: one.series,
              latest: one.latest,
            }))}
            from={from}
            to={to}
            syncKey={deviceId}
            shades={shades}
            rangeMin={chart.rangeMin}
            rangeMax={chart.rangeMax}
            status={readings ? status : 'failed'}
            onRetry={() => void refetch()}
          />
        )
      })}
    </div>
  )
}

const isEmpty = ({ dataSeries }: Chart) => (dataSeries ?? []).every(({ series }) => series.length === 0)

/** The series of a chart; undefined where the server has none for it, which concerns that chart alone (devices specification, section 8). */
function readingsOf({ dataSeries }: { dataSeries: Series[] | null }): Series[] | undefined {
  return dataSeries?.every(({ series }: { series: Series['series'] | null }) => series !== null)
    ? dataSeries
    : undefined
}
