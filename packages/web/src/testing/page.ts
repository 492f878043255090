import { startReach } from '../api/reach.ts'
import { watchConsole } from './console.ts'
import { interceptNetwork } from './network.ts'

let isTakenOver = false

/** Replaces the network and console of the page, once for all files that run on it. */
export function takeOverPage(): void {
  if (isTakenOver) return
  isTakenOver = true
  watchConsole()
  interceptNetwork()
  startReach()
}
