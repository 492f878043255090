import type net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { signInAll } from './sign-ins.ts'
import { publishPacket, text } from './packets.ts'

/**
 * Devices that report a fault, and its end in the next round, through their gateways, in a separate process. The pace is fixed and
 * does not wait for acknowledgements.
 */
export interface FaultsOrder {
  port: number
  /** The number of concurrent sign-ins. */
  atOnce: number
  /** Whether every other device of a gateway is a round ahead, so that each round ends as many faults as it starts. */
  isMixed?: boolean
  gateways: { deviceId: string; key: string; children: readonly string[] }[]
}

/** The number of messages to send, one after the other. */
export interface FaultsWanted {
  messages: number
  perSecond: number
}

/** Sent when all messages are acknowledged. */
export interface FaultsResult {
  /** For each message, the ms from its planned time to its acknowledgement. */
  latency: number[]
}

/** Sent occasionally: the latest report of one device, with its time. */
export interface FaultReport {
  deviceId: string
  isFaulty: boolean
  at: number
}

/** The interval between batches in ms; each batch contains the messages that are due. */
const tick = 5
const reportEvery = 100

const faulty = (code: string) =>
  JSON.stringify({
    faultCode: code,
    fault: { faultSource: 'boiler', description: 'Ignition lockout', isResettable: true },
  })
const well = JSON.stringify({ faultCode: 'None', fault: null })

/** Returns a function that sends a signed-in gateway's next message and calls back when it is acknowledged. */
function speakerOf(socket: net.Socket, { children }: FaultsOrder['gateways'][number], isMixed: boolean) {
  const topics = children.map((id) => text(`devices/${id}/state`))
  const waiting = new Map<number, (at: number) => void>()
  let [turn, messageId] = [0, 0]
  let rest = Buffer.alloc(0)
  socket.on('data', (bytes) => {
    const now = performance.now()
    const all = rest.length ? Buffer.concat([rest, bytes]) : bytes
    let at = 0
    for (; at + 4 <= all.length; at += 4) {
      if (all[at] !== 0x40) throw new Error(`unexpected packet ${all[at]}`)
      const id = all.readUInt16BE(at + 2)
      waiting.get(id)?.(now)
      waiting.delete(id)
    }
    rest = all.subarray(at)
  })
  socket.on('close', () => process.exit(1))
  return (acknowledged: (at: number) => void): Omit<FaultReport, 'at'> => {
    const at = turn % children.length
    const round = Math.floor(turn++ / children.length)
    const isFaulty = (round + (isMixed ? at : 0)) % 2 === 0
    messageId = (messageId % 65_535) + 1
    waiting.set(messageId, acknowledged)
    socket.write(publishPacket(topics[at]!, messageId, isFaulty ? faulty(`F${round % 90}`) : well))
    return { deviceId: children[at]!, isFaulty }
  }
}

async function sendFaults(
  gateways: ReturnType<typeof speakerOf>[],
  { messages, perSecond }: FaultsWanted,
): Promise<FaultsResult> {
  const latency: number[] = []
  const { promise: isOver, resolve } = Promise.withResolvers<void>()
  const begun = performance.now()
  let lastReport = 0
  for (let n = 0; n < messages;) {
    const now = performance.now()
    for (; n < messages && begun + (n * 1000) / perSecond <= now; n++) {
      const due = begun + (n * 1000) / perSecond
      const sent = gateways[next++ % gateways.length]!((at) => {
        latency.push(Math.round((at - due) * 100) / 100)
        if (latency.length === messages) resolve()
      })
      if (now - lastReport < reportEvery) continue
      lastReport = now
      process.send!({ ...sent, at: Date.now() } satisfies FaultReport)
    }
    await sleep(tick)
  }
  await isOver
  return { latency }
}
let next = 0

process.on('disconnect', () => process.exit(0))
process.once('message', (order: FaultsOrder) => {
  void (async () => {
    const { port, atOnce, isMixed = false } = order
    const gateways: ReturnType<typeof speakerOf>[] = []
    await signInAll({ port, atOnce, devices: order.gateways }, (socket, gateway) =>
      gateways.push(speakerOf(socket, gateway, isMixed)),
    )
    process.on('message', (wanted: FaultsWanted) => {
      void sendFaults(gateways, wanted).then((result) => process.send!(result))
    })
    process.send!('ready')
  })()
})
