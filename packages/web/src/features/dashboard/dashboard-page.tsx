import { Fragment } from 'react'
import { useQuery } from '@tanstack/react-query'
import { IconApi } from '../../icons/index.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import type { DeviceSummary } from '@caretaker/rules/devices/status.ts'
import { usePresence } from '../../api/actor.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { Failed } from '../../ui/states.tsx'
import type { Family } from './absent.tsx'
import { Absent, isAbsent } from './absent.tsx'
import { useCaseChoice } from './case-choice.ts'
import { BcmCard, heatingFamily } from './bcm-card.tsx'
import { DebugPanel } from './debug-panel.tsx'
import { FamilyCard } from './family-card.tsx'
import { Head, Overall } from './head.tsx'
import { HomeHubsCard, hubsFamily, ManagedServicesCard } from './homes-cards.tsx'
import { LightsCard, lightsFamily } from './lights-card.tsx'
import type { SummaryLinks } from './links.ts'
import { presetLinks } from './links.ts'
import { dashboardQuery, worklistQuery } from './queries.ts'
import type { Widget } from './widgets.ts'
import { widgets } from './widgets.ts'
import { NeedsAttention } from './needs-attention.tsx'
import classes from './dashboard.module.css'

/** The first screen of a client: what needs attention, then the device status per family. */
export function DashboardPage() {
  const { actor, client } = usePresence()
  const { tenant, features } = actor
  usePageTitle('Dashboard', client.displayName)
  const { data, isError, refetch } = useQuery(dashboardQuery(tenant))
  const worklist = useQuery(worklistQuery(tenant))
  const [choice, choose] = useCaseChoice()
  const hasHubs = features.includes('HomeHub')
  const mayOpen = (listing: ListingName) => can(actor, listings[listing].may)
  const largest: Family[] = [
    {
      ...lightsFamily,
      total: data?.listings.EmergencyLights.total,
      card: (
        <LightsCard
          tenant={tenant}
          mayOpen={mayOpen('EmergencyLights')}
          data={data}
          overdue={worklist.data?.cases.find((one) => one.case === 'lights overdue')}
        />
      ),
    },
    {
      ...heatingFamily,
      total: data?.listings.Bcms.total,
      card: <BcmCard tenant={tenant} mayOpen={mayOpen('Bcms')} data={data} />,
    },
  ]
  const counted = (title: string, Icon: Widget['icon'], links: SummaryLinks, counts?: DeviceSummary): Family => {
    const icon = <Icon stroke={1.7} aria-hidden />
    const card = <FamilyCard title={title} icon={icon} links={links} counts={counts} />
    return { title, icon, total: counts?.total, card }
  }
  const apiLinks = mayOpen('ThirdParty') ? presetLinks(tenant, 'ThirdParty') : {}
  const families: Family[] = [
    ...widgets.map(({ title, icon, counts, links }) =>
      counted(title, icon, links && can(actor, links.may) ? links.of(tenant) : {}, data && counts(data)),
    ),
    counted('API Integration', IconApi, apiLinks, data?.listings.ThirdParty),
  ]
  if (hasHubs)
    families.push({
      ...hubsFamily,
      total: data?.listings.HomeHubs.total,
      card: <HomeHubsCard href={mayOpen('HomeHubs') ? pathTo(tenant, 'HomeHubs') : undefined} data={data} />,
    })
  const [large, small] = [largest, families].map((some) => some.filter((one) => !isAbsent(one))) as [Family[], Family[]]
  return (
    <div className={classes.page}>
      <Head data={data} worklist={worklist.data} hasHubs={hasHubs} choice={choice} onChoose={choose} />
      <NeedsAttention
        worklist={worklist.data}
        choice={choice}
        data={data}
        mayOpen={mayOpen}
        isError={worklist.isError}
        onRetry={() => void worklist.refetch()}
      />
      {data && <Overall data={data} hasHubs={hasHubs} />}
      {isError && !data ? (
        <Failed onRetry={() => void refetch()} />
      ) : (
        <>
          {large.length > 0 && <div className={classes.large}>{large.map(cardOf)}</div>}
          <div className={classes.families}>
            {small.map(cardOf)}
            {features.includes('ManagedService') && <ManagedServicesCard tenant={tenant} />}
          </div>
          <Absent families={[...largest, ...families].filter(isAbsent)} />
          {features.includes('SystemDebug') && <DebugPanel actor={actor} />}
        </>
      )}
    </div>
  )
}

const cardOf = ({ title, card }: Family) => <Fragment key={title}>{card}</Fragment>
