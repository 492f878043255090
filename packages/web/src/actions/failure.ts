import { CallError, errorTexts, version1Text } from '@caretaker/contract/error-texts.ts'

/** What an action that failed without words of its own says (devices specification, section 8). */
export const somethingWrong = 'Something has gone wrong, please try again'

/**
 * What a failed action comes to in words: what the server said of it, which names a reason, or that something has gone
 * wrong where the server itself failed.
 */
export function failureTexts(error: unknown): string[] {
  if (!(error instanceof CallError)) return [somethingWrong]
  const { status, complaint } = error
  const isUnsaid = !complaint.message || complaint.message === version1Text({})
  if (status >= 500 || (isUnsaid && status < 300)) return [somethingWrong]
  return errorTexts(complaint)
}
