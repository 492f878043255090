import type { ReactNode } from 'react'
import { AppLink } from '../ui/link.tsx'
import { Mark } from '../ui/mark.tsx'
import { HouseFront } from './house-front.tsx'
import { OutboundBar } from './outbound-bar.tsx'
import classes from './entrance.module.css'

interface EntranceProps {
  /** Whether the picture is also shown on a phone. */
  pictureOnPhone?: boolean
  children: ReactNode
}

/** The frame of the steps before a client is selected: the picture on one side, the step on the other. */
export function Entrance({ pictureOnPhone = false, children }: EntranceProps) {
  return (
    <div className={classes.entrance} data-picture={pictureOnPhone || undefined}>
      <header className={classes.side}>
        <AppLink href="/" className={classes.brand}>
          <Mark size={36} />
          Caretaker
        </AppLink>
        <div className={classes.picture}>
          <HouseFront />
        </div>
        <p className={classes.motto}>
          Every light, boiler and sensor, <span>looked after.</span>
        </p>
      </header>
      <main className={classes.step}>
        <div className={classes.column}>
          <OutboundBar />
          {children}
        </div>
      </main>
    </div>
  )
}
