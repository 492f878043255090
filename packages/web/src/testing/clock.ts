import type { Locator } from 'vitest/browser'
import { vi } from 'vitest'

/** Milliseconds per step of the fake clock. */
const step = 50

/** Stops the timers and dates of the page; `pass` advances them. Frames and the network are not affected. */
export function stopClock(at?: Date): void {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
    ...(at && { now: at }),
  })
}

/** Advances the fake clock by milliseconds, in steps between which the page renders. */
export async function pass(milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= step) {
    await vi.advanceTimersByTimeAsync(Math.min(step, left))
    await rendered()
  }
}

/** Advances the clock until a condition holds, for at most one minute; returns the elapsed milliseconds. */
export async function passUntil(holds: () => boolean): Promise<number> {
  let passed = 0
  for (; !holds(); passed += step) {
    if (passed >= 60_000)
      throw new Error(`After a minute of the stopped clock the condition is still false: ${String(holds)}`)
    await pass(step)
  }
  return passed
}

/** The milliseconds for which an element is shown after an action, accurate to two steps of 50 ms. */
export async function lifeOf(what: Locator, action: () => Promise<unknown>): Promise<number> {
  stopClock()
  await action()
  await passUntil(() => what.query() !== null)
  return passUntil(() => what.query() === null)
}

/** Lets React render pending work: its tasks are messages, and one may schedule another. */
async function rendered(): Promise<void> {
  for (let task = 0; task < 4; task++)
    await new Promise<void>((resolve) => {
      const { port1, port2 } = new MessageChannel()
      port1.addEventListener('message', () => resolve(), { once: true })
      port1.start()
      port2.postMessage(undefined)
    })
}
