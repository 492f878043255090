import { useState } from 'react'
import { initialsOf } from '@caretaker/rules/tenants/clients.ts'
import classes from './avatar.module.css'

/** The picture of a user, or the initials if it is missing or fails. The name is always beside it. */
export function Avatar({ name, pictureUrl }: { name: string; pictureUrl: string | null }) {
  const [broken, setBroken] = useState<string>()
  const shown = pictureUrl !== null && pictureUrl !== broken
  return (
    <span className={classes.avatar} aria-hidden>
      {shown ? (
        <img src={pictureUrl} alt="" onError={() => setBroken(pictureUrl)} referrerPolicy="no-referrer" />
      ) : (
        initialsOf(name)
      )}
    </span>
  )
}
