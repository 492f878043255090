import { createHash, randomBytes } from 'node:crypto'
import type { Config } from '../config.ts'
import { mosquittoHash } from './mosquitto-password.ts'

/** The hashes of a device key that are stored. */
export interface KeyHashes {
  hash: Buffer
  /** The hash for mosquitto's password file, which cannot be derived from the other one. */
  mosquittoHash: string
}

/** A new device key: the password and the hashes that are stored. It is too random to be guessed. */
export function newDeviceKey(): { password: string } & KeyHashes {
  // No key starts with a minus sign: a key file would escape it with an apostrophe, like any value that a spreadsheet
  // could take for a formula.
  const password = randomBytes(24).toString('base64url').replace(/^-/, '_')
  return { password, ...hashesOf(password) }
}

export function hashesOf(password: string): KeyHashes {
  const hash = createHash('sha256').update(password).digest()
  return { hash, mosquittoHash: mosquittoHash(password, saltOf(hash)) }
}

/**
 * The salt of the hash for mosquitto is the beginning of the other hash, so that a hash of a former key is recognised:
 * a process of the previous version replaces only the other one.
 */
export const saltOf = (hash: Buffer) => hash.subarray(0, 12)

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
