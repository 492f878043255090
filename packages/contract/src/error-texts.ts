const statusTexts: Record<number, string> = {
  400: 'Request failed.',
  401: 'Unauthorized.',
  403: "You don't have permission.",
  404: 'Not found.',
  500: 'Server error.',
}

/** The text of an HTTP status (core specification, section 8). */
export function statusText(status: number): string {
  return statusTexts[status] ?? 'Something went wrong!'
}

/** A failed call, as the shared error handler reads it. */
export interface CallFailure {
  /** The HTTP status; 0 when there was no response. */
  status: number
  message: string
  domainErrors: readonly string[]
  validationErrors: readonly { field: string; message: string }[]
}

/**
 * The texts that the shared error handler shows, in order (core specification, section 8): the server's message, each domain and
 * validation error that differs from it, and the status text when there is neither a message nor a domain error.
 */
export function errorTexts(complaint: CallFailure): string[] {
  const { status, message, domainErrors, validationErrors } = complaint
  const details = [...domainErrors, ...validationErrors.map((error) => error.message)]
  return [
    ...(message ? [message] : []),
    ...(!message && domainErrors.length === 0 ? [statusText(status)] : []),
    ...details.filter((text) => text !== message),
  ]
}

/** The text of a version 1 error: its reason, otherwise its message, otherwise the fixed text (core specification, section 7.1). */
export function version1Text(answer: { reason?: string | null; message?: string | null }): string {
  return answer.reason || answer.message || 'Failed to update device, please try again'
}

const text = (value: unknown) => (typeof value === 'string' ? value : '')
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Reads an error response of either shape; any other body is treated as empty. */
export function parseCallFailure(status: number, body: unknown): CallFailure {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  return {
    status,
    message: text(fields.reason) || text(fields.message),
    domainErrors: list(fields.domainErrors).map(text).filter(Boolean),
    validationErrors: list(fields.validationErrors)
      .map((error) => (typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {}))
      .map((error) => ({ field: text(error.field), message: text(error.message) }))
      .filter((error) => error.message !== ''),
  }
}

/** Thrown by `call` for every call that did not succeed. `status` is 0 when there was no response. */
export class CallError extends Error {
  override name = 'CallError'
  readonly status: number
  readonly complaint: CallFailure
  constructor(complaint: CallFailure) {
    super(complaint.message)
    this.status = complaint.status
    this.complaint = complaint
  }
}
