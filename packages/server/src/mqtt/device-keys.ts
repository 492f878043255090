import { createHash, randomBytes } from 'node:crypto'
import type { Config } from '../config.ts'

/** A new device key: the password and the hash that is stored. It is too random to be guessed. */
export function newDeviceKey(): { password: string; hash: Buffer } {
  // No key starts with a minus sign: a key file would escape it with an apostrophe, like any value that a spreadsheet
  // could take for a formula.
  const password = randomBytes(24).toString('base64url').replace(/^-/, '_')
  return { password, hash: createHash('sha256').update(password).digest() }
}

/**
 * The address that devices connect to: MQTT_PUBLIC_URL, otherwise the broker's address without the ingest
 * credentials; empty where the host of the origin applies.
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
