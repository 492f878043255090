import type { BuildingSummary } from '@caretaker/contract/buildings.ts'
import classes from './buildings.module.css'

interface Shares {
  failed: number
  warning: number
  notInstalled: number
  other: number
}

const parts = ['other', 'notInstalled', 'warning', 'failed'] as const

/** The share of healthy devices; a failure is at least 9 px wide. Decorative, beside the figures. */
export function ShareBar(shares: Shares) {
  return (
    <span className={classes.bar} aria-hidden>
      {parts.map((part) => shares[part] > 0 && <i key={part} data-part={part} style={{ flexGrow: shares[part] }} />)}
    </span>
  )
}

/** Devices that are not installed are a share of their own. */
export const sharesOf = (row: BuildingSummary): Shares => ({
  failed: row.failedDeviceCount,
  warning: row.warningDeviceCount,
  notInstalled: row.notInstalledDeviceCount,
  other: row.deviceCount - row.failedDeviceCount - row.warningDeviceCount - row.notInstalledDeviceCount,
})
