import { queryOptions } from '@tanstack/react-query'
import { getTenantBuildings } from '@caretaker/contract/calls/buildings.ts'
import {
  getConflictingTestSchedules,
  getEmeredGroup,
  getEmeredGroups,
  getTenantEmereds,
  getTenantEmeredTestShedules,
} from '@caretaker/contract/calls/groups.ts'
import type { AskedType } from '@caretaker/rules/lighting/plan.ts'
import { call } from '../../api/call.ts'

const shows = { subjects: ['group', 'device'] as const }

export const groupsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'groups'],
    meta: { shows: { subjects: [...shows.subjects] } },
    queryFn: ({ signal }) => call(getEmeredGroups, { body: { tenant } }, { signal }),
  })

export const groupQuery = (tenant: string, groupName: string) =>
  queryOptions({
    queryKey: [tenant, 'groups', groupName],
    meta: { shows: { subjects: [...shows.subjects, 'device tests'] } },
    queryFn: ({ signal }) => call(getEmeredGroup, { body: { tenant, groupName } }, { signal }),
  })

/** The mutation key of a deletion, which stops queries for the group. */
export const deletionKey = (tenant: string, groupName: string) => [tenant, 'delete group', groupName] as const

interface Span {
  /** Instants in milliseconds since the epoch. */
  from: number
  to: number
}

/** The tests of one group or of all groups in a period. */
export const scheduleQuery = (tenant: string, { from, to }: Span, groupName?: string) =>
  queryOptions({
    queryKey: [tenant, 'schedule', groupName, from, to],
    meta: { shows: { subjects: ['group', 'device tests'] } },
    queryFn: ({ signal }) =>
      call(
        getTenantEmeredTestShedules,
        { body: { tenant, from, to, ...(groupName !== undefined && { groupName }) } },
        { signal },
      ),
    placeholderData: (previous, last) => (last?.queryKey[0] === tenant ? previous : undefined),
  })

export const buildingsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'buildings'],
    queryFn: ({ signal }) => call(getTenantBuildings, { body: { tenant } }, { signal }),
    staleTime: 60_000,
  })

/** The lights of a building with their groups; empty without a building. */
export const lightsQuery = (tenant: string, building: string) =>
  queryOptions({
    queryKey: [tenant, 'emereds', building],
    queryFn: ({ signal }) => call(getTenantEmereds, { body: { tenant, building } }, { signal }),
    enabled: building !== '',
  })

export interface Draft {
  groupName: string
  building: string
  t180StartDate: string
  alsoTypes: AskedType[]
  deviceIds: string[]
}

/** The conflicts of a draft group, and its test dates. */
export const conflictsQuery = (tenant: string, draft: Draft) =>
  queryOptions({
    queryKey: [tenant, 'group conflicts', draft],
    queryFn: ({ signal }) =>
      call(getConflictingTestSchedules, { body: { tenant, ...draft, ofBuilding: true } }, { signal }),
    enabled: draft.t180StartDate !== '',
    placeholderData: (previous, last) => (last?.queryKey[0] === tenant ? previous : undefined),
  })
