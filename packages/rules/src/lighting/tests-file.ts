import { clockText } from '../calendar/days.ts'
import type { Component, ComponentStates, TestResult, TestType } from './tests.ts'
import { components } from './tests.ts'

/** A test as a row of an exported file. */
export interface FiledTest {
  deviceName: string
  buildingName: string | null
  testDate: string
  testType: TestType
  result: TestResult
  reason: string
  componentStates: ComponentStates
  lasted: number | null
  reportedResult: TestResult | null
  corrected: { by: string; at: string; reason: string; was: { result: TestResult } } | null
  disputed: { by: string; at: string; reason: string; countsAs: TestResult } | null
}

interface FileColumn {
  label: string
  text(this: void, test: FiledTest, zone: string): string
}

/** The columns of an exported file of tests, the same in browser and server. */
export const testColumns: readonly FileColumn[] = [
  { label: 'Light', text: ({ deviceName }) => deviceName },
  { label: 'Building', text: ({ buildingName }) => buildingName ?? '' },
  { label: 'Test date', text: ({ testDate }, zone) => clockText(Date.parse(testDate), zone) },
  { label: 'Test', text: ({ testType }) => testType },
  { label: 'Result', text: ({ result }) => result },
  { label: 'Reason', text: ({ reason }) => reason },
  ...components.map((component: Component): FileColumn => ({
    label: component,
    text: ({ componentStates }) => componentStates[component] ?? '',
  })),
  { label: 'Lasted (min)', text: ({ lasted }) => (lasted === null ? '' : String(Math.floor(lasted / 60))) },
  { label: 'Reported by the light', text: ({ reportedResult }) => reportedResult ?? '' },
  {
    label: 'Corrected',
    text: ({ corrected }, zone) =>
      corrected ? `by ${corrected.by}, ${clockText(Date.parse(corrected.at), zone)}; was ${corrected.was.result}` : '',
  },
  { label: 'Reason for correction', text: ({ corrected }) => corrected?.reason ?? '' },
  {
    label: 'Disputed',
    text: ({ disputed }, zone) =>
      disputed
        ? `by ${disputed.by}, ${clockText(Date.parse(disputed.at), zone)}; counts as ${disputed.countsAs} until decided`
        : '',
  },
  { label: 'Reason for dispute', text: ({ disputed }) => disputed?.reason ?? '' },
]

/** The file name after the date. */
export const testsFile = 'test-results.csv'
