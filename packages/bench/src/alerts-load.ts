import type net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { signInAll } from './connections.ts'
import { publishPacket, text } from './packets.ts'

/**
 * Devices that report a fault each in its turn, and in the next round that it is gone, through gateways that speak for them; in a
 * process of its own. They do so at the pace that is asked for, however long the acknowledgements take.
 */
export interface FaultsOrder {
  port: number
  /** Sign-ins at a time. */
  atOnce: number
  /** Every other device of a gateway is a round ahead: as many faults end in a round as begin. */
  isMixed?: boolean
  gateways: { deviceId: string; key: string; children: readonly string[] }[]
}

/** So many messages, one after the other. */
export interface FaultsWanted {
  messages: number
  perSecond: number
}

/** Sent when all that was wanted is acknowledged. */
export interface FaultsTold {
  /** Of each message the ms from when it was due to its acknowledgement. */
  latency: number[]
}

/** Sent now and then: what one of the devices has just said, and when. */
export interface FaultSaid {
  deviceId: string
  isFaulty: boolean
  at: number
}

/** Messages are sent so often, in ms, as many as are due by then. */
const tick = 5
const saidEvery = 100

const faulty = (code: string) =>
  JSON.stringify({
    faultCode: code,
    fault: { faultSource: 'boiler', description: 'Ignition lockout', isResettable: true },
  })
const well = JSON.stringify({ faultCode: 'None', fault: null })

/** A signed-in gateway: returns a function that sends its next message and calls back when that is acknowledged. */
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
  return (acknowledged: (at: number) => void): Omit<FaultSaid, 'at'> => {
    const at = turn % children.length
    const round = Math.floor(turn++ / children.length)
    const isFaulty = (round + (isMixed ? at : 0)) % 2 === 0
    messageId = (messageId % 65_535) + 1
    waiting.set(messageId, acknowledged)
    socket.write(publishPacket(topics[at]!, messageId, isFaulty ? faulty(`F${round % 90}`) : well))
    return { deviceId: children[at]!, isFaulty }
  }
}

async function say(
  gateways: ReturnType<typeof speakerOf>[],
  { messages, perSecond }: FaultsWanted,
): Promise<FaultsTold> {
  const latency: number[] = []
  const { promise: isOver, resolve } = Promise.withResolvers<void>()
  const begun = performance.now()
  let lastSaid = 0
  for (let n = 0; n < messages;) {
    const now = performance.now()
    for (; n < messages && begun + (n * 1000) / perSecond <= now; n++) {
      const due = begun + (n * 1000) / perSecond
      const said = gateways[next++ % gateways.length]!((at) => {
        latency.push(Math.round((at - due) * 100) / 100)
        if (latency.length === messages) resolve()
      })
      if (now - lastSaid < saidEvery) continue
      lastSaid = now
      process.send!({ ...said, at: Date.now() } satisfies FaultSaid)
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
      void say(gateways, wanted).then((told) => process.send!(told))
    })
    process.send!('ready')
  })()
})
