import { useMemo } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { Device } from '@caretaker/contract/devices.ts'
import { recordTypesOf } from '@caretaker/rules/boilers/compliance.ts'
import { useActor } from '../../../api/actor.ts'
import { useToday } from '../../../ui/age-view.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { figuresQuery, recordsQuery } from './queries.ts'
import type { KnownStanding } from './standing.ts'
import { knownStanding } from './standing.ts'

interface Standings {
  /** One for each type of record that there is of the device; undefined while they are not known. */
  standings: KnownStanding[] | undefined
  isError: boolean
  refetch: () => void
}

/** How it stands with the checks of a boiler. */
export function useStandings({ deviceId, productId }: Pick<Device, 'deviceId' | 'productId'>): Standings {
  const { tenant } = useActor()
  const zone = useZone()
  const today = useToday()
  const records = useQuery(recordsQuery(tenant, deviceId))
  const figures = useQuery(figuresQuery(tenant))
  const standings = useMemo(() => {
    if (!records.data || !figures.data) return undefined
    const types = recordTypesOf(productId)
    return types.map((type) => knownStanding(type, records.data, figures.data[type], zone, today))
  }, [records.data, figures.data, productId, zone, today])
  const refetch = () => {
    void records.refetch()
    void figures.refetch()
  }
  return { standings, isError: records.isError || figures.isError, refetch }
}
