import { Fault } from './fault.ts'
import { isObject } from './values.ts'

/** An operation of a PATCH request (RFC 7644, section 3.5.2). */
export interface Operation {
  op: 'add' | 'replace' | 'remove'
  path: string | undefined
  value: unknown
}

const mostOperations = 1000

/** Reads the operations of a PATCH request. Entra ID writes their names with a capital. */
export function readOperations(body: unknown): Operation[] {
  if (!isObject(body)) throw new Fault('invalidSyntax', 'The body must be a JSON object.')
  const given = Object.entries(body).find(([name]) => name.toLowerCase() === 'operations')?.[1]
  if (!Array.isArray(given) || !given.length)
    throw new Fault('invalidSyntax', 'Operations must be a list with at least one operation.')
  if (given.length > mostOperations)
    throw new Fault('invalidSyntax', `A request can have at most ${mostOperations} operations.`)
  return given.map(readOperation)
}

function readOperation(given: unknown): Operation {
  if (!isObject(given)) throw new Fault('invalidSyntax', 'An operation must be a JSON object.')
  const { op: name, path, value } = given
  const op = typeof name === 'string' ? name.toLowerCase() : undefined
  if (op !== 'add' && op !== 'replace' && op !== 'remove')
    throw new Fault('invalidSyntax', 'The op of an operation must be add, replace or remove.')
  if (path !== undefined && path !== null && typeof path !== 'string')
    throw new Fault('invalidPath', 'The path of an operation must be a string.')
  return { op, path: path || undefined, value }
}
