import type { ReactNode } from 'react'
import { useId } from 'react'
import classes from './dashboard.module.css'

/** A family of devices, and its card if there are any. */
export interface Family {
  title: string
  icon: ReactNode
  /** Undefined while loading. */
  total: number | undefined
  card: ReactNode
}

export const isAbsent = ({ total }: Family): boolean => total === 0

/** The families without devices, small and after all others. */
export function Absent({ families }: { families: readonly Family[] }) {
  if (families.length === 0) return undefined
  return (
    <div className={classes.absent}>
      {families.map((family) => (
        <AbsentFamily key={family.title} family={family} />
      ))}
    </div>
  )
}

function AbsentFamily({ family: { title, icon } }: { family: Family }) {
  const id = useId()
  return (
    <section className={classes.absentFamily} aria-labelledby={id}>
      {icon}
      <h2 id={id}>{title}</h2>
      <span>0</span>
    </section>
  )
}
