/** Topics of the device link: `devices/{deviceId}/{channel}`. A device is addressed by its own id, never by its tenant. */
export const upChannels = ['telemetry', 'state', 'events', 'tests', 'replies'] as const
export type UpChannel = (typeof upChannels)[number]
export type Channel = UpChannel | 'commands'

/** The largest accepted payload, in bytes. */
export const payloadLimit = 128 * 1024

export function topic(deviceId: string, channel: Channel): string {
  return `devices/${deviceId}/${channel}`
}

const shape = /^devices\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\/([a-z]+)$/

/** Parses a topic; undefined for a topic that is not a device's. */
export function parseTopic(text: string): { deviceId: string; channel: Channel } | undefined {
  const found = shape.exec(text)
  if (!found) return undefined
  const channel = found[2] as Channel
  if (channel !== 'commands' && !(upChannels as readonly string[]).includes(channel)) return undefined
  return { deviceId: found[1]!, channel }
}
