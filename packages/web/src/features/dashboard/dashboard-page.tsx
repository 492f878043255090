import { useQuery } from '@tanstack/react-query'
import { IconApi } from '@tabler/icons-react'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import { usePresence } from '../../api/actor.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { Failed } from '../../ui/states.tsx'
import { BcmCard } from './bcm-card.tsx'
import { DebugPanel } from './debug-panel.tsx'
import { FamilyCard } from './family-card.tsx'
import { Head } from './head.tsx'
import { HomeHubsCard, ManagedServicesCard } from './homes-cards.tsx'
import { LightsCard } from './lights-card.tsx'
import { presetLinks } from './links.ts'
import { dashboardQuery, worklistQuery } from './queries.ts'
import { widgets } from './widgets.ts'
import { Worklist } from './worklist.tsx'
import classes from './dashboard.module.css'

/** The first screen of a client: what needs somebody, then how its devices are, a widget a family. */
export function DashboardPage() {
  const { actor, client } = usePresence()
  const { tenant, features } = actor
  usePageTitle('Dashboard', client.displayName)
  const { data, isError, refetch } = useQuery(dashboardQuery(tenant))
  const worklist = useQuery(worklistQuery(tenant))
  const hasHubs = features.includes('HomeHub')
  return (
    <div className={classes.page}>
      <Head data={data} cases={worklist.data} hasHubs={hasHubs} />
      <Worklist
        tenant={tenant}
        cases={worklist.data}
        isError={worklist.isError}
        onRetry={() => void worklist.refetch()}
      />
      {isError && !data ? (
        <Failed onRetry={() => void refetch()} />
      ) : (
        <>
          <div className={classes.large}>
            <LightsCard
              tenant={tenant}
              mayOpen={can(actor, listings.EmergencyLights.may)}
              data={data}
              untested={worklist.data?.find((one) => one.case === 'untested lights')}
            />
            <BcmCard tenant={tenant} mayOpen={can(actor, listings.Bcms.may)} data={data} />
          </div>
          <div className={classes.families}>
            {widgets.map(({ title, icon: Icon, counts, links }) => (
              <FamilyCard
                key={title}
                title={title}
                icon={<Icon stroke={1.7} aria-hidden />}
                links={links && can(actor, links.may) ? links.of(tenant) : {}}
                counts={data && counts(data)}
              />
            ))}
            <FamilyCard
              title="API integration"
              icon={<IconApi stroke={1.7} aria-hidden />}
              links={can(actor, listings.ThirdParty.may) ? presetLinks(tenant, 'ThirdParty') : {}}
              counts={data?.listings.ThirdParty}
            />
            {hasHubs && (
              <HomeHubsCard
                href={can(actor, listings.HomeHubs.may) ? pathTo(tenant, 'HomeHubs') : undefined}
                data={data}
              />
            )}
            {features.includes('ManagedService') && <ManagedServicesCard tenant={tenant} />}
          </div>
          {features.includes('SystemDebug') && <DebugPanel actor={actor} />}
        </>
      )}
    </div>
  )
}
