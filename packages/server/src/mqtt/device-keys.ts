import { createHash, randomBytes } from 'node:crypto'
import type { Config } from '../config.ts'

/** A new key of a device: what it signs in with, and all of it that is kept. It has more chance in it than could be tried. */
export function newDeviceKey(): { password: string; hash: Buffer } {
  // None begins with a minus: a file of keys would bear an apostrophe before it, as before all that a spreadsheet takes for a formula.
  const password = randomBytes(24).toString('base64url').replace(/^-/, '_')
  return { password, hash: createHash('sha256').update(password).digest() }
}

/**
 * The address that devices connect to: MQTT_PUBLIC_URL, else the broker's, without the password of the ingest parts; empty where
 * the origin is, whose host it would have.
 */
export function addressForDevices(config: Config): string {
  const { tls, port, publicUrl } = config.mqtt
  if (publicUrl) return publicUrl
  if (!config.mqttUrl) {
    const { origin } = config
    return origin && `${tls ? 'mqtts' : 'mqtt'}://${new URL(origin).hostname}:${port}`
  }
  const { protocol, host } = new URL(config.mqttUrl)
  return `${protocol}//${host}`
}
