import type { Complaint } from '@caretaker/contract/error-texts.ts'
import { statusText } from '@caretaker/contract/error-texts.ts'

/** What a form shows of a refused call. */
export interface FormFaults {
  /** Texts by field of the form. */
  fields: Record<string, string[]>
  /** Texts of no single field. */
  whole: string[]
}

/**
 * Sorts what the server said into the fields of a form: validation errors go to their field; domain errors, and what has no
 * field here, stand for the whole. With neither of them the text of the status does (core specification, section 5), unless
 * the refusal of a rule says more than its status.
 */
export function formFaults(complaint: Complaint, fields: readonly string[]): FormFaults {
  const { status, message, domainErrors, validationErrors } = complaint
  const faults: FormFaults = { fields: {}, whole: [...domainErrors] }
  for (const { field, message: text } of validationErrors) {
    const name = fieldNamed(field, fields)
    if (name === undefined) faults.whole.push(text)
    else (faults.fields[name] ??= []).push(text)
  }
  const saidAtField = Object.values(faults.fields).flat().includes(message)
  const saysMore = status < 500 && message !== '' && message !== statusText(status) && !saidAtField
  if (saysMore) faults.whole.unshift(message)
  else if (domainErrors.length + validationErrors.length === 0) faults.whole.push(statusText(status))
  faults.whole = [...new Set(faults.whole)]
  return faults
}

/** The form's field that the server means: 'body.email', 'email', 'user.email' and 'body.tags.0.value' name email and tags. */
function fieldNamed(path: string, fields: readonly string[]): string | undefined {
  // A call takes fields at its top or within the object that it is about.
  const outermost = path
    .replace(/^body\./, '')
    .toLowerCase()
    .split('.')
    .slice(0, 2)
  const named = (part: string) => fields.find((field) => field.toLowerCase() === part)
  return outermost.map(named).find((field) => field !== undefined)
}
