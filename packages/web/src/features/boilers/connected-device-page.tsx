import { useEffect } from 'react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { noAssociatedBcm } from '@caretaker/contract/calls/links.ts'
import { useActor } from '../../api/actor.ts'
import { lastListing } from '../../api/last-listing.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { Loading } from '../../ui/states.tsx'
import { showError } from '../../ui/toasts.tsx'
import { connectedPath } from '../../device-page/connected-path.ts'
import { bcmQuery } from './queries.ts'
import classes from '../../device-page/device.module.css'

/** Redirects to the device on the page of its boiler control module, or back if there is none. */
export function BoilerConnectedDevicePage() {
  const { tenant } = useActor()
  const { deviceId = '' } = useParams({ strict: false })
  const { data, isError } = useQuery(bcmQuery(tenant, deviceId))
  const navigate = useNavigate()
  usePageTitle('Boilers')
  const bcm = data && connectedPath(tenant, data.bcmId, deviceId)
  const target = isError ? lastListing(tenant, 'Boilers') : bcm
  useEffect(() => {
    if (target === undefined) return
    if (isError) showError(noAssociatedBcm)
    void navigate({ href: target, replace: true })
  }, [navigate, target, isError])
  return (
    <div className={classes.page}>
      <Loading label="Looking for the boiler control module" />
    </div>
  )
}
