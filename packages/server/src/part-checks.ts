import type { Part } from './config.ts'

/**
 * Why a part of this process does not work at the moment; undefined if it does. It must not wait for anything
 * external.
 */
export type PartCheck = () => Promise<string | undefined> | string | undefined

/** The parts that a process runs, and whether each works. */
export interface PartChecks {
  /** Registers a started part; returns the function that registers its stop. */
  started(part: Part, check?: PartCheck): () => void
  /** Each part with its fault, if any. */
  faults(): Promise<{ part: Part; fault: string | undefined }[]>
}

export function openPartChecks(parts: readonly Part[]): PartChecks {
  const running = new Map<Part, PartCheck>()
  return {
    started: (part, check = () => undefined) => {
      running.set(part, check)
      return () => void running.delete(part)
    },
    faults: () =>
      Promise.all(
        parts.map(async (part) => {
          const check = running.get(part)
          return { part, fault: check ? await check() : 'not running' }
        }),
      ),
  }
}
