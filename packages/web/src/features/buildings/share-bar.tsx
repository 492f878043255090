import type { BuildingSummary } from '@caretaker/contract/buildings.ts'
import classes from './buildings.module.css'

interface Shares {
  failed: number
  warning: number
  notInstalled: number
  other: number
}

const parts = ['other', 'notInstalled', 'warning', 'failed'] as const

/** What part of the devices is well: one failure is never thinner than 9 px. Decorative, the figures stand beside it. */
export function ShareBar(shares: Shares) {
  return (
    <span className={classes.bar} aria-hidden>
      {parts.map((part) => shares[part] > 0 && <i key={part} data-part={part} style={{ flexGrow: shares[part] }} />)}
    </span>
  )
}

/** Whatever is neither well nor amiss, because it is not installed, is a share of its own. */
export const sharesOf = (row: BuildingSummary): Shares => ({
  failed: row.failedDeviceCount,
  warning: row.warningDeviceCount,
  notInstalled: row.notInstalledDeviceCount,
  other: row.deviceCount - row.failedDeviceCount - row.warningDeviceCount - row.notInstalledDeviceCount,
})
