import type { Fields } from '../lists/fields.ts'
import { usual } from '../lists/fields.ts'
import { lists } from '../lists/list.ts'
import { testResults, testTypes } from './tests.ts'

/** Filter only: the rows show the value in other fields. */
const onlyFiltered = { ...usual, sortable: false, viewable: false, exportable: false } as const

/** All fields that the list of test results can show, sort by or filter by. */
export const testFields = {
  testDate: { label: 'Test date', dataType: 'date', ...usual },
  deviceName: { label: 'Light', dataType: 'string', ...usual, filterable: false },
  deviceSerial: {
    label: 'Serial number',
    dataType: 'string',
    ...usual,
    filterable: false,
    viewable: false,
    exportable: false,
  },
  buildingName: { label: 'Building', dataType: 'string', ...usual, filterable: false },
  testType: { label: 'Test', dataType: 'string', ...usual, choices: testTypes },
  /** Sorted by severity. */
  result: { label: 'Result', dataType: 'string', ...usual, choices: testResults },
  reason: { label: 'Reason', dataType: 'string', ...usual, filterable: false },
  eventId: { label: 'Test id', dataType: 'string', ...onlyFiltered },
  buildingId: { label: 'Building id', dataType: 'string', ...onlyFiltered },
  /** The light's current test group. */
  groupId: { label: 'Test group id', dataType: 'string', ...onlyFiltered },
  decision: { label: 'Changes', dataType: 'string', ...onlyFiltered, choices: ['disputed', 'corrected'] },
} as const satisfies Fields

/** The list of all test results of a client. */
export const testLists = lists(testFields, {
  EmergencyTestResults: {
    label: 'Test Results',
    root: 'emergencyTest',
    category: 'emered',
    may: 'see lighting',
    views: 'documents',
    pageSizes: [10],
    fields: Object.keys(testFields) as (keyof typeof testFields)[],
    columns: ['testDate', 'deviceName', 'buildingName', 'testType', 'result', 'reason'],
    presets: [],
  },
})
