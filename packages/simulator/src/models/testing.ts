import type { FleetModel } from '@caretaker/contract/mqtt/fleet.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { generator } from '../random.ts'
import type { Context, Model, Nature, Outcome } from './model.ts'

/** A device for testing a model. */
export function nature(rest: Partial<Nature> & { model: FleetModel }): Nature {
  const product: Partial<Record<FleetModel, Product>> = { emered: 'EM', gateway: 'MG', enviroDot: 'ED' }
  return {
    deviceId: 'a0000000-0000-4000-8000-000000000001',
    serial: 'TEST1',
    product: product[rest.model] ?? 'BC',
    story: undefined,
    traits: {},
    place: { latitude: 53.8, longitude: -1.55 },
    home: 'home',
    children: 3,
    ...rest,
  }
}

interface Life {
  from: number
  steps: number
  seconds: number
  speed?: number
  supply?: Record<string, boolean>
}

/** Runs a model for `steps` steps of `seconds`, and returns its messages with their times. */
export function runModel<State>(
  model: Model<State>,
  device: Nature,
  { from, steps, seconds, speed = 1, supply = {} }: Life,
): (Outcome<State> & { now: number })[] {
  const random = generator(device.deviceId)
  const context = (now: number, elapsed: number): Context => ({ now, elapsed, random, device, speed, supply })
  let state = model.start(context(from, 0))
  return Array.from({ length: steps }, (_, index) => {
    const now = from + index * seconds * 1000
    const outcome = model.step(state, context(now, index === 0 ? 0 : seconds))
    state = outcome.state
    return { ...outcome, now }
  })
}
