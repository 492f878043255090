import { useQuery } from '@tanstack/react-query'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { usePresence } from '../api/actor.ts'
import { useSchemeSwitch } from '../ui/colour-scheme.ts'
import { AppLink } from '../ui/link.tsx'
import { Mark } from '../ui/mark.tsx'
import { tenantInfoQuery } from './queries.ts'
import { logoIn } from './tenant-logo.ts'
import classes from './top-bar.module.css'

/** The link to the Dashboard: the client's logo, or its name beside the product's mark. */
export function Brand() {
  const { client } = usePresence()
  const { shown } = useSchemeSwitch()
  const { data } = useQuery(tenantInfoQuery(client.id))
  const logo = logoIn(data?.settings ?? {}, shown)
  return (
    <AppLink href={pathTo(client.id, 'Dashboard')} className={classes.brand}>
      {logo ? (
        <img src={logo} alt={client.displayName} className={classes.logo} />
      ) : (
        <>
          <Mark />
          <span className={classes.names}>
            <span className={classes.client}>{client.displayName}</span>
            <span className={classes.product}>Caretaker</span>
          </span>
        </>
      )}
    </AppLink>
  )
}
