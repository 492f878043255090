import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'

/**
 * Runs before the first test of a project: one Postgres for all test files, each with its own databases. It is the
 * one named by TEST_DATABASE_URL, else an embedded one that ends with the run.
 */
export default async function startServerForTests(): Promise<() => Promise<void>> {
  // Another project of the same run may have started it.
  const { CARETAKER_TEST_DATABASE: running, TEST_DATABASE_URL: given } = process.env
  if (running ?? given) {
    process.env.CARETAKER_TEST_DATABASE = running ?? given
    return async () => {}
  }
  const program = path.join(import.meta.dirname, 'server.ts')
  // Its standard input closes when this process ends for any reason; the server then stops.
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const address = await Promise.race([once(child.stdout, 'data'), ended.then(() => undefined)])
  if (!address) throw new Error('the Postgres for the tests did not start')
  process.env.CARETAKER_TEST_DATABASE = String(address[0]).trim()
  return async () => {
    child.stdin.end()
    await ended
  }
}
