import { storedAddresses, withInstalledAddresses } from '../addresses.ts'
import type { NewDevices, Operator } from '../cli/operator.ts'
import { addDevice } from '../cli/operator.ts'
import { loadConfig } from '../config.ts'
import { joinDatabase } from '../postgres/open.ts'
import { openDb, openPool } from '../postgres/pool.ts'

/**
 * A process that runs operator commands one after the other: starting one for each took a tenth of the test time. A
 * message is a command, or devices to add; the reply is the outcome. The command line is loaded again for each
 * command, its dependencies are not.
 */
export interface Command {
  args: readonly string[]
  /** Settings in addition to those of the process. */
  env?: Record<string, string>
  cwd?: string
}
export interface Outcome {
  code: number
  stdout: string
  stderr: string
  /** Whether the process ended with it. */
  isOver: boolean
}

const answer = (outcome: Outcome) => process.send!(outcome)
let kept: Pick<Outcome, 'stdout' | 'stderr'>
let count = 0
const exit = process.exit.bind(process)
const home = process.cwd()

async function runCommand({ args, env = {}, cwd = home }: Command): Promise<void> {
  kept = { stdout: '', stderr: '' }
  process.argv.splice(2, Infinity, ...args)
  count += 1
  process.chdir(cwd)
  const before = { ...process.env }
  Object.assign(process.env, env)
  let ended: Outcome | undefined
  // Invalid arguments end a command, but not this process.
  process.exit = (code) => {
    ended ??= { ...kept, code: Number(code ?? 0), isOver: false }
    throw new Error('the command has ended')
  }
  await import(`../cli/main.ts?${count}`)
  process.exit = exit
  for (const name of Object.keys(env)) delete process.env[name]
  Object.assign(process.env, before)
  const code = Number(process.exitCode ?? 0)
  process.exitCode = 0
  answer(ended ?? { ...kept, code, isOver: false })
}

let opened: Promise<Operator> | undefined

async function openOperator(): Promise<Operator> {
  const config = loadConfig()
  const complain = (line: string) => process.stderr.write(`${line}\n`)
  const database = await joinDatabase(config, complain)
  const owner = openPool(database.url, 'owner', 2)
  const addresses = await storedAddresses(owner)
  return {
    config: withInstalledAddresses({ ...config, dataDir: database.dataDir }, addresses, complain),
    owner,
    db: openDb(owner),
  }
}

/**
 * Does the same as `caretaker device add --json` over a connection that stays open, because tests do this most often.
 */
async function addDevices(wanted: NewDevices): Promise<void> {
  kept = { stdout: '', stderr: '' }
  try {
    const operator = await (opened ??= openOperator())
    for await (const credentials of addDevice(operator, wanted)) kept.stdout += `${JSON.stringify(credentials)}\n`
    answer({ ...kept, code: 0, isOver: false })
  } catch (error) {
    answer({ ...kept, stderr: String(error), code: 1, isOver: false })
  }
}

for (const name of ['stdout', 'stderr'] as const) {
  process[name].write = (text: string | Uint8Array) => {
    kept[name] += String(text)
    return true
  }
}
process.on('exit', (code) => process.connected && answer({ ...kept, code, isOver: true }))
process.on('message', (asked: Command | NewDevices) => void ('args' in asked ? runCommand(asked) : addDevices(asked)))
process.on('disconnect', () => process.exit())
