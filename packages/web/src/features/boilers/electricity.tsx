import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { Boiler } from '@caretaker/contract/boilers.ts'
import type { Series } from '@caretaker/contract/telemetry.ts'
import { useActor } from '../../api/actor.ts'
import { TimeChart } from '../../ui/time-chart.tsx'
import { connectedReadingsQuery } from './queries.ts'

const dayLength = 86_400_000

/** A home without an immersion heater has no line of it. */
const isMeasured = ({ metric, latest }: Series) => metric !== 'immersionPower' || latest !== null

/** What a heat pump took in the last day: what a heat saviour or another set point makes of it is seen here. */
export function Electricity({ device }: { device: Boiler }) {
  const { tenant } = useActor()
  const [opened] = useState(() => Date.now())
  const wanted = { metrics: ['electricityConsumption' as const, 'immersionPower' as const], days: 1 }
  const { data, isError, refetch } = useQuery(connectedReadingsQuery(tenant, device.deviceId, wanted))
  return (
    <TimeChart
      title="Electricity in the last 24 hours"
      series={(data?.series ?? [])
        .filter(isMeasured)
        .map(({ dataSeriesId: id, label, unit, series: points, latest }) => ({
          id,
          label,
          unit,
          points,
          latest,
        }))}
      from={data?.from ?? opened - dayLength}
      to={data?.to ?? opened}
      syncKey={device.deviceId}
      status={data ? 'ready' : isError ? 'failed' : 'loading'}
      onRetry={() => void refetch()}
    />
  )
}
