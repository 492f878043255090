import { errorTexts } from '@caretaker/contract/error-texts.ts'
import { errorLengths, logError } from '@caretaker/contract/calls/session.ts'
import { showError } from '../ui/toasts.tsx'
import { CallError } from '@caretaker/contract/error-texts.ts'
import { attempt } from './attempt.ts'

/** The shared error handler: shows each message of the server as a toast. */
export function showCallError(error: unknown): void {
  for (const text of textsOf(error)) showError(text)
}

/** The messages of a failed call. */
export function textsOf(error: unknown): string[] {
  return error instanceof CallError
    ? errorTexts(error.complaint)
    : errorTexts({ status: 0, message: '', domainErrors: [], validationErrors: [] })
}

/** Reports a rendering error to support. A failed report is ignored, so that it does not cause a second error. */
export function reportError(error: unknown, tenant: string | undefined, componentStack: string): void {
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  const body = {
    tenant: tenant ?? null,
    message: bounded(message, errorLengths.message) || 'Error',
    stack: bounded(stack ?? '', errorLengths.stack),
    componentStack: bounded(componentStack, errorLengths.stack),
  }
  void attempt(logError, { body })
}

/** Text of limited length without control characters, as the call requires. */
function bounded(text: string, length: number): string {
  // oxlint-disable-next-line no-control-regex -- control characters are removed
  return text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, ' ').slice(0, length)
}
