import classes from './buildings.module.css'

interface Shares {
  failed: number
  warning: number
  other: number
}

const parts = ['other', 'warning', 'failed'] as const

/** What part of the devices is well: one failure is never thinner than 9 px. Decorative, the figures stand beside it. */
export function ShareBar(shares: Shares) {
  return (
    <span className={classes.bar} aria-hidden>
      {parts.map((part) => shares[part] > 0 && <i key={part} data-part={part} style={{ flexGrow: shares[part] }} />)}
    </span>
  )
}
