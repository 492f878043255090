import { useMemo } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { Device } from '@caretaker/contract/devices.ts'
import { recordTypes } from '@caretaker/rules/compliance/records.ts'
import { useActor } from '../../../api/actor.ts'
import { useToday } from '../../../ui/age-view.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { figuresQuery, recordsQuery } from './queries.ts'
import type { KnownStanding } from './standing.ts'
import { knownStanding } from './standing.ts'

interface Standings {
  /** One per record type of the device; undefined while loading. */
  standings: KnownStanding[] | undefined
  /** Types with old records that get no new ones, because the device monitors something else now. */
  former: KnownStanding[]
  isError: boolean
  refetch: () => void
}

/** A device with its compliance states; null for types without records. */
export type Recorded = Pick<Device, 'deviceId' | 'gasSafety' | 'waterTreatment'>

/** The compliance states of a boiler. */
export function useStandings({ deviceId, gasSafety, waterTreatment }: Recorded): Standings {
  const { tenant } = useActor()
  const zone = useZone()
  const today = useToday()
  const records = useQuery(recordsQuery(tenant, deviceId))
  const figures = useQuery(figuresQuery(tenant))
  const known = useMemo(() => {
    if (!records.data || !figures.data) return undefined
    const has = { GasSafety: gasSafety !== null, WaterTreatment: waterTreatment !== null }
    const stored = { GasSafety: gasSafety, WaterTreatment: waterTreatment }
    const all = recordTypes.map((type) =>
      knownStanding(type, records.data, figures.data[type], zone, today, stored[type]),
    )
    return {
      standings: all.filter(({ type }) => has[type]),
      former: all.filter((one) => !has[one.type] && one.records.length > 0),
    }
  }, [records.data, figures.data, gasSafety, waterTreatment, zone, today])
  const refetch = () => {
    void records.refetch()
    void figures.refetch()
  }
  return {
    standings: known?.standings,
    former: known?.former ?? [],
    isError: records.isError || figures.isError,
    refetch,
  }
}
