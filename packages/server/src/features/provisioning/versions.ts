import { Fault } from '@caretaker/rules/provisioning/fault.ts'
import { etagOf } from './resources.ts'

export function expectFound<T>(row: T | undefined, detail: string): T {
  if (!row) throw new Fault(undefined, detail, 404)
  return row
}

/** Refuses to change a version that the directory has not read. */
export function expectVersion(row: { version: number }, ifMatch: string | undefined): void {
  if (!namesVersion(row, ifMatch))
    throw new Fault(undefined, 'The resource has changed since it was read. Please read it again.', 412)
}

function namesVersion(row: { version: number }, header: string | undefined): boolean {
  if (header === undefined) return true
  const strong = etagOf(row).slice('W/'.length)
  return header.split(',').some((one) => ['*', strong].includes(one.trim().replace(/^W\//, '')))
}

/** Whether the directory has this version already. */
export const isKnown = (row: { version: number }, ifNoneMatch: string | undefined) =>
  ifNoneMatch !== undefined && namesVersion(row, ifNoneMatch)
