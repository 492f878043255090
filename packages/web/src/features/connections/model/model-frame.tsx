import type { ReactNode } from 'react'
import type { SensorModel } from '@caretaker/contract/connections.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../../api/actor.ts'
import { PageHead } from '../../../ui/page-head.tsx'
import { modelPath, modelsPath } from '../addresses.ts'
import { countText } from '../words.ts'
import { modelName } from './sensor-models.tsx'
import classes from './model.module.css'

export type ModelTab = 'mapping' | 'sensors' | 'codec' | 'history'

interface ModelFrameProps {
  model: SensorModel
  tab: ModelTab
  actions?: ReactNode
  children: ReactNode
}

/** The header and the tabs of a sensor model. */
export function ModelFrame({ model, tab, actions, children }: ModelFrameProps) {
  const actor = useActor()
  const { tenant } = actor
  const tabs = [
    { id: 'mapping', label: 'Mapping', href: modelPath(tenant, model.id) },
    { id: 'sensors', label: 'Sensors', href: modelPath(tenant, model.id, 'sensors') },
    ...(can(actor, 'manage connections')
      ? [{ id: 'codec', label: 'Codec', href: modelPath(tenant, model.id, 'codec') }]
      : []),
    { id: 'history', label: 'History', href: modelPath(tenant, model.id, 'history') },
  ]
  return (
    <>
      <PageHead
        back={{ href: modelsPath(tenant), label: 'Settings, Connections, Sensor models' }}
        title={modelName(model)}
        place={<span>{reachText(model)}</span>}
        actions={actions}
        tabs={tabs}
        activeTab={tab}
      />
      <div className={classes.content}>{children}</div>
    </>
  )
}

/** '12 sensors on 2 connections', '4 sensors on The Things Stack, Leeds'. */
function reachText({ sensors, newSensors, connections }: SensorModel): string {
  const waiting = newSensors > 0 ? `, ${newSensors} new` : ''
  const on = connections.length === 1 ? connections[0]!.name : countText(connections.length, 'connection')
  return `${countText(sensors, 'sensor')}${waiting} on ${on}`
}
