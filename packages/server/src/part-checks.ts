import type { Part } from './config.ts'

/** Why a part of this process does not do its work just now; undefined where it does. It must not wait for anything outside. */
export type PartCheck = () => Promise<string | undefined> | string | undefined

/** The parts that a process was started with, and whether each does its work. */
export interface PartChecks {
  /** A part has started; gives what says that it has stopped. */
  started(part: Part, check?: PartCheck): () => void
  /** Each part, with what keeps it from its work. */
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
