/**
 * A device's MQTT packets as bytes. Load generators use raw sockets, so that they take little of the machine's CPU
 * time.
 */

const publishQos1 = 0x32

/** A length in MQTT encoding. */
function variableLength(length: number): number[] {
  const bytes = []
  do {
    bytes.push(length > 127 ? (length & 127) | 128 : length)
    length >>= 7
  } while (length > 0)
  return bytes
}

export const text = (value: string) => {
  const bytes = Buffer.from(value)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
}

export function connectPacket(deviceId: string, key: string): Buffer {
  const userPasswordClean = 0xc2
  const noKeepAlive = [0, 0]
  const body = Buffer.concat([
    text('MQTT'),
    Buffer.from([4, userPasswordClean, ...noKeepAlive]),
    text(deviceId),
    text(deviceId),
    text(key),
  ])
  return Buffer.concat([Buffer.from([0x10, ...variableLength(body.length)]), body])
}

export function publishPacket(topic: Buffer, messageId: number, payload: string): Buffer {
  const body = Buffer.from(payload)
  return Buffer.concat([
    Buffer.from([publishQos1, ...variableLength(topic.length + 2 + body.length)]),
    topic,
    Buffer.from([messageId >> 8, messageId & 255]),
    body,
  ])
}
