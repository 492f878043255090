import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { PlaceArea } from '@caretaker/rules/links/places.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { isDefinitionListing, listings } from '@caretaker/rules/devices/list.ts'
import { bcmFilterIn } from '@caretaker/rules/devices/monitoring.ts'
import { usePresence } from '../../api/actor.ts'
import { viewAddress } from '../../api/listing-address.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { Empty } from '../../ui/states.tsx'
import { showError } from '../../ui/toasts.tsx'
import { heatingOf } from './heating-menu.tsx'
import { Listing } from './listing.tsx'
import type { ListingSearch } from './listing-place.ts'
import { mainView, useListingViews } from './use-listing-views.ts'
import classes from './listing.module.css'

export const EmergencyLightsPage = () => <ListingPage listing="EmergencyLights" />
export const BoilerViewPage = () => <ListingPage listing="Boilers" />
export const NetworkingDevicesPage = () => <ListingPage listing="NetworkingDevices" />
export const ThirdPartyPage = () => <ListingPage listing="ThirdParty" />
export const BcmsPage = () => <ListingPage listing="Bcms" />
export const HomeHubsPage = () => <ListingPage listing="HomeHubs" />
export const VStatsPage = () => <ListingPage listing="VStats" />
export const MultiDotsPage = () => <ListingPage listing="MultiDots" />

/** Boilers are the grid of Bcms where the client has the newer view of them, else the listing of old. */
export function BoilersPage() {
  const { actor } = usePresence()
  return actor.features.includes('NewListingView') ? (
    <ListingPage listing="Bcms" area="Boilers" />
  ) : (
    <ListingPage listing="Boilers" />
  )
}

/** A listing by the view that the address names, or else by its main one. */
function ListingPage({ listing, area = listing }: { listing: ListingName; area?: PlaceArea }) {
  const { actor, client } = usePresence()
  const title = listings[listing].label
  const params: { viewId?: string } = useParams({ strict: false })
  const search: ListingSearch = useSearch({ strict: false })
  const heating = listing === 'Bcms' ? heatingOf(bcmFilterIn(search.filter)) : undefined
  usePageTitle(heating ? `${title}: ${heating}` : title, client.displayName)
  const views = useListingViews(listing)
  const asked = (isDefinitionListing(listing) ? params.viewId : search.view)?.toLowerCase()
  const main = views && mainView(listing, views)
  const view = asked === undefined ? main : views?.find(({ viewId }) => viewId.toLowerCase() === asked)
  const isGone = view === undefined && main !== undefined
  const navigate = useNavigate()
  const mainAddress = main && viewAddress(actor.tenant, listing, main.viewId, { area })
  useEffect(() => {
    if (!isGone || mainAddress === undefined) return
    showError('There is no such view, or it is not yours to see. The main one is shown.')
    void navigate({ href: mainAddress, replace: true })
  }, [isGone, mainAddress, navigate])

  if (views === undefined || isGone) return <Instead title={title} text="Loading Views..." />
  if (view === undefined) return <Instead title={title} text="No views available" />
  return (
    <Listing key={`${area} ${view.viewId}`} listing={listing} area={area} title={title} view={view} views={views} />
  )
}

function Instead({ title, text }: { title: string; text: ReactNode }) {
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <h1 className={classes.title}>{title}</h1>
      </header>
      <div className={classes.instead}>
        <Empty text={text} />
      </div>
    </div>
  )
}
