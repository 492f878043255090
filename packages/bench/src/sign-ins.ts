import net from 'node:net'
import { connectPacket } from './packets.ts'

const signInWithin = 30_000

export interface Key {
  deviceId: string
  key: string
}

/** Opens a connection and signs in; rejects if the server refuses it, closes it or does not respond in time. */
function signIn(port: number, { deviceId, key }: Key, within: number): Promise<net.Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<net.Socket>()
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
  const onClose = () => reject(new Error(`the server closed the connection of ${deviceId} before it had signed in`))
  const timer = setTimeout(() => {
    reject(new Error(`the server did not answer the sign-in of ${deviceId} within ${within} ms`))
    socket.destroy()
  }, within)
  socket.on('error', reject).on('close', onClose)
  socket.once('data', ([, , , code]: Buffer) => {
    clearTimeout(timer)
    socket.off('error', reject).off('close', onClose)
    if (code === 0) return resolve(socket)
    socket.destroy()
    reject(new Error(`the server refused ${deviceId} with ${code}`))
  })
  socket.write(connectPacket(deviceId, key))
  return promise
}

interface SignIns<Device extends Key> {
  port: number
  /** The number of concurrent sign-ins. */
  atOnce: number
  devices: readonly Device[]
  /** How long the server may take to respond to one of them, in ms. */
  within?: number
}

/**
 * Signs in all devices, `atOnce` at a time: the server closes connections from an address with too many that have not signed in yet
 * (MQTT_WAITING_PER_ADDRESS).
 */
export async function signInAll<Device extends Key>(
  { port, atOnce, devices, within = signInWithin }: SignIns<Device>,
  onSignedIn: (socket: net.Socket, device: Device) => void,
): Promise<void> {
  const waiting = devices.values()
  const next = async () => {
    for (const device of waiting) onSignedIn(await signIn(port, device, within), device)
  }
  await Promise.all(Array.from({ length: atOnce }, next))
}
