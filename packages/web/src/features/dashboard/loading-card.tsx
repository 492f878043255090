import type { ReactNode } from 'react'
import { Card } from '../../ui/card.tsx'
import { Bar, Loading, LoadingLines } from '../../ui/states.tsx'
import classes from './dashboard.module.css'

interface LoadingCardProps {
  title: string
  icon: ReactNode
  /** With a ring, like the large cards. */
  ring?: boolean
}

/** A placeholder card while counts are loading. */
export function LoadingCard({ title, icon, ring }: LoadingCardProps) {
  return (
    <Card title={title} icon={icon}>
      <Loading label={`Loading ${title}`}>
        {ring ? (
          <div className={classes.chart}>
            <span className={classes.ring} />
            <div className={classes.bars}>
              <LoadingLines lines={3} />
            </div>
          </div>
        ) : (
          <>
            <Bar width="100%" height="0.4rem" />
            <LoadingLines lines={2} />
          </>
        )}
      </Loading>
    </Card>
  )
}
