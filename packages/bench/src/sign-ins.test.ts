import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import net from 'node:net'
import { test } from 'vitest'
import { signInAll } from './sign-ins.ts'

const connack = Buffer.from([0x20, 2, 0, 0])
const devices = Array.from({ length: 40 }, (_, n) => ({ deviceId: `device-${n}`, key: 'key' }))

/** A server that closes a connection when more than `most` have not signed in, like the device link. */
async function startServer(most: number, answer: (socket: net.Socket) => void) {
  let waiting = 0
  const server = net.createServer((socket) => {
    if (++waiting > most) socket.destroy()
    socket.on('error', () => {})
    socket.once('data', () => setImmediate(() => (waiting--, answer(socket))))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const sockets: net.Socket[] = []
  server.on('connection', (socket) => sockets.push(socket))
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

test('more devices can sign in than the server allows to wait at a time', async () => {
  using server = await startServer(10, (socket) => socket.write(connack))
  const signedIn: string[] = []
  await signInAll({ port: server.port, atOnce: 5, devices }, (socket, { deviceId }) => {
    signedIn.push(deviceId)
    socket.destroy()
  })
  assert.deepEqual(signedIn.toSorted(), devices.map(({ deviceId }) => deviceId).toSorted())
})

test('a connection that is closed, rejected or left without a response ends with an error', async () => {
  const only = devices.slice(0, 1)
  const signInTo = async (most: number, answer: (socket: net.Socket) => void) => {
    using server = await startServer(most, answer)
    await signInAll({ port: server.port, atOnce: 1, devices: only, within: 200 }, () => assert.fail('signed in'))
  }
  await assert.rejects(
    signInTo(0, () => {}),
    /closed the connection of device-0|ECONNRESET/,
  )
  await assert.rejects(
    signInTo(1, (socket) => socket.write(Buffer.from([0x20, 2, 0, 5]))),
    /refused device-0 with 5/,
  )
  await assert.rejects(
    signInTo(1, () => {}),
    /did not answer the sign-in of device-0 within 200 ms/,
  )
})
