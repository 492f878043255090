import { createHash, timingSafeEqual } from 'node:crypto'
import { parseTopic } from '@caretaker/contract/mqtt/topics.ts'
import type { DeviceRoute, Routes } from './routes.ts'

export const deviceIdShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const hashOf = (key: Buffer) => createHash('sha256').update(key).digest()
const noKey = Buffer.alloc(0)
const unmatchableHash = hashOf(noKey)

/** Returns the route of the device with this key. A wrong key and an unknown device take the same code path. */
export async function signIn(routes: Routes, username = '', key: Buffer = noKey): Promise<DeviceRoute | undefined> {
  if (!deviceIdShape.test(username)) return undefined
  const route = await routes.find(username)
  const right = timingSafeEqual(
    hashOf(key),
    route?.keyHash?.length === unmatchableHash.length ? route.keyHash : unmatchableHash,
  )
  return right && route?.keyHash && key.length ? route : undefined
}

/** A device may only set a last will for itself. */
export function isOwnWill(deviceId: string, willTopic: string | undefined): boolean {
  if (willTopic === undefined) return true
  const found = parseTopic(willTopic)
  return found?.deviceId === deviceId && found.channel !== 'commands'
}
