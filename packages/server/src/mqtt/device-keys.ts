import { createHash, randomBytes } from 'node:crypto'
import type { Config } from '../config.ts'

/** A new key of a device: what it signs in with, and all of it that is kept. It has more chance in it than could be tried. */
export function newDeviceKey(): { password: string; hash: Buffer } {
  // None begins with a minus: a file of keys would bear an apostrophe before it, as before all that a spreadsheet takes for a formula.
  const password = randomBytes(24).toString('base64url').replace(/^-/, '_')
  return { password, hash: createHash('sha256').update(password).digest() }
}

/** Whom a device is told to speak to: what the ingest parts sign in with at a broker is not for devices. */
export function addressForDevices({ mqtt: { tls, port }, mqttUrl, origin }: Config): string {
  if (!mqttUrl) return `${tls ? 'mqtts' : 'mqtt'}://${new URL(origin).hostname}:${port}`
  const { protocol, host } = new URL(mqttUrl)
  return `${protocol}//${host}`
}
