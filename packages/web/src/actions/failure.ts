import { CallError, errorTexts, version1Text } from '@caretaker/contract/error-texts.ts'

/** The message for a failed action that has no text of its own (devices specification, section 8). */
export const somethingWrong = 'Something has gone wrong, please try again'

/** The messages of a failed action: the reasons from the server, or the generic text if the server itself failed. */
export function failureTexts(error: unknown): string[] {
  if (!(error instanceof CallError)) return [somethingWrong]
  const { status, complaint } = error
  const isUnsaid = !complaint.message || complaint.message === version1Text({})
  if (status >= 500 || (isUnsaid && status < 300)) return [somethingWrong]
  return errorTexts(complaint)
}
