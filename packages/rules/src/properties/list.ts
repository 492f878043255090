import type { Fields } from '../lists/fields.ts'
import { usual } from '../lists/fields.ts'
import { lists } from '../lists/list.ts'
import { complianceStates } from '../compliance/due.ts'
import { deviceStatuses } from '../devices/status.ts'
import { dampLevels, pressingDampLevels } from './damp.ts'
import { awaabsLawStatuses } from './details.ts'
import { energyRatings, voidFlags } from './dwelling.ts'
import { heatingStates } from './heating.ts'

/** Displayed, but not indexed. */
const onlyShown = { ...usual, filterable: false, sortable: false } as const

const checkChoices = complianceStates.toReversed()

/** All fields that the property list can show, sort by or filter by. */
export const propertyFields = {
  propertyReference: { label: 'Property REF', dataType: 'string', ...usual, searchable: true },
  postcode: { label: 'Postcode', dataType: 'string', ...usual, searchable: true, personal: true },
  address: { label: 'Address', dataType: 'string', ...usual, searchable: true, personal: true },
  voidStatus: { label: 'Void status', dataType: 'string', ...usual, choices: voidFlags },
  /** Empty for a property without a rating. */
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
  /** The due date of the case's current step; empty if the law sets none. */
  awaabsLawDue: { label: "Awaab's Law due", dataType: 'date', ...usual, feature: 'AwaabsLaw' },
  /** Missed deadlines of the open case, each with its lateness. */
  awaabsLawMissed: { label: "Awaab's Law missed", dataType: 'string', ...onlyShown, feature: 'AwaabsLaw' },
  /** The risk of damp and mould in its worst room; sorted worst first. */
  damp: { label: 'Damp and mould', dataType: 'string', ...usual, choices: dampLevels.toReversed() },
  /** The reason for the level, or for the missing assessment. */
  dampReason: { label: 'Damp and mould reason', dataType: 'string', ...onlyShown },
  dampSince: { label: 'Damp and mould since', dataType: 'date', ...onlyShown },
  /** The worst status of its devices; sorted by severity, highest first. Empty for a property without devices. */
  status: { label: 'Status', dataType: 'string', ...usual, choices: deviceStatuses },
  statusReason: { label: 'Reason', dataType: 'string', ...onlyShown },
  gasSafetyDue: { label: 'Gas Safety Test due', dataType: 'date', ...usual },
  /** The worst state of its appliances; sorted worst first. Empty for a property without gas. */
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

/** The property list, by first part of its URL. */
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
