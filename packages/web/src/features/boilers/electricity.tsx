import { useMemo, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { Boiler } from '@caretaker/contract/boilers.ts'
import type { Series } from '@caretaker/contract/telemetry.ts'
import { requestText } from '@caretaker/rules/logs/logs.ts'
import { useActor } from '../../api/actor.ts'
import { commandsQuery } from '../../api/device-commands.ts'
import { TimeChart } from '../../ui/time-chart.tsx'
import { connectedReadingsQuery } from './queries.ts'

const dayLength = 86_400_000

/** A property without an immersion heater has no line for it. */
const isMeasured = ({ metric, latest }: Series) => metric !== 'immersionPower' || latest !== null

/** The commands to the heat pump and its power switch, except withdrawn ones. */
function useAsked({ deviceId, powerSwitch }: Boiler) {
  const { tenant } = useActor()
  const { data: own } = useQuery(commandsQuery(tenant, deviceId))
  const { data: relays } = useQuery({
    ...commandsQuery(tenant, powerSwitch?.deviceId ?? ''),
    enabled: powerSwitch !== null,
  })
  return useMemo(
    () =>
      [...(own ?? []), ...(relays ?? [])]
        .filter(({ status }) => status !== 'withdrawn')
        .map((command) => ({ at: Date.parse(command.createdAt), label: requestText(command) }))
        .toSorted((a, b) => a.at - b.at),
    [own, relays],
  )
}

/** The electricity of a heat pump in the last day, which shows the effect of a heat saviour or set point. */
export function Electricity({ device }: { device: Boiler }) {
  const { tenant } = useActor()
  const [opened] = useState(() => Date.now())
  const wanted = { metrics: ['electricityConsumption' as const, 'immersionPower' as const], days: 1 }
  const asked = useAsked(device)
  const { data, isError, refetch } = useQuery(connectedReadingsQuery(tenant, device.deviceId, wanted))
  const [from, to] = [data?.from ?? opened - dayLength, data?.to ?? opened]
  const moments = useMemo(() => asked.filter(({ at }) => at >= from), [asked, from])
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
      from={from}
      to={to}
      moments={moments}
      syncKey={device.deviceId}
      status={data ? 'ready' : isError ? 'failed' : 'loading'}
      onRetry={() => void refetch()}
    />
  )
}
