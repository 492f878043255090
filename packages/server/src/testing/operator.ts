import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Outcome } from './operator-process.ts'

const program = fileURLToPath(new URL('./operator-process.ts', import.meta.url))

/** Runs operator's commands one after the other, in one process as long as none ends it. */
export function openOperator(env: Record<string, string>) {
  let child: ChildProcess | undefined
  return {
    run: async (args: readonly string[]): Promise<Outcome> => {
      child ??= fork(program, { execArgv: ['--disable-warning=ExperimentalWarning'], env: { ...process.env, ...env } })
      child.send(args)
      const [outcome] = (await once(child, 'message')) as [Outcome]
      if (outcome.isOver) child = undefined
      return outcome
    },
    stop: () => child?.disconnect(),
  }
}
