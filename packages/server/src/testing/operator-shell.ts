import { execFile } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Command } from './operator-process.ts'
import { runCommand } from './operator.ts'

const execute = promisify(execFile)
const client = fileURLToPath(new URL('./operator-client.mjs', import.meta.url))

/** A shell that runs lines of a document unchanged; the process of `operator.ts` runs the operator commands. */
export async function openShell() {
  const server = createServer({ allowHalfOpen: true }, (socket) => void answer(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const CARETAKER_TEST_OPERATOR = String((server.address() as AddressInfo).port)
  return {
    /** The output of a line; rejects if it fails. */
    run: async (line: string, { cwd, env }: { cwd?: string; env: Record<string, string> }): Promise<string> => {
      const typed = line.replace(/npm run (--silent )?caretaker --/, `"${process.execPath}" "${client}"`)
      const { stdout } = await execute('bash', ['-euc', typed], {
        cwd,
        env: { ...process.env, ...env, CARETAKER_TEST_OPERATOR },
      })
      return stdout
    },
    close: () => void server.close(),
  }
}

async function answer(socket: Socket): Promise<void> {
  let asked = ''
  // Reading it as a stream would close it, and with it the channel for the reply.
  socket.on('data', (chunk) => (asked += String(chunk)))
  await once(socket, 'end')
  const { code, stdout, stderr } = await runCommand(JSON.parse(asked) as Command)
  socket.end(JSON.stringify({ code, stdout, stderr }))
}
