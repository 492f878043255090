import { createHash } from 'node:crypto'
import { refuseOutdated } from '@caretaker/contract/refusal.ts'

/**
 * The version of details that are stored without one: a hash, so that every way to change them changes it. It has 31
 * bits, as the field `version` of the calls allows.
 */
export function versionOf(details: unknown): number {
  return createHash('sha256').update(JSON.stringify(details)).digest().readUInt32BE() >>> 1
}

/** Details with their version. */
export const withVersion = <T extends object>(details: T) => ({ ...details, version: versionOf(details) })

/** Rejects a change that is based on another version than the current one; `subject` is the changed item, in words. */
export function expectCurrent(current: number, version: number | undefined, subject: string): void {
  if (version !== undefined && version !== current)
    throw refuseOutdated(`Someone else has changed ${subject}. Reload and try again.`)
}
