import type { Day } from '../calendar/days.ts'
import { dayAfter } from '../calendar/days.ts'
import type { Filter, Sort } from '../lists/filters.ts'
import type { ListingName } from '../devices/list.ts'
import { pressingStates } from '../compliance/due.ts'
import { listings, presetStatuses } from '../devices/list.ts'
import { presetViewId } from '../views/view.ts'
import { connectionStates } from '../devices/connection.ts'

/** What needs somebody today, in the order of the dashboard. */
export const workCases = [
  'failed lights',
  'failed boilers',
  'untested lights',
  'gas checks',
  'water treatments',
  'gateways offline',
] as const
export type WorkCaseName = (typeof workCases)[number]

/** A light that had no test for longer than this many days, or none since it was installed, has missed its monthly one. */
export const testOverdueDays = 31

interface WorkView {
  listing: ListingName
  /** The preset whose rows they are, where there is one. */
  viewId?: string
  filters: Filter[]
  sorts: Sort[]
  /** The columns to see it by, where the view has others. */
  columns?: readonly string[]
}

const installed: Filter = { fieldId: 'status', filterOp: 'anyof', value: presetStatuses.installed }
const failed: Filter = { fieldId: 'status', filterOp: 'anyof', value: presetStatuses.failed }
const oldestFirst = (fieldId: string): Sort => ({ fieldId, descending: false })

/** Which rows of which listing a case is: what the server counts, and what the link beside the count opens. */
export function workView(name: WorkCaseName, today: Day): WorkView {
  switch (name) {
    case 'failed lights':
      return {
        listing: 'EmergencyLights',
        viewId: presetViewId(listings.EmergencyLights, 'failed'),
        filters: [failed],
        sorts: [oldestFirst('failedSince')],
      }
    case 'failed boilers':
      return {
        listing: 'Boilers',
        viewId: presetViewId(listings.Boilers, 'failed'),
        filters: [failed],
        sorts: [oldestFirst('failedSince')],
      }
    case 'untested lights':
      return {
        listing: 'EmergencyLights',
        filters: [
          { fieldId: 'testedOrInstalled', filterOp: 'to', value: dayAfter(today, -testOverdueDays - 1) },
          installed,
        ],
        sorts: [oldestFirst('testedOrInstalled')],
        columns: [
          'serial',
          'name',
          'status',
          'statusReason',
          'testedOrInstalled',
          'connection',
          'building',
          'floor',
          'lastTest',
        ],
      }
    case 'gas checks':
      return checksDue('gasSafety', 'gasSafetyDue')
    case 'water treatments':
      return checksDue('waterTreatment', 'waterTreatmentDue')
    case 'gateways offline':
      return {
        listing: 'NetworkingDevices',
        filters: [{ fieldId: 'connection', filterOp: 'equals', value: connectionStates.offline }, installed],
        sorts: [oldestFirst('connectionSince')],
        columns: ['serial', 'name', 'status', 'connection', 'connectionSince', 'building', 'floor', 'lastHeard'],
      }
  }
}

const checksDue = (state: string, due: string): WorkView => ({
  listing: 'Boilers',
  filters: [{ fieldId: state, filterOp: 'anyof', value: pressingStates }, installed],
  sorts: [oldestFirst(due)],
  columns: ['serial', 'name', 'status', state, due, 'connection', 'propertyReference', 'address'],
})
