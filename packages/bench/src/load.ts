import { once } from 'node:events'
import net from 'node:net'
import { connectPacket, publishPacket, text } from './packets.ts'

/**
 * A load generator in a process of its own: many devices that each keep a window of readings on their way, over bare
 * sockets, so that it takes as little as possible of the machine that is measured.
 */
export interface LoadOrder {
  port: number
  /** Acknowledgements outstanding for each connection. */
  window: number
  /** Milliseconds that a device waits after an acknowledgement; without it, it sends again at once. */
  pause?: number
  devices: { deviceId: string; key: string; children: string[] }[]
}

/** Sent every second, and once more with `done`. */
export interface LoadReport {
  acknowledged: number
  /** Counts by whole milliseconds from sending to acknowledgement; the last one holds all that are longer. */
  latency: number[]
  connections: number
  memory: number
}

const longest = 5000
const noneYet = () => Array.from({ length: longest + 1 }, () => 0)

async function generate({ port, window, pause = 0, devices }: LoadOrder): Promise<void> {
  let acknowledged = 0
  let latency = noneYet()
  let running = true
  let open = 0

  const speak = async ({ deviceId, key, children }: LoadOrder['devices'][number]) => {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
    socket.write(connectPacket(deviceId, key))
    const [connack] = (await once(socket, 'data')) as [Buffer]
    if (connack[3] !== 0) throw new Error(`refused with ${connack[3]}`)
    open++
    const sentAt = new Float64Array(65_536)
    const topics = [deviceId, ...children].map((id) => text(`devices/${id}/telemetry`))
    const last = topics.map(() => 0)
    let messageId = 0
    const next = () => {
      messageId = (messageId % 65_535) + 1
      const who = messageId % topics.length
      last[who] = Math.max(last[who]! + 1, Date.now())
      sentAt[messageId] = performance.now()
      const wave = messageId % 500
      const values = `{"temperature":${18 + wave / 100},"humidity":${40 + wave / 50},"co2":${400 + wave}}`
      return publishPacket(topics[who]!, messageId, `{"ts":${last[who]},"values":${values}}`)
    }
    let rest = Buffer.alloc(0)
    socket.on('data', (bytes) => {
      const all = rest.length ? Buffer.concat([rest, bytes]) : bytes
      const now = performance.now()
      let at = 0
      const packets: Buffer[] = []
      for (; at + 4 <= all.length; at += 4) {
        if (all[at] !== 0x40) throw new Error(`unexpected packet ${all[at]}`)
        const taken = now - sentAt[all.readUInt16BE(at + 2)]!
        latency[Math.min(longest, Math.floor(taken))]!++
        acknowledged++
        if (!running) continue
        if (pause) setTimeout(() => socket.write(next()), pause)
        else packets.push(next())
      }
      rest = all.subarray(at)
      if (packets.length) socket.write(Buffer.concat(packets))
    })
    socket.on('close', () => open--)
    socket.write(Buffer.concat(Array.from({ length: window }, next)))
  }

  await Promise.all(devices.map(speak))
  const report = () => {
    process.send!({ acknowledged, latency, connections: open, memory: process.memoryUsage().rss } satisfies LoadReport)
    acknowledged = 0
    latency = noneYet()
  }
  setInterval(report, 1000)
  process.on('message', (message) => message === 'stop' && (running = false))
}

process.on('disconnect', () => process.exit(0))
process.once('message', (order: LoadOrder) => {
  generate(order).catch((error: unknown) => {
    console.error(error)
    process.exit(1)
  })
})
