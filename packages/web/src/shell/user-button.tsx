import type { ComponentProps } from 'react'
import { IconChevronDown } from '../icons/index.ts'
import { usePresence } from '../api/actor.ts'
import { Avatar } from './avatar.tsx'
import classes from './top-bar.module.css'

/** The signed-in user as a button that opens the user menu. */
export function UserButton(props: ComponentProps<'button'>) {
  const { user } = usePresence()
  return (
    <button aria-haspopup="menu" aria-expanded={false} {...props} type="button" className={classes.user}>
      <Avatar name={user.name} pictureUrl={user.pictureUrl} />
      <span className={classes.names}>
        <span className={classes.loggedIn}>Logged in as</span>
        <span className={classes.person}>{user.name}</span>
      </span>
      <IconChevronDown size={16} aria-hidden />
    </button>
  )
}
