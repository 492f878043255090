// A shell runs this instead of `npm run caretaker`: the test's operator process does the work (operator-shell.ts).
import net from 'node:net'
import { text } from 'node:stream/consumers'

const socket = net.connect(Number(process.env.CARETAKER_TEST_OPERATOR), '127.0.0.1')
socket.end(JSON.stringify({ args: process.argv.slice(2), env: process.env, cwd: process.cwd() }))
const { code, stdout, stderr } = JSON.parse(await text(socket))
process.stdout.write(stdout)
process.stderr.write(stderr)
process.exitCode = code
