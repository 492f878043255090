/** Whether the tests store what they receive as the examples of the API document, instead of comparing it. */
export const recordsExamples = (): boolean => process.env.RECORD_EXAMPLES === 'on'
