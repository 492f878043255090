import type { Fields } from '../lists/fields.ts'
import { usual } from '../lists/fields.ts'
import { lists } from '../lists/list.ts'
import { complianceStates } from '../compliance/due.ts'
import { deviceStatuses } from '../devices/status.ts'
import { dampLevels, pressingDampLevels } from './damp.ts'
import { awaabsLawStatuses } from './details.ts'
import { energyRatings, voidFlags } from './dwelling.ts'
import { heatingStates } from './heating.ts'

/** Shown, but in no index. */
const onlyShown = { ...usual, filterable: false, sortable: false } as const

const checkChoices = complianceStates.toReversed()

/** Everything that the listing of homes can show, sort by or filter by. */
export const propertyFields = {
  propertyReference: { label: 'Property REF', dataType: 'string', ...usual, searchable: true },
  postcode: { label: 'Postcode', dataType: 'string', ...usual, searchable: true, personal: true },
  address: { label: 'Address', dataType: 'string', ...usual, searchable: true, personal: true },
  voidStatus: { label: 'Void status', dataType: 'string', ...usual, choices: voidFlags },
  /** Empty for a home without a rating. */
  epcRating: {
    label: 'EPC',
    dataType: 'string',
    ...usual,
    choices: energyRatings.filter((rating) => rating !== 'NoRating'),
  },
  awaabsLawStatus: {
    label: "Awaab's Law",
    dataType: 'string',
    ...usual,
    choices: awaabsLawStatuses,
    feature: 'AwaabsLaw',
  },
  /** By when the step that its case is at has to be done; empty where the law names no day. */
  awaabsLawDue: { label: "Awaab's Law due", dataType: 'date', ...usual, feature: 'AwaabsLaw' },
  /** Deadlines of its open case that were missed, each with how late it was or is. */
  awaabsLawMissed: { label: "Awaab's Law missed", dataType: 'string', ...onlyShown, feature: 'AwaabsLaw' },
  /** How likely damp and mould are in the worst of its rooms; sorted by that, the worst first. */
  damp: { label: 'Damp and mould', dataType: 'string', ...usual, choices: dampLevels.toReversed() },
  /** Why it is so, or why it is not assessed. */
  dampReason: { label: 'Damp and mould reason', dataType: 'string', ...onlyShown },
  dampSince: { label: 'Damp and mould since', dataType: 'date', ...onlyShown },
  /** The worst of its devices; sorted by severity, highest first. Empty for a home without any. */
  status: { label: 'Status', dataType: 'string', ...usual, choices: deviceStatuses },
  statusReason: { label: 'Reason', dataType: 'string', ...onlyShown },
  gasSafetyDue: { label: 'Gas Safety Test due', dataType: 'date', ...usual },
  /** The worst of its appliances; sorted by that, the worst first. Empty for a home without gas. */
  gasSafety: { label: 'Gas safety', dataType: 'string', ...usual, choices: checkChoices },
  gasSafetyCertificate: { label: 'Gas certificate', dataType: 'string', ...onlyShown },
  waterTreatmentDue: { label: 'Water treatment due', dataType: 'date', ...usual },
  waterTreatment: { label: 'Water treatment', dataType: 'string', ...usual, choices: checkChoices },
  heating: { label: 'Heating', dataType: 'string', ...usual, sortable: false, choices: heatingStates.toReversed() },
  tags: { label: 'Tags against devices', dataType: 'stringarray', ...usual, sortable: false },
  accessRightsTag: { label: 'Access Right Tag', dataType: 'string', ...usual, sortable: false },
  devices: { label: 'Devices', dataType: 'number', ...onlyShown },
  propertyId: { label: 'Property Id', dataType: 'string', ...onlyShown },
} as const satisfies Fields
export type PropertyFieldId = keyof typeof propertyFields
export const propertyFieldIds = Object.keys(propertyFields) as PropertyFieldId[]

/** The listing of homes, by the first part of its address. */
export const propertyLists = lists(propertyFields, {
  Properties: {
    label: 'Properties',
    root: 'property',
    category: 'device',
    may: 'see properties',
    views: 'definitions',
    pageSizes: [25, 50, 100],
    fields: [...propertyFieldIds],
    columns: [
      'propertyReference',
      'address',
      'postcode',
      'voidStatus',
      'epcRating',
      'awaabsLawStatus',
      'status',
      'gasSafety',
      'gasSafetyDue',
    ],
    presets: [
      { id: 'void', label: 'Void', filters: [{ fieldId: 'voidStatus', filterOp: 'anyof', value: ['Void'] }] },
      {
        id: 'awaabs-law-open',
        label: "Awaab's Law open",
        filters: [{ fieldId: 'awaabsLawStatus', filterOp: 'noneof', value: ['None'] }],
      },
      {
        id: 'damp-and-mould',
        label: 'Damp and mould',
        filters: [{ fieldId: 'damp', filterOp: 'anyof', value: pressingDampLevels }],
        columns: (columns) => columns.flatMap((column) => (column === 'awaabsLawStatus' ? ['damp', column] : [column])),
      },
    ],
  },
})
export const propertyListNames = ['Properties'] as const
