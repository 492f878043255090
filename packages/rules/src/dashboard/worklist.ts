import type { Day } from '../calendar/days.ts'
import { dayAfter } from '../calendar/days.ts'
import type { Filter, Sort } from '../lists/filters.ts'
import type { ListingName } from '../devices/list.ts'
import { listings, presetStatuses } from '../devices/list.ts'
import { presetViewId } from '../views/view.ts'
import { connectionStates } from '../devices/connection.ts'

/** What needs somebody today, in the order of the dashboard. */
export const workCases = ['failed lights', 'boiler faults', 'untested lights', 'gateways offline'] as const
export type WorkCaseName = (typeof workCases)[number]

/** A light that had no test for longer than this many days, or none since it was installed, has missed its monthly one. */
export const testOverdueDays = 31

interface WorkView {
  listing: ListingName
  /** The preset whose rows they are, where there is one. */
  viewId?: string
  filters: Filter[]
  sorts: Sort[]
}

const installed: Filter = { fieldId: 'status', filterOp: 'anyof', value: presetStatuses.installed }
const oldestFirst = (fieldId: string): Sort => ({ fieldId, descending: false })

/** Which rows of which listing a case is: what the server counts, and what the link beside the count opens. */
export function workView(name: WorkCaseName, today: Day): WorkView {
  switch (name) {
    case 'failed lights':
      return {
        listing: 'EmergencyLights',
        viewId: presetViewId(listings.EmergencyLights, 'failed'),
        filters: [{ fieldId: 'status', filterOp: 'anyof', value: presetStatuses.failed }],
        sorts: [oldestFirst('statusSince')],
      }
    case 'boiler faults':
      return {
        listing: 'Boilers',
        filters: [{ fieldId: 'fault', filterOp: 'present', value: true }],
        sorts: [oldestFirst('statusSince')],
      }
    case 'untested lights':
      return {
        listing: 'EmergencyLights',
        filters: [
          { fieldId: 'testedOrInstalled', filterOp: 'to', value: dayAfter(today, -testOverdueDays - 1) },
          installed,
        ],
        sorts: [oldestFirst('lastTest')],
      }
    case 'gateways offline':
      return {
        listing: 'NetworkingDevices',
        filters: [{ fieldId: 'connection', filterOp: 'equals', value: connectionStates.offline }, installed],
        sorts: [oldestFirst('statusSince')],
      }
  }
}
