import type { ComplianceState } from '@caretaker/rules/compliance/due.ts'
import { stateWords } from '@caretaker/rules/compliance/due.ts'
import { connectionWords } from '@caretaker/rules/devices/connection.ts'
import type { Monitoring } from '@caretaker/rules/devices/monitoring.ts'
import { monitoringWords } from '@caretaker/rules/devices/monitoring.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { products } from '@caretaker/rules/devices/products.ts'
import type { DisplayGroup } from '@caretaker/rules/devices/status.ts'
import { deviceStatuses, displayGroup, displayGroupWords, statusWords } from '@caretaker/rules/devices/status.ts'
import type { FieldWords, ValueGroup } from '../../../lists/list-source.ts'

/** The groups in the order in which charts of status have them. */
const groupsInOrder: readonly DisplayGroup[] = ['Passed', 'Warning', 'Failed', 'FailedDevice', 'NotInstalled']

/** The groups of statuses that devices have. */
export const statusGroups: readonly (ValueGroup & { id: DisplayGroup })[] = groupsInOrder.map((id) => ({
  id,
  label: displayGroupWords[id],
  values: deviceStatuses.filter((status) => displayGroup(status) === id),
}))

const nameOf = (code: string) => (code in products ? products[code as Product].name : undefined)
const namesakes = (code: string) => Object.keys(products).filter((one) => nameOf(one) === nameOf(code)).length

/** The values of a device's fields in the words of people. */
export const deviceWords: FieldWords = {
  word(fieldId, value) {
    if (fieldId === 'status') return statusWords(value)
    if (fieldId === 'product') return nameOf(value)
    if (fieldId === 'connection') return connectionWords[value as keyof typeof connectionWords]
    if (fieldId === 'gasSafety' || fieldId === 'waterTreatment') return stateWords[value as ComplianceState]
    return fieldId === 'monitoring' ? monitoringWords[value as Monitoring] : undefined
  },
  choiceWord: (fieldId, value) =>
    fieldId === 'product' && namesakes(value) > 1 ? `${nameOf(value)} (${value})` : undefined,
  groups: (fieldId) => (fieldId === 'status' ? statusGroups : undefined),
  plural: (fieldId) => (fieldId === 'status' ? 'statuses' : undefined),
}
