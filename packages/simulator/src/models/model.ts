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

/** What a model knows of the device it plays. */
export interface Nature {
  deviceId: string
  serial: string
  product: Product
  model: FleetModel
  story: Story | undefined
  traits: Record<string, number | string | boolean>
  place: Place
  /** Devices with the same home share its rhythm. */
  home: string
  /** Devices that speak through it. */
  children: number
}

export interface Context {
  /** ms since the epoch */
  now: number
  /** Seconds since the step before; 0 at the first. */
  elapsed: number
  random: Random
  device: Nature
  /** How many times faster than real the long lighting tests run. */
  speed: number
  /** The relays of the power switch in its home, by their number; none where there is no switch. */
  supply: Readonly<Record<string, boolean>>
}

/** What a step brings: the new state and what the device says. `reported` is all of it; only changes are sent. */
export interface Outcome<State> {
  state: State
  readings: Readings
  events: EventMessage[]
  reported: Reported
  tests?: TestMessage[]
  /** Seconds to the next step, if that is sooner than the next report. */
  next?: number
  /** Of a power switch: how its relays stand for the other devices of the home. */
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

/** The behaviour of a device family: pure functions, whose only chance is the generator in the context. */
export interface Model<State> {
  start(context: Context): State
  step(state: State, context: Context): Outcome<State>
  /** What it does when told to, by the command's name. */
  commands?: Record<string, (state: State, context: Context, args: Record<string, unknown>) => Answer<State>>
  /** Last words when the device is switched off. */
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

/** Rounds as a device does and keeps every value inside the range of its metric. */
export function measured(values: Readings): Readings {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      const { min, max } = metrics[key as MetricKey]
      return [key, clamp(Math.round(value * 100) / 100, min, max)]
    }),
  )
}
