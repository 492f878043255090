import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { chartLayouts } from '@caretaker/rules/telemetry/metrics.ts'
import { HeldTime, TimeChart } from '../../ui/time-chart.tsx'
import { chartsQuery } from './queries.ts'
import classes from './device.module.css'

const week = 7 * 86_400_000

interface DeviceChartsProps {
  tenant: string
  deviceId: string
  product: Product
}

/** What the device measured in the last week: its charts, one below the other, with one cursor through all of them. */
export function DeviceCharts({ tenant, deviceId, product }: DeviceChartsProps) {
  const { data, isError, refetch } = useQuery(chartsQuery(tenant, deviceId))
  const status = data ? 'ready' : isError ? 'failed' : 'loading'
  const [opened] = useState(() => Date.now())
  const to = data ? Date.parse(data.to) : opened
  const from = data ? Date.parse(data.from) : to - week
  const charts = data
    ? data.charts.filter((chart) => chart.type === 'Linear')
    : (chartLayouts[product] ?? []).map(({ id, title }) => ({ id, title, dataSeries: [] }))
  const hasReadings = data?.charts.some((chart) => chart.dataSeries.some((one) => one.series.length > 0))
  return (
    <div className={classes.chartList}>
      {hasReadings && (
        <div className={classes.held}>
          <HeldTime syncKey={deviceId} />
        </div>
      )}
      {charts.map(({ id, title, dataSeries }) => (
        <TimeChart
          key={id}
          title={title}
          series={dataSeries.map((one) => ({
            id: one.dataSeriesId,
            label: one.label,
            unit: one.unit,
            points: one.series,
            latest: one.latest,
          }))}
          from={from}
          to={to}
          syncKey={deviceId}
          status={status}
          onRetry={() => void refetch()}
        />
      ))}
    </div>
  )
}
