import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { getDeviceTestSchedule, getEmeredGroups } from '@caretaker/contract/calls/groups.ts'
import {
  exportAllTests,
  getAllDeviceTests,
  getAllTests,
  getDeviceTestRuns,
  getTestMonths,
  getTestNights,
  getTestOverview,
  runT0Test,
} from '@caretaker/contract/calls/lighting.ts'
import { call } from '../../api/call.ts'
import { devicePageKey } from '../../api/device.ts'
import type { TestsSearch } from './tests/tests-place.ts'
import { orderOf } from './tests/tests-place.ts'

export const testsQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'tests'],
    meta: { shows: { subjects: ['device tests'], deviceId } },
    queryFn: ({ signal }) => call(getAllDeviceTests, { body: { tenant, deviceId } }, { signal }),
  })

/** The planned tests of a light without a result. */
export const runsQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'test runs'],
    meta: { shows: { subjects: ['device tests'], deviceId } },
    queryFn: ({ signal }) => call(getDeviceTestRuns, { body: { tenant, deviceId } }, { signal }),
  })

/** The nights available for a 3-hour test of a light, and the test planned for this light only. */
export const nightsQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'test nights'],
    meta: { shows: { subjects: ['device tests', 'group'], deviceId } },
    queryFn: ({ signal }) => call(getTestNights, { body: { tenant, deviceId } }, { signal }),
  })

/** Tests per request: a few pages of the table. */
const testsAtOnce = 50

/** The filter of the address in the form that the calls expect. */
const testsAsked = (tenant: string, { result, decision, from, to, ...lights }: TestsSearch) => ({
  ...lightsAsked(tenant, lights),
  ...(result && { result }),
  ...(decision && { decision }),
  ...(from && { from }),
  ...(to && { to }),
})

const lightsAsked = (tenant: string, { filter, building, group, type }: TestsSearch) => ({
  tenant,
  ...(filter && { text: filter }),
  ...(building && { buildingId: building }),
  ...(group && { groupId: group }),
  ...(type && { testType: type }),
})

/** Twelve months of tests, up to the current one. */
export const overviewQuery = (tenant: string, { filter, building, group }: TestsSearch) => {
  const asked = lightsAsked(tenant, {
    ...(filter && { filter }),
    ...(building && { building }),
    ...(group && { group }),
  })
  return queryOptions({
    queryKey: [tenant, 'test overview', asked],
    meta: { shows: { subjects: ['device tests', 'device'], apart: overviewApart } },
    queryFn: ({ signal }) => call(getTestOverview, { body: asked }, { signal }),
  })
}

/** Minimum milliseconds between two refetches of a year of tests. */
const overviewApart = 10_000

/** Lights with one year of their tests, in pages. */
export const monthsQuery = (tenant: string, search: TestsSearch, year: number) => {
  const asked = { ...lightsAsked(tenant, search), ...(search.result && { result: search.result }), year }
  return infiniteQueryOptions({
    queryKey: [tenant, 'test months', asked],
    meta: { shows: { subjects: ['device tests', 'device'] } },
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam: after }) =>
      call(getTestMonths, { body: { ...asked, limit: testsAtOnce, ...(after && { after }) } }, { signal }),
    getNextPageParam: ({ next }) => next ?? undefined,
  })
}

/** The groups of lights, for filtering tests. */
export const groupsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'groups'],
    meta: { shows: { subjects: ['group', 'device'] } },
    queryFn: ({ signal }) => call(getEmeredGroups, { body: { tenant } }, { signal }),
  })

/** All tests that match the filter, in pages; without readings, which are fetched per test. */
export const allTestsQuery = (tenant: string, search: TestsSearch) => {
  const asked = { ...testsAsked(tenant, search), ...orderOf(search.sort) }
  return infiniteQueryOptions({
    queryKey: [tenant, 'all tests', asked],
    meta: { shows: { subjects: ['device tests'] } },
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam: after }) =>
      call(
        getAllTests,
        { body: { ...asked, limit: testsAtOnce, withSeries: false, ...(after && { after }) } },
        { signal },
      ),
    getNextPageParam: ({ next }) => next ?? undefined,
  })
}

/** A file of all tests that match a filter, newest first. */
export const testsFileOf = (tenant: string, search: TestsSearch) =>
  call(exportAllTests, { body: testsAsked(tenant, search) })

/** One test with all its readings. */
export const testQuery = (tenant: string, eventId: string) =>
  queryOptions({
    queryKey: [tenant, 'test', eventId],
    meta: { shows: { subjects: ['device tests'] } },
    queryFn: async ({ signal }) =>
      (await call(getAllTests, { body: { tenant, eventId } }, { signal })).tests[0] ?? null,
  })

/** The group of a light, its next tests, and the results of earlier ones. */
export const deviceScheduleQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'test schedule'],
    meta: { shows: { subjects: ['group', 'device tests'] } },
    queryFn: ({ signal }) => call(getDeviceTestSchedule, { body: { tenant, deviceId } }, { signal }),
  })

/** Sends a flick test to an emergency light. */
export function sendFlickTest(tenant: string, deviceId: string) {
  return call(runT0Test, { form: { tenant, deviceId } })
}
