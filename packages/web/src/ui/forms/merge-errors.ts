import type { CallFailure } from '@caretaker/contract/error-texts.ts'
import { statusText } from '@caretaker/contract/error-texts.ts'

/** The errors of a refused call in a form. */
export interface FormFaults {
  /** Messages by form field. */
  fields: Record<string, string[]>
  /** Messages that belong to no field. */
  whole: string[]
}

/**
 * Sorts server errors into the fields of a form: validation errors go to their field; domain errors and unknown fields
 * apply to the whole form. If there is neither, the text of the status is used (core specification, section 5), unless
 * the refusal has its own message.
 */
export function formFaults(complaint: CallFailure, fields: readonly string[]): FormFaults {
  const { status, message, domainErrors, validationErrors } = complaint
  const faults: FormFaults = { fields: {}, whole: [...domainErrors] }
  for (const { field, message: text } of validationErrors) {
    const name = fieldNamed(field, fields)
    if (name === undefined) faults.whole.push(text)
    else (faults.fields[name] ??= []).push(text)
  }
  const shownAtField = Object.values(faults.fields).flat().includes(message)
  const hasMessage = status < 500 && message !== '' && message !== statusText(status) && !shownAtField
  if (hasMessage) faults.whole.unshift(message)
  else if (domainErrors.length + validationErrors.length === 0) faults.whole.push(statusText(status))
  faults.whole = [...new Set(faults.whole)]
  return faults
}

/** The form field of a server path: 'body.email', 'email', 'user.email' and 'body.tags.0.value' mean email and tags. */
function fieldNamed(path: string, fields: readonly string[]): string | undefined {
  // A call has fields at its top level or within its subject.
  const outermost = path
    .replace(/^body\./, '')
    .toLowerCase()
    .split('.')
    .slice(0, 2)
  const named = (part: string) => fields.find((field) => field.toLowerCase() === part)
  return outermost.map(named).find((field) => field !== undefined)
}
