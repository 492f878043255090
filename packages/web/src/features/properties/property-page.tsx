import { useEffect } from 'react'
import { usePrefetchQuery, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { IconBuilding, IconHome2, IconHomeOff, IconMapPin, IconUsers } from '../../icons/index.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import type { Property } from '@caretaker/contract/properties.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { addressLine, countWords } from '@caretaker/rules/properties/details.ts'
import type { PropertyTab } from '@caretaker/rules/properties/tabs.ts'
import { propertyTabLabels, propertyTabs, propertyTabsOf, seesPropertyTab } from '@caretaker/rules/properties/tabs.ts'
import { HomeAlerts } from '../../alerts/home-alerts.tsx'
import { usePresence } from '../../api/actor.ts'
import { lastListing } from '../../api/last-listing.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { Bar, Failed, Loading, LoadingLines, NotFound, Refused } from '../../ui/states.tsx'
import { HomeAlarm } from './info/home-alarm.tsx'
import { HomeChips } from './home-chips.tsx'
import { ArchivedNote, HomeActions } from './estate/home-actions.tsx'
import { propertyAirQuery, propertyDampQuery, propertyQuery } from './queries.ts'
import { SafetyLine } from './safety-line.tsx'
import { propertyTabContents } from './tabs.ts'
import classes from './property-page.module.css'

const icon = <IconHome2 size={22} stroke={1.7} />

/** The title of a property without a reference. */
export const unnamed = 'No reference'

/** One property: header and tabs, each with its own address. */
export function PropertyPage() {
  const { actor, client } = usePresence()
  const { propertyId = '', tab } = useParams({ strict: false })
  const { data: property, error, refetch } = useQuery(propertyQuery(actor.tenant, propertyId))
  const back = { href: lastListing(actor.tenant, 'Properties'), label: 'Properties' }
  const name = property ? property.propertyReference || unnamed : 'Properties'
  usePageTitle(name, client.displayName)
  const status = error instanceof CallError ? error.status : undefined
  const active = propertyTabs.find((one) => one.toLowerCase() === (tab ?? propertyTabs[0]).toLowerCase())

  // The code of the tab is fetched in parallel with the property.
  useEffect(() => {
    if (active) propertyTabContents[active]?.fetch()
  }, [active])

  if (status === 404 || status === 400) return <NotFound back={back} hint="Property not found." />
  if (status === 403) return <Refused back={back} />
  if (!active) return <NotFound back={back} hint="This page does not exist." />
  if (property) return <PropertyView key={propertyId} property={property} active={active} back={back} />
  return (
    <>
      {active === 'info' && !error && <PrefetchInfo tenant={actor.tenant} propertyId={propertyId} />}
      <PageHead back={back} icon={icon} title={error ? 'Properties' : <Bar width="14rem" height="2rem" />} />
      <div className={classes.tab}>
        {error ? (
          <Failed hint="Failed to retrieve property data" onRetry={() => void refetch()} />
        ) : (
          <Loading label="Loading the property">
            <LoadingLines lines={6} />
          </Loading>
        )}
      </div>
    </>
  )
}

/** Prefetches the cards of Info while the property is loading. */
function PrefetchInfo({ tenant, propertyId }: { tenant: string; propertyId: string }) {
  usePrefetchQuery(propertyAirQuery(tenant, propertyId))
  usePrefetchQuery(propertyDampQuery(tenant, propertyId))
  return undefined
}

interface PropertyViewProps {
  property: Property
  active: PropertyTab
  back: { href: string; label: string }
}

function PropertyView({ property, active, back }: PropertyViewProps) {
  const { actor } = usePresence()
  const Content = propertyTabContents[active]
  const shown = propertyTabsOf(actor).filter((tab) => propertyTabContents[tab])
  return (
    <>
      <PageHead
        back={back}
        icon={icon}
        title={property.propertyReference || unnamed}
        chips={<HomeChips property={property} />}
        place={<Places property={property} />}
        actions={<HomeActions property={property} />}
        standing={<SafetyLine property={property} />}
        tabs={shown.map((tab) => ({
          id: tab,
          label: propertyTabLabels[tab],
          href: pathTo(actor.tenant, 'Properties', property.propertyId, tab),
          ...(tab === 'devices' && property.deviceCount ? { count: property.deviceCount } : {}),
        }))}
        activeTab={active}
      />
      <div className={classes.tab}>
        <ArchivedNote property={property} />
        <HomeAlarm property={property} brief={active !== 'info'} />
        {active === 'info' && <HomeAlerts propertyId={property.propertyId} />}
        {Content && seesPropertyTab(actor, active) ? (
          <Content
            key={active}
            property={property}
            fallback={<Loading label={`Loading ${propertyTabLabels[active]}`} />}
          />
        ) : (
          <Refused back={back} />
        )}
      </div>
    </>
  )
}

/** The address, and the number of residents if known. */
function Places({ property }: { property: Property }) {
  const { address1, address2, address3, town, county, postcode, numberOfInhabitant: people } = property
  const address =
    address1 === null || address2 === null || address3 === null || town === null || county === null
      ? ''
      : [addressLine({ address1, address2, address3, town, county }), postcode].filter(Boolean).join(' ')
  return (
    <>
      {address && (
        <span>
          <IconMapPin stroke={1.7} aria-hidden />
          {address}
        </span>
      )}
      {property.building && (
        <span>
          <IconBuilding stroke={1.7} aria-hidden />
          {[property.building.name, property.building.floorName].filter(Boolean).join(', ')}
        </span>
      )}
      {property.voidStatus === 'Void' ? (
        <span>
          <IconHomeOff stroke={1.7} aria-hidden />
          Void
        </span>
      ) : (
        people !== null && (
          <span>
            <IconUsers stroke={1.7} aria-hidden />
            {people === 1 ? '1 person' : `${countWords(people)} people`}
          </span>
        )
      )}
    </>
  )
}
