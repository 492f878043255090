import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Command, Outcome } from './operator-process.ts'

const program = fileURLToPath(new URL('./operator-process.ts', import.meta.url))

/** Shared by the files of a worker; it ends with the worker. */
let child: ChildProcess | undefined
let before: Promise<unknown> = Promise.resolve()

/**
 * Runs operator commands with these settings, one after the other in a process that is restarted only if a command
 * ends it.
 */
export const openOperator = (env: Record<string, string>) => ({
  run: (args: readonly string[]) => runCommand({ args, env }),
})
export type TestOperator = ReturnType<typeof openOperator>

/** Runs one command after the earlier ones. */
export function runCommand(command: Command): Promise<Outcome> {
  const outcome = before.then(() => outcomeOf(command))
  before = outcome.catch(() => undefined)
  return outcome
}

async function outcomeOf(command: Command): Promise<Outcome> {
  if (!child) {
    child = fork(program, { execArgv: ['--disable-warning=ExperimentalWarning'] })
    child.unref()
  }
  child.channel!.ref()
  child.send(command)
  const [outcome] = (await once(child, 'message')) as [Outcome]
  child.channel?.unref()
  if (outcome.isOver) child = undefined
  return outcome
}
