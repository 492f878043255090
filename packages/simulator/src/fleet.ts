import type { Fleet, FleetDevice } from '@caretaker/contract/mqtt/fleet.ts'
import { parseTopic, topic } from '@caretaker/contract/mqtt/topics.ts'
import { simulateDevice } from './device.ts'
import type { SimulatedDevice } from './device.ts'
import type { Link } from './link.ts'
import { createLink } from './link.ts'
import type { Nature } from './models/model.ts'
import { outageAt } from './outages.ts'
import { fraction, generator } from './random.ts'
import { createSchedule } from './schedule.ts'

export interface FleetOptions {
  url: string
  /** The speed factor of long lighting tests. */
  speed: number
  seed: string
  clock: () => number
  /** Logs a status line for the fleet. */
  log: (line: string) => void
}

export interface RunningFleet {
  readonly devices: number
  readonly connections: number
  readonly connected: number
  stop(): Promise<void>
}

/** The time in ms over which a fleet's connections are spread at the start. */
const firstConnections = 5000
const middleOfEngland = { latitude: 52.5, longitude: -1.9 }

function natureOf(device: FleetDevice, children: number): Nature {
  const { deviceId, serial, product, model, story, traits, parentId } = device
  const coordinate = (name: 'latitude' | 'longitude') =>
    typeof traits[name] === 'number' ? traits[name] : middleOfEngland[name]
  return {
    deviceId,
    serial,
    product,
    model,
    story,
    traits,
    place: { latitude: coordinate('latitude'), longitude: coordinate('longitude') },
    home: typeof traits['home'] === 'string' ? traits['home'] : (parentId ?? deviceId),
    children,
  }
}

const positive = (value: unknown, usual: number) => (typeof value === 'number' && value > 0 ? value : usual)

/** The devices that use each connection: its owner first, then the owner's children without a password. */
export function connectionsOf(fleet: Pick<Fleet, 'devices'>): [owner: FleetDevice, ...children: FleetDevice[]][] {
  const connections = new Map<string, [FleetDevice, ...FleetDevice[]]>()
  for (const device of fleet.devices)
    if (device.password !== null && device.story !== 'offline gateway') connections.set(device.deviceId, [device])
  for (const device of fleet.devices)
    if (device.password === null && device.parentId !== null) connections.get(device.parentId)?.push(device)
  return [...connections.values()]
}

/** Runs a fleet against a broker until it is stopped. */
export function runFleet(fleet: Pick<Fleet, 'devices'>, options: FleetOptions): RunningFleet {
  const { url, clock, speed, seed, log } = options
  const schedule = createSchedule(clock)
  const children = new Map<string, number>()
  for (const { parentId } of fleet.devices)
    if (parentId !== null) children.set(parentId, (children.get(parentId) ?? 0) + 1)
  const links: Link[] = []
  const supplies = new Map<string, Record<string, boolean>>()
  const supplyOf = (home: string) => supplies.get(home) ?? supplies.set(home, {}).get(home)!
  const all: SimulatedDevice[] = []
  /** The reason for each failed connection, by device. */
  const failing = new Map<string, string>()

  /** Disconnects and reconnects at its scheduled times. */
  function comeAndGo(device: FleetDevice, change: (out: boolean) => void): void {
    const { dropsPerDay, dropMinutes } = device.traits
    const follow = () => {
      const now = clock()
      const { out, until } = outageAt(device.deviceId, now, positive(dropsPerDay, 6), positive(dropMinutes, 12))
      change(out)
      schedule.at(Math.max(until, now + 1), follow)
    }
    follow()
  }

  function open(owner: FleetDevice, speakers: FleetDevice[]): void {
    const byId = new Map<string, SimulatedDevice>()
    const link = createLink({
      url,
      deviceId: owner.deviceId,
      username: owner.username,
      password: owner.password!,
      topics: speakers.map(({ deviceId }) => topic(deviceId, 'commands')),
      schedule,
      clock,
      random: generator(`${seed} ${owner.deviceId} link`),
      onConnect() {
        for (const device of byId.values()) device.repeat()
        if (failing.delete(owner.deviceId) && failing.size === 0) log(`all connected to ${url} again`)
      },
      onMessage(name, payload) {
        const parsed = parseTopic(name)
        if (parsed?.channel === 'commands') byId.get(parsed.deviceId)?.receive(payload.toString())
      },
      onFailure(reason) {
        // Logs one line when a fleet loses its broker, not one for each device and attempt.
        const known = [...failing.values()].includes(reason)
        failing.set(owner.deviceId, reason)
        if (!known) log(`${owner.serial} has no connection to ${url}: ${reason}; trying again`)
      },
    })
    links.push(link)
    for (const speaker of speakers) {
      const nature = natureOf(speaker, children.get(speaker.deviceId) ?? 0)
      const device = simulateDevice({
        nature,
        supply: supplyOf(nature.home),
        interval: speaker.reportingInterval,
        isQuiet: speaker.isQuiet ?? false,
        schedule,
        clock,
        speed,
        seed,
        send: (message) => link.send(message),
      })
      byId.set(speaker.deviceId, device)
      all.push(device)
      device.begin()
      if (speaker !== owner && speaker.story === 'drops out') comeAndGo(speaker, (out) => device.silence(out))
    }
    if (owner.story === 'drops out') comeAndGo(owner, (out) => (out ? link.drop() : link.open()))
    else link.open()
  }

  const connections = connectionsOf(fleet)
  const spread = Math.min(firstConnections, connections.length * 20)
  for (const speakers of connections)
    schedule.at(clock() + fraction(`${speakers[0].deviceId} first`) * spread, () => open(speakers[0], speakers))

  return {
    devices: connections.reduce((sum, speakers) => sum + speakers.length, 0),
    connections: connections.length,
    get connected() {
      return links.filter((link) => link.connected).length
    },
    async stop() {
      schedule.stop()
      for (const device of all) device.interrupt()
      await Promise.all(links.map((link) => link.stop()))
    },
  }
}
