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
  skipDrawing()
}

/**
 * Makes the frame of the tests transparent from outside, so that none of it is drawn: without a graphics card, drawing
 * takes half of the processor time. Inside the frame nothing changes for layout, clicks, frames or axe.
 */
function skipDrawing(): void {
  const frame = window.frameElement as HTMLElement | null
  if (frame) frame.style.opacity = '0'
}
