import type { ReactNode } from 'react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useActor } from '../../api/actor.ts'
import { SettingsFrame } from '../../settings-frame/settings-frame.tsx'
import { AppLink } from '../../ui/link.tsx'
import { connectionsPath, modelsPath, newSensorsPath } from './addresses.ts'
import { Connections } from './connections.tsx'
import { connectionsQuery, newSensorsQuery, sensorModelsQuery } from './queries.ts'
import { NewSensors } from './sensors/new-sensors.tsx'
import { SensorModels } from './model/sensor-models.tsx'
import classes from './connections.module.css'

type Part = 'connections' | 'newSensors' | 'models'

export const ConnectionsPage = () => (
  <Frame part="connections" flows>
    <Connections />
  </Frame>
)
export const NewSensorsPage = () => (
  <Frame part="newSensors">
    <NewSensors />
  </Frame>
)
export const SensorModelsPage = () => (
  <Frame part="models">
    <SensorModels />
  </Frame>
)

/** The tab Connections of the settings, with its three parts. */
function Frame({ part, flows = false, children }: { part: Part; flows?: boolean; children: ReactNode }) {
  return (
    <SettingsFrame tab="connections" flows={flows}>
      <Parts part={part} />
      {children}
    </SettingsFrame>
  )
}

function Parts({ part }: { part: Part }) {
  const { tenant } = useActor()
  const connections = useQuery(connectionsQuery(tenant)).data?.length
  const sensors = useInfiniteQuery(newSensorsQuery(tenant, false)).data?.pages[0]?.total
  const models = useQuery(sensorModelsQuery(tenant)).data?.length
  const parts: { id: Part; label: string; href: string; count: number | undefined }[] = [
    { id: 'connections', label: 'Connections', href: connectionsPath(tenant), count: connections },
    { id: 'newSensors', label: 'New sensors', href: newSensorsPath(tenant), count: sensors },
    { id: 'models', label: 'Sensor models', href: modelsPath(tenant), count: models },
  ]
  return (
    <nav className={classes.parts} aria-label="Sections of connections">
      {parts.map(({ id, label, href, count }) => (
        <AppLink key={id} href={href} aria-current={id === part ? 'page' : undefined}>
          {label}
          {count !== undefined && (
            <b data-open={(id === 'newSensors' && count > 0) || undefined}>{count.toLocaleString('en-GB')}</b>
          )}
        </AppLink>
      ))}
    </nav>
  )
}
