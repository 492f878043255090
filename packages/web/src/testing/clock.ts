import type { Locator } from 'vitest/browser'
import { vi } from 'vitest'

/** Milliseconds of one step of a clock that a test drives. */
const step = 50

/** Stops the page's timers and dates; `pass` lets time go on. Frames and the network go on by themselves. */
export function stopClock(at?: Date): void {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
    ...(at && { now: at }),
  })
}

/** Lets so many milliseconds pass on the stopped clock, in steps between which the page renders. */
export async function pass(milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= step) {
    await vi.advanceTimersByTimeAsync(Math.min(step, left))
    await rendered()
  }
}

/** Lets time pass until something is so, for one minute of the stopped clock at most; gives the milliseconds that passed. */
export async function passUntil(isSo: () => boolean): Promise<number> {
  let passed = 0
  for (; !isSo(); passed += step) {
    if (passed >= 60_000) throw new Error(`After a minute of the stopped clock it is still not so: ${String(isSo)}`)
    await pass(step)
  }
  return passed
}

/** Milliseconds for which something stands on the page after an action, exact to two steps of 50 ms. */
export async function lifeOf(what: Locator, action: () => Promise<unknown>): Promise<number> {
  stopClock()
  await action()
  await passUntil(() => what.query() !== null)
  return passUntil(() => what.query() === null)
}

/** Lets React render what is due: its tasks are messages, and one that renders may leave another. */
async function rendered(): Promise<void> {
  for (let task = 0; task < 4; task++)
    await new Promise<void>((resolve) => {
      const { port1, port2 } = new MessageChannel()
      port1.addEventListener('message', () => resolve(), { once: true })
      port1.start()
      port2.postMessage(undefined)
    })
}
