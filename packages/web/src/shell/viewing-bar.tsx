import { useEffect } from 'react'
import { Button } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { roleWords } from '@caretaker/rules/tenants/clients.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { stopViewing } from '../api/viewing.ts'
import { useViewing } from '../api/viewing-store.ts'
import { IconEye } from '../icons/index.ts'
import classes from './viewing-bar.module.css'

/** The longest delay of a timer, in ms. */
const longestTimer = 2_147_483_647

/** Shows as which user the portal is viewed, and ends the view; nothing otherwise. */
export function ViewingBar() {
  const viewing = useViewing()
  const router = useRouter()
  const endsAt = viewing?.endsAt
  useEffect(() => {
    if (endsAt === undefined) return undefined
    const left = Math.max(0, Date.parse(endsAt) - Date.now())
    const timer = setTimeout(() => void stopViewing(), Math.min(longestTimer, left))
    return () => clearTimeout(timer)
  }, [endsAt])
  const stop = async () => {
    const back = viewing && pathTo(viewing.tenant, 'Users')
    await stopViewing()
    if (back) await router.navigate({ href: back })
  }
  return (
    <div className={classes.place} role="status">
      {viewing && (
        <div className={classes.bar}>
          <IconEye size={18} aria-hidden />
          <span className={classes.text}>
            You are viewing the portal as <b>{viewing.name}</b> ({roleWords(viewing.role)}). Nothing can be changed.
          </span>
          <Button variant="default" className={classes.stop} onClick={() => void stop()}>
            Stop viewing as
          </Button>
        </div>
      )}
    </div>
  )
}
