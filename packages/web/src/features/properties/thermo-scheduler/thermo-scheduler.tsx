import { useQuery } from '@tanstack/react-query'
import { IconThermometer } from '@tabler/icons-react'
import type { Property } from '@caretaker/contract/properties.ts'
import { familyOf } from '@caretaker/rules/devices/products.ts'
import { useActor } from '../../../api/actor.ts'
import { Empty, Failed, Loading, LoadingLines } from '../../../ui/states.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { Panel, Panels } from '../panel.tsx'
import { propertyAirQuery, propertyDevicesQuery } from '../queries.ts'
import { measuredOn } from './measured.ts'
import { Scheduler } from './scheduler.tsx'

const noThermostat =
  'Thermostat-Scheduler only available with our V-Stat or HomeHub devices - Contact our Commercial team for more information'

/** The weeks of heating and hot water, for a home that has a V-Stat. */
export function ThermoScheduler({ property }: { property: Property }) {
  const { tenant } = useActor()
  const { data, isError, refetch } = useQuery(propertyDevicesQuery(tenant, property.propertyId))
  const { data: air } = useQuery(propertyAirQuery(tenant, property.propertyId))
  const zone = useZone()
  if (!data)
    return isError ? (
      <Failed onRetry={() => void refetch()} />
    ) : (
      <Loading label="Loading the Thermo-Scheduler">
        <LoadingLines lines={7} />
      </Loading>
    )
  const thermostats = new Set(
    data.filter(({ product }) => familyOf(product) === 'vStat').map(({ deviceId }) => deviceId),
  )
  if (!thermostats.size)
    return (
      <Panel title="Thermo-Scheduler">
        <Empty icon={<IconThermometer size={18} aria-hidden />} text={noThermostat} />
      </Panel>
    )
  return (
    <Panels>
      <Scheduler
        title="Heating"
        {...(air && { measuredOn: (day) => measuredOn(day, air.temperature, { now: air.to, zone, thermostats }) })}
      />
      <Scheduler title="Domestic Hot Water" />
    </Panels>
  )
}
