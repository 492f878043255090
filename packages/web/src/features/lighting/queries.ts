import { queryOptions } from '@tanstack/react-query'
import { getDeviceTestSchedule } from '@caretaker/contract/groups.ts'
import { getAllDeviceTests, runT0Test } from '@caretaker/contract/lighting.ts'
import { call } from '../../api/call.ts'
import { devicePageKey } from '../../api/device.ts'

export const testsQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'tests'],
    meta: { shows: { subjects: ['device tests'], deviceId } },
    queryFn: ({ signal }) => call(getAllDeviceTests, { body: { tenant, deviceId } }, { signal }),
  })

/** The group of a light, what is tested of it next, and what became of the tests of its groups. */
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
