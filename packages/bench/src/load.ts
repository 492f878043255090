import { setTimeout as sleep } from 'node:timers/promises'
import type net from 'node:net'
import { signInAll } from './sign-ins.ts'
import type { LoadDevice, LoadOrder, LoadReport, LoadTotals } from './load-order.ts'
import { drainsWithin } from './load-order.ts'
import { publishPacket, text } from './packets.ts'

const messageIds = 65_536

/**
 * A load generator in a separate process: many devices that each keep a number of messages in flight, over raw sockets, so that it
 * uses little CPU time of the measured machine.
 */
async function generate({ port, atOnce, window, pause, after = 0, stateEvery, devices }: LoadOrder): Promise<void> {
  const totals: LoadTotals = { kind: 'totals', sent: 0, acknowledged: 0, readings: 0, latest: after }
  let reported = 0
  let latency = new Map<number, number>()
  let isRunning = true
  let open = 0

  const start = (socket: net.Socket, { deviceId, children }: LoadDevice) => {
    open++
    const sentAt = new Float64Array(messageIds)
    const isState = new Uint8Array(messageIds)
    const channels = [deviceId, ...children].map((id) => ({
      telemetry: text(`devices/${id}/telemetry`),
      state: text(`devices/${id}/state`),
      lastReading: after,
      // Spreads the states of all devices over the run.
      messages: Math.floor(Math.random() * (stateEvery ?? 1)),
      isFaulty: false,
    }))
    let messageId = 0
    const next = () => {
      messageId = (messageId % (messageIds - 1)) + 1
      totals.sent++
      sentAt[messageId] = performance.now()
      const channel = channels[messageId % channels.length]!
      channel.messages++
      isState[messageId] = stateEvery && channel.messages % stateEvery === 0 ? 1 : 0
      if (isState[messageId]) {
        channel.isFaulty = !channel.isFaulty
        return publishPacket(channel.state, messageId, channel.isFaulty ? faulty : well)
      }
      // Each reading has its own time: one point for each value of each message.
      channel.lastReading = Math.max(channel.lastReading + 1, Date.now())
      totals.latest = Math.max(totals.latest, channel.lastReading)
      const wave = messageId % 500
      const values = `{"flowTemperature":${40 + wave / 50},"returnTemperature":${30 + wave / 50},"systemPressure":${1 + wave / 1000}}`
      return publishPacket(channel.telemetry, messageId, `{"ts":${channel.lastReading},"values":${values}}`)
    }
    let rest = Buffer.alloc(0)
    socket.on('data', (bytes) => {
      const all = rest.length ? Buffer.concat([rest, bytes]) : bytes
      const now = performance.now()
      let at = 0
      const packets: Buffer[] = []
      for (; at + 4 <= all.length; at += 4) {
        if (all[at] !== 0x40) throw new Error(`unexpected packet ${all[at]}`)
        const id = all.readUInt16BE(at + 2)
        const ms = Math.floor(now - sentAt[id]!)
        latency.set(ms, (latency.get(ms) ?? 0) + 1)
        totals.acknowledged++
        if (!isState[id]) totals.readings++
        if (!isRunning) continue
        if (pause) setTimeout(() => isRunning && socket.write(next()), pause)
        else packets.push(next())
      }
      rest = all.subarray(at)
      if (packets.length) socket.write(Buffer.concat(packets))
    })
    socket.on('close', () => open--).on('error', (error) => console.error(error))
    return () => socket.write(Buffer.concat(Array.from({ length: window }, next)))
  }

  const begin: (() => void)[] = []
  await signInAll({ port, atOnce, devices }, (socket, device) => begin.push(start(socket, device)))
  for (const one of begin) one()
  const report = () => {
    process.send!({
      kind: 'second',
      acknowledged: totals.acknowledged - reported,
      total: totals.acknowledged,
      latency: [...latency],
      connections: open,
      memory: process.memoryUsage().rss,
    } satisfies LoadReport)
    reported = totals.acknowledged
    latency = new Map()
  }
  const reporting = setInterval(report, 1000)
  process.on('message', (message) => {
    if (message !== 'stop') return
    isRunning = false
    clearInterval(reporting)
    void drained().then(() => process.send!(totals))
  })
  const drained = async () => {
    for (const end = Date.now() + drainsWithin; totals.acknowledged < totals.sent && Date.now() < end;) await sleep(20)
  }
}

const faulty = JSON.stringify({
  faultCode: 'F28',
  fault: { faultSource: 'boiler', description: 'Ignition lockout', isResettable: true },
})
const well = JSON.stringify({ faultCode: 'None', fault: null })

process.on('disconnect', () => process.exit(0))
process.once('message', (order: LoadOrder) => {
  generate(order).catch((error: unknown) => {
    console.error(error)
    process.exit(1)
  })
})
