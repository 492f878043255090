/**
 * A process that runs one operator's command after another: starting one for each took a tenth of the time of the tests. A message is the
 * arguments of a command, its answer an outcome. The command line is read anew for each, and all that it stands on is kept.
 */
export interface Outcome {
  code: number
  stdout: string
  stderr: string
  /** Whether the process ends with it: arguments that are not understood end it. */
  isOver: boolean
}

const answer = (outcome: Outcome) => process.send!(outcome)
let kept: Pick<Outcome, 'stdout' | 'stderr'>
let count = 0

async function runCommand(args: readonly string[]): Promise<void> {
  kept = { stdout: '', stderr: '' }
  process.argv.splice(2, Infinity, ...args)
  count += 1
  await import(`../cli/main.ts?${count}`)
  const code = Number(process.exitCode ?? 0)
  process.exitCode = 0
  answer({ ...kept, code, isOver: false })
}

for (const name of ['stdout', 'stderr'] as const) {
  process[name].write = (text: string | Uint8Array) => {
    kept[name] += String(text)
    return true
  }
}
process.on('exit', (code) => process.connected && answer({ ...kept, code, isOver: true }))
process.on('message', (args: string[]) => void runCommand(args))
