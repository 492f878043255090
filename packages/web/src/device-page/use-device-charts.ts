import { useMemo, useState } from 'react'
import { useQueries } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { Device } from '@caretaker/contract/devices.ts'
import type { TelemetryView } from '@caretaker/contract/telemetry.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { DeviceRange } from '@caretaker/rules/telemetry/ranges.ts'
import { deviceRanges, rangeOfDays } from '@caretaker/rules/telemetry/ranges.ts'
import { telemetryViews } from '@caretaker/rules/telemetry/views.ts'
import { useActor } from '../api/actor.ts'
import { cardQuery } from '../telemetry/queries.ts'
import { useZone } from '../ui/zone.tsx'
import { deviceSource } from './telemetry-source.ts'

export type Charted = Pick<Device, 'deviceId' | 'serialNumber' | 'productId'>

/** The charts of a device without a property, over the range in the address. */
export function useDeviceCharts({ deviceId, serialNumber, productId: product }: Charted) {
  const { tenant } = useActor()
  const zone = useZone()
  const [today] = useState(() => dayAt(Date.now(), zone))
  const { range: named } = useSearch({ strict: false }) as { range?: string }
  const shown: DeviceRange = named === 'last30Days' ? named : 'last7Days'
  const source = useMemo(() => deviceSource(tenant, deviceId, serialNumber), [tenant, deviceId, serialNumber])
  const view = useMemo(() => viewOf(product, deviceId), [product, deviceId])
  const range = useMemo(() => {
    const days = deviceRanges[shown].days?.(today)
    return days && rangeOfDays(days, zone)
  }, [shown, today, zone])
  return { view, shown, zone, asked: { source, view: 'device' as const, range } }
}

/** A product without readings has no cards. */
function viewOf(product: Charted['productId'], deviceId: string): TelemetryView {
  const [view] = telemetryViews({ product, monitoring: null }, [])
  return {
    id: 'device',
    name: view?.name ?? '',
    defaultChartId: view?.defaultChartId ?? '',
    cards: (view?.cards ?? []).map(({ id, type, title, gridWidth, hideWhenNoData = false }) => ({
      ...{ id, type, title, gridWidth, hideWhenNoData },
      deviceIds: [deviceId],
    })),
  }
}

/** The data of these charts, as far as loaded. */
export function useDeviceAnswers(device: Charted) {
  const { view, asked } = useDeviceCharts(device)
  return useQueries({
    queries: view.cards.map((card) => cardQuery({ ...asked, card })),
    combine: (queries) => ({
      answers: queries.flatMap(({ data }) => data ?? []),
      isLoading: queries.some(({ isPending }) => isPending) && queries.every(({ data }) => !data),
      isError: queries.some(({ isError }) => isError) && queries.every(({ data }) => !data),
      refetch: () => queries.forEach((query) => void query.refetch()),
    }),
  })
}
