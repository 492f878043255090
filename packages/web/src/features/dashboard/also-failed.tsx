import type { DashboardData } from '@caretaker/contract/dashboard.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import { AppLink } from '../../ui/link.tsx'
import { besides } from './wholes.ts'
import { presetLinks } from './links.ts'
import classes from './dashboard.module.css'

interface AlsoFailedProps {
  tenant: string
  mayOpen: (listing: ListingName) => boolean
  data: DashboardData | undefined
}

/** What has failed besides the cases above, so that no failed device is left out of what needs somebody. */
export function AlsoFailed({ tenant, mayOpen, data }: AlsoFailedProps) {
  const failed = besides.flatMap((name) => {
    const count = data?.listings[name].fail ?? 0
    return count > 0 && mayOpen(name) ? [{ name, count }] : []
  })
  if (failed.length === 0) return undefined
  return (
    <p className={classes.alsoFailed}>
      Failed besides:{' '}
      {failed.map(({ name, count }) => (
        <AppLink key={name} href={presetLinks(tenant, name).fail!}>
          {count.toLocaleString('en-GB')} {listings[name].label}
        </AppLink>
      ))}
    </p>
  )
}
