import type { ComplianceState } from '@caretaker/rules/compliance/due.ts'
import { stateWords } from '@caretaker/rules/compliance/due.ts'
import { connectionWords } from '@caretaker/rules/devices/connection.ts'
import type { Monitoring } from '@caretaker/rules/devices/monitoring.ts'
import { monitoringWords } from '@caretaker/rules/devices/monitoring.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { products } from '@caretaker/rules/devices/products.ts'
import { statusWords } from '@caretaker/rules/devices/status.ts'
import type { FieldWords } from '../../../lists/list-source.ts'
import { statusGroups } from '../../../ui/status-groups.ts'

const nameOf = (code: string) => (code in products ? products[code as Product].name : undefined)
const namesakes = (code: string) => Object.keys(products).filter((one) => nameOf(one) === nameOf(code)).length

/** The values of device fields in words. */
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
