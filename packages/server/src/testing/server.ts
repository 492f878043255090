import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startEmbedded } from '../postgres/embedded.ts'

// The test command runs this beside the tests: one server for all files. It prints its address and runs until its
// standard input ends. A signal to the whole process group, such as Ctrl-C, must not end it before its Postgres has
// stopped.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-test-'))
// Nothing in it outlives the tests; crash tests use servers of their own.
const passing = { fsync: 'off', full_page_writes: 'off', max_wal_size: '8GB', max_connections: '200' }
const server = await startEmbedded(folder, passing)
process.stdout.write(`${server.url}\n`)
process.stdin.resume()
process.stdin.on('end', () => {
  void server.stop().then(() => {
    rmSync(folder, { recursive: true, force: true })
    process.exit(0)
  })
})
