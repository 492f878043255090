import type { ReactNode } from 'react'
import { IconArrowLeft } from '../icons/index.ts'
import classes from './plans.module.css'

/** The shown floor, with a back link. */
export function Where({ building, floor, onBack }: { building: string; floor: ReactNode; onBack: () => void }) {
  return (
    <div className={classes.where}>
      <button type="button" aria-label="Back" onClick={onBack}>
        <IconArrowLeft size={18} aria-hidden />
      </button>
      <div>
        <b>{building}</b>
        <span>{floor}</span>
      </div>
    </div>
  )
}
