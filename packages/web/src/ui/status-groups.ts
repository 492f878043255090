import type { DisplayGroup } from '@caretaker/rules/devices/status.ts'
import { deviceStatuses, displayGroup, displayGroupWords } from '@caretaker/rules/devices/status.ts'

/** The groups in the order of status charts. */
const groupsInOrder: readonly DisplayGroup[] = ['Passed', 'Warning', 'Failed', 'FailedDevice', 'NotInstalled']

/** The status groups of devices, as filters offer them. */
export const statusGroups = groupsInOrder.map((id) => ({
  id,
  label: displayGroupWords[id],
  values: deviceStatuses.filter((status) => displayGroup(status) === id),
}))
