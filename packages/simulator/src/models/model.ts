import type { FleetModel, Story } from '@caretaker/contract/mqtt/fleet.ts'
import type { Event, Reply, State, Test } from '@caretaker/contract/mqtt/payloads.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { z } from 'zod'
import { metrics } from '@caretaker/rules/telemetry/metrics.ts'
import type { Place } from '../weather.ts'
import type { Random } from '../random.ts'

export type Readings = Partial<Record<MetricKey, number>>
export type EventMessage = z.infer<typeof Event>
export type TestMessage = z.infer<typeof Test>
export type ReplyMessage = z.infer<typeof Reply>
export type Reported = z.infer<typeof State>

/** The data of a device that its model uses. */
export interface Nature {
  deviceId: string
  serial: string
  product: Product
  model: FleetModel
  story: Story | undefined
  traits: Record<string, number | string | boolean>
  place: Place
  /** Devices of the same property share its rhythm. */
  home: string
  /** The number of devices connected through it. */
  children: number
}

export interface Context {
  /** ms since the epoch */
  now: number
  /** Seconds since the previous step; 0 at the first. */
  elapsed: number
  random: Random
  device: Nature
  /** The speed factor of long lighting tests. */
  speed: number
  /** The relays of the property's power switch, by number; empty without a switch. */
  supply: Readonly<Record<string, boolean>>
}

/** The result of a step: the new state and the messages. `reported` is the full state; only changes are sent. */
export interface Outcome<State> {
  state: State
  readings: Readings
  events: EventMessage[]
  reported: Reported
  tests?: TestMessage[]
  /** Seconds until the next step, if earlier than the next report. */
  next?: number
  /** For a power switch: the state of its relays, for the other devices of the property. */
  supply?: Record<string, boolean>
}

export interface Answer<State> {
  state: State
  status: ReplyMessage['status']
  message?: string
  tests?: TestMessage[]
  events?: EventMessage[]
  next?: number
}

/** The behaviour of a device family: pure functions, whose only randomness is the generator in the context. */
export interface Model<State> {
  start(context: Context): State
  step(state: State, context: Context): Outcome<State>
  /** Command handlers, by command name. */
  commands?: Record<string, (state: State, context: Context, args: Record<string, unknown>) => Answer<State>>
  /** The last messages when the device is switched off. */
  interrupt?(state: State, context: Context): TestMessage[]
}

export function number(device: Nature, trait: string, usual: number): number {
  const value = device.traits[trait]
  return typeof value === 'number' ? value : usual
}

export function flag(device: Nature, trait: string): boolean {
  return device.traits[trait] === true
}

export function word(device: Nature, trait: string, usual: string): string {
  const value = device.traits[trait]
  return typeof value === 'string' ? value : usual
}

export function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value))
}

/** Rounds values as a device does, and limits every value to the range of its metric. */
export function measured(values: Readings): Readings {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      const { min, max } = metrics[key as MetricKey]
      return [key, clamp(Math.round(value * 100) / 100, min, max)]
    }),
  )
}
