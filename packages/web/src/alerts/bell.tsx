import { useState } from 'react'
import { ActionIcon } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconBell } from '../icons/index.ts'
import { useActor } from '../api/actor.ts'
import { lazily } from '../ui/lazily.tsx'
import { alertsQuery } from './queries.ts'
import classes from './alerts.module.css'

const AlertPanel = lazily(async () => (await import('./panel.tsx')).AlertPanel)

/** The number of open alerts in the top bar; opens the panel. */
export function Bell() {
  const { tenant } = useActor()
  const { data } = useQuery(alertsQuery(tenant, 'open'))
  const [open, setOpen] = useState(false)
  const [wasOpened, setWasOpened] = useState(false)
  const count = data?.counts.open ?? 0
  return (
    <>
      <ActionIcon
        className={classes.bell}
        size={36}
        aria-label={data ? `Alerts, ${count} open` : 'Alerts'}
        aria-haspopup="dialog"
        onClick={() => {
          setWasOpened(true)
          setOpen(true)
        }}
      >
        <IconBell size={20} />
        {count > 0 && <span className={classes.badge}>{count > 99 ? '99+' : count}</span>}
      </ActionIcon>
      {wasOpened && <AlertPanel open={open} onClose={() => setOpen(false)} />}
    </>
  )
}
