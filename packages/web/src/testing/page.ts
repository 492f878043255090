import { startReach } from '../api/reach.ts'
import { watchConsole } from './console.ts'
import { interceptNetwork } from './network.ts'

let isTakenOver = false

/** Puts the test's network and console in the place of the page's, once however many files run on it. */
export function takeOverPage(): void {
  if (isTakenOver) return
  isTakenOver = true
  watchConsole()
  interceptNetwork()
  startReach()
}
