import type { ElementType, ReactNode } from 'react'
import { Mark } from '../ui/mark.tsx'
import { HouseFront } from './house-front.tsx'
import classes from './entrance-frame.module.css'

export interface EntranceProps {
  /** Whether the picture is also shown on a phone. */
  pictureOnPhone?: boolean
  children: ReactNode
}

interface EntranceFrameProps extends EntranceProps {
  /** The element of the link to the portal. */
  link: ElementType<{ href: string; className?: string | undefined; children: ReactNode }>
  /** A note above the step. */
  note: ReactNode
}

/** The picture on one side, a step before a client is selected on the other. */
export function EntranceFrame({ pictureOnPhone = false, link: Link, note, children }: EntranceFrameProps) {
  return (
    <div className={classes.entrance} data-picture={pictureOnPhone || undefined}>
      <header className={classes.side}>
        <Link href="/" className={classes.brand}>
          <Mark size={36} />
          Caretaker
        </Link>
        <div className={classes.picture}>
          <HouseFront />
        </div>
        <p className={classes.motto}>
          Every light, boiler and sensor, <span>looked after.</span>
        </p>
      </header>
      <main className={classes.step}>
        <div className={classes.column}>
          {note}
          {children}
        </div>
      </main>
    </div>
  )
}
